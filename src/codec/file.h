// Whole files: read within the size limit, told apart by their ending, parsed into an object. The
// only part of codec/ that touches the file system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "codec/document.h"
#include "codec/errors.h"
#include "codec/schema.h"

namespace berth::codec {

enum class TextFormat { kYaml, kJson };

// By the ending: .yaml, .yml or .json.
Result<TextFormat> format_of(std::string_view path);

Result<std::string> read_file(const std::string& path);
// Whether `write_file` could write there now; for asking before long work whose result goes there.
Status check_writable(const std::string& path);
// Writes a new file beside it and renames it, so that a reader sees the old or the new one. What
// is no regular file, such as a pipe, is written in place.
Status write_file(const std::string& path, std::string_view text);

// Regular files with one of the endings (".yaml"), sorted by name; paths begin with `directory`.
Result<std::vector<std::string>> list_files(const std::string& directory, std::string_view ending);

Result<Document> read_text(std::string_view text, TextFormat format);
std::string write_text(const Document& document, TextFormat format);
Parsed<Document> load_document(const std::string& path);

template <typename T>
Parsed<T> from_text(std::string_view text, TextFormat format, std::string source) {
  Result<Document> document = read_text(text, format);
  if (!document) return failed(std::move(document.error()), std::move(source));
  return from_document<T>(*document, std::move(source));
}

template <typename T>
Parsed<T> load(const std::string& path) {
  const Parsed<Document> document = load_document(path);
  if (!document) return tl::unexpected<Errors>(document.error());
  return from_document<T>(*document, path);
}

}  // namespace berth::codec
