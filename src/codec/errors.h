// Errors: everything wrong with one text, found in one pass; Parsed<T> is a whole object or these.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace berth::codec {

struct Errors {
  std::string source;         // name of the file or of the request; empty when there is none
  std::vector<Error> items;   // at least one, in the order of the text where it is known
  bool is_truncated = false;  // there were more than kErrorLimit

  // One line each: "FILE:LINE: path: message".
  std::string to_text() const;
  // All of it as one Error: the first code, field and line, and the whole text when there are more.
  Error to_error() const;
};

template <typename T>
using Parsed = tl::expected<T, Errors>;

inline tl::unexpected<Errors> failed(Error error, std::string source) {
  return tl::unexpected<Errors>(Errors{std::move(source), {std::move(error)}, false});
}

}  // namespace berth::codec
