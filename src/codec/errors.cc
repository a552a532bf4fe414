#include "codec/errors.h"

namespace berth::codec {

std::string Errors::to_text() const {
  std::string text;
  for (const Error& error : items) {
    if (!text.empty()) text += '\n';
    text += source;
    if (error.line > 0) text += (source.empty() ? "line " : ":") + std::to_string(error.line);
    if (!source.empty() || error.line > 0) text += ": ";
    if (!error.field.empty()) text += error.field + ": ";
    text += error.message;
  }
  if (is_truncated)
    text += "\n… and more; the first " + std::to_string(items.size()) + " are shown";
  return text;
}

Error Errors::to_error() const {
  Error error = items.empty() ? Error{} : items.front();
  if (items.size() == 1 && source.empty()) return error;
  error.message = to_text();
  error.field.clear();
  error.line = 0;
  return error;
}

}  // namespace berth::codec
