#include "cli/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace berth::cli {
namespace {

tl::unexpected<Error> unwritable(const std::string& path, int problem) {
  return fail(problem == EEXIST ? ErrorCode::kConflict : ErrorCode::kUnavailable,
              "'" + path + "' cannot be written: " + std::strerror(problem));
}

}  // namespace

Status create_private_file(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return unwritable(path, errno);
  int problem = 0;
  while (!text.empty() && problem == 0) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) problem = errno;
  }
  if (problem == 0 && fsync(file) != 0) problem = errno;
  if (close(file) != 0 && problem == 0) problem = errno;
  if (problem == 0) return {};
  unlink(path.c_str());
  return unwritable(path, problem);
}

Status replace_private_file(const std::string& path, std::string_view text) {
  const std::string draft = path + ".new";
  std::error_code status;
  std::filesystem::remove(draft, status);  // of a process that was stopped
  if (auto s = create_private_file(draft, text); !s) return s;
  std::filesystem::rename(draft, path, status);
  if (!status) return {};
  const int problem = status.value();
  std::filesystem::remove(draft, status);
  return unwritable(path, problem);
}

bool is_open_to_all(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && (found.st_mode & S_IROTH) != 0;
}

}  // namespace berth::cli
