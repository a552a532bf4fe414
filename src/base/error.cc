#include "base/error.h"

namespace berth {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return "invalid";
    case ErrorCode::kNotFound:
      return "not-found";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kLimitExceeded:
      return "limit-exceeded";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kCorrupt:
      return "corrupt";
  }
  return "unknown";
}

std::string Error::to_text() const {
  std::string text;
  if (line > 0) text += "line " + std::to_string(line) + ": ";
  if (!field.empty()) text += field + ": ";
  return text + message;
}

}  // namespace berth
