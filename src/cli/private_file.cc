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

namespace {

// Owner, group and mode of a file that is there; none: those that a new one gets.
Status replace(const std::string& path, std::string_view text, const struct stat* access) {
  const std::string draft = path + ".new";
  std::error_code status;
  std::filesystem::remove(draft, status);  // of a process that was stopped
  if (auto s = create_private_file(draft, text); !s) return s;
  int problem = 0;
  if (access != nullptr && (chown(draft.c_str(), access->st_uid, access->st_gid) != 0 ||
                            chmod(draft.c_str(), access->st_mode & ALLPERMS) != 0)) {
    problem = errno;
  }
  if (problem == 0) {
    std::filesystem::rename(draft, path, status);
    if (!status) return {};
    problem = status.value();
  }
  std::filesystem::remove(draft, status);
  return unwritable(path, problem);
}

}  // namespace

Status replace_private_file(const std::string& path, std::string_view text) {
  return replace(path, text, nullptr);
}

Status renew_private_file(const std::string& path, std::string_view text) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return unwritable(path, errno);
  return replace(path, text, &found);
}

Status share_file(const std::string& path, gid_t group) {
  constexpr uid_t kSameOwner = static_cast<uid_t>(-1);
  if (chown(path.c_str(), kSameOwner, group) == 0 &&
      chmod(path.c_str(), S_IRUSR | S_IWUSR | S_IRGRP) == 0) {
    return {};
  }
  return unwritable(path, errno);
}

bool is_open_to_all(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && (found.st_mode & S_IROTH) != 0;
}

}  // namespace berth::cli
