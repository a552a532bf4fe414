#include "codec/file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "codec/json_reader.h"
#include "codec/limits.h"
#include "codec/scalar.h"
#include "codec/writer.h"
#include "codec/yaml_reader.h"

namespace berth::codec {
namespace {

namespace fs = std::filesystem;

std::string reason() { return errno != 0 ? std::strerror(errno) : "unknown reason"; }

tl::unexpected<Error> unwritable(const std::string& path, const std::string& why) {
  return fail(ErrorCode::kUnavailable, shown(path) + " cannot be written: " + why);
}

}  // namespace

Result<TextFormat> format_of(std::string_view path) {
  if (path.ends_with(".yaml") || path.ends_with(".yml")) return TextFormat::kYaml;
  if (path.ends_with(".json")) return TextFormat::kJson;
  return invalid("the ending of " + shown(path) +
                 " names no format; .yaml, .yml and .json are accepted");
}

Result<std::string> read_file(const std::string& path) {
  std::error_code status;
  if (fs::is_directory(path, status)) return invalid("is a directory; a file is needed");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(ErrorCode::kNotFound, "cannot be opened: " + reason());
  // One byte more than allowed tells a longer file, also where the size is not known before.
  std::string text(kTextBytesLimit + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return fail(ErrorCode::kUnavailable, "cannot be read: " + reason());
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kTextBytesLimit) {
    return fail(ErrorCode::kLimitExceeded, "is larger than " + std::to_string(kTextBytesLimit) +
                                               " bytes, the most that is accepted");
  }
  return text;
}

Status check_writable(const std::string& path) {
  if (path.empty()) return invalid("is empty; the name of a file is accepted");
  std::error_code status;
  if (fs::is_directory(path, status)) return unwritable(path, "is a directory");
  const bool replaces = fs::is_regular_file(path, status) || !fs::exists(path, status);
  const fs::path folder = fs::path(path).parent_path();
  const std::string target = !replaces ? path : folder.empty() ? "." : folder.string();
  if (::access(target.c_str(), W_OK) == 0) return {};
  return unwritable(path, std::strerror(errno));
}

Status write_file(const std::string& path, std::string_view text) {
  if (auto s = check_writable(path); !s) return s;
  std::error_code status;
  const bool replaces = fs::is_regular_file(path, status) || !fs::exists(path, status);
  const std::string draft = replaces ? path + ".new" : path;
  errno = 0;
  {
    std::ofstream stream(draft, std::ios::binary | std::ios::trunc);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    if (!stream) {
      const std::string why = reason();
      if (replaces) fs::remove(draft, status);
      return unwritable(path, why);
    }
  }
  if (!replaces) return {};
  fs::rename(draft, path, status);
  if (!status) return {};
  const std::string why = status.message();
  fs::remove(draft, status);
  return unwritable(path, why);
}

Result<std::vector<std::string>> list_files(const std::string& directory, std::string_view ending) {
  std::error_code status;
  fs::directory_iterator it(directory, status);
  if (status) {
    return fail(ErrorCode::kNotFound,
                "the directory " + shown(directory) + " cannot be read: " + status.message());
  }
  std::vector<std::string> paths;
  for (; it != fs::directory_iterator(); it.increment(status)) {
    if (status) break;
    std::error_code ignored;
    const std::string path = it->path().string();
    if (path.ends_with(ending) && it->is_regular_file(ignored)) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Document> read_text(std::string_view text, TextFormat format) {
  return format == TextFormat::kYaml ? read_yaml(text) : read_json(text);
}

std::string write_text(const Document& document, TextFormat format) {
  return format == TextFormat::kYaml ? write_yaml(document) : write_json(document);
}

Parsed<Document> load_document(const std::string& path) {
  const Result<TextFormat> format = format_of(path);
  if (!format) return failed(format.error(), path);
  Result<std::string> text = read_file(path);
  if (!text) return failed(std::move(text.error()), path);
  Result<Document> document = read_text(*text, *format);
  if (!document) return failed(std::move(document.error()), path);
  return std::move(*document);
}

}  // namespace berth::codec
