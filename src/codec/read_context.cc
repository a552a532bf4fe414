#include "codec/read_context.h"

#include "codec/limits.h"
#include "codec/scalar.h"

namespace berth::codec {

ReadContext::Scope::Scope(ReadContext& context, std::string_view name) : context_(context) {
  context.steps_.push_back({name, 0});
}
ReadContext::Scope::Scope(ReadContext& context, std::size_t index) : context_(context) {
  context.steps_.push_back({{}, index});
}
ReadContext::Scope::~Scope() { context_.steps_.pop_back(); }

void ReadContext::add(const Document& at, std::string message) {
  add_below(at.position().line, "", std::move(message), ErrorCode::kInvalid);
}

void ReadContext::add_below(int line, const std::string& path, std::string message,
                            ErrorCode code) {
  if (is_full()) {
    errors_.is_truncated = true;
    return;
  }
  std::string field = this->path();
  if (!path.empty()) field += (field.empty() || path.front() == '[' ? "" : ".") + path;
  errors_.items.push_back(Error{code, std::move(message), std::move(field), line});
}

void ReadContext::add_unexpected(const Document& at, std::string_view accepted) {
  std::string message = at.is_null() ? "is empty" : "is " + shown_value(at);
  message += "; " + std::string(accepted) + " is accepted";
  if (at.is(Document::Kind::kString)) {
    if (const std::string hint = number_hint(at.as_string()); !hint.empty()) {
      message += " (" + hint + ")";
    }
  }
  add(at, std::move(message));
}

void ReadContext::complete_latest(std::size_t count_before, std::string_view text) {
  if (count() == count_before + 1) errors_.items.back().message += text;
}

bool ReadContext::is_full() const { return errors_.items.size() >= kErrorLimit; }

Errors ReadContext::take(std::string source) {
  errors_.source = std::move(source);
  return std::move(errors_);
}

std::string ReadContext::path() const {
  std::string text;
  for (const Step& step : steps_) {
    if (step.name.empty()) {
      text += "[" + std::to_string(step.index) + "]";
    } else {
      text += (text.empty() ? "" : ".") + std::string(step.name);
    }
  }
  return text;
}

std::string shown_value(const Document& value) {
  switch (value.kind()) {
    case Document::Kind::kString:
      return shown(value.as_string());
    case Document::Kind::kDecimal:
      return std::string(value.decimal_text().substr(0, 60));
    case Document::Kind::kBool:
    case Document::Kind::kInteger:
      return value.is(Document::Kind::kBool) ? (value.as_bool() ? "true" : "false")
                                             : std::to_string(value.as_integer());
    default:
      return std::string(kind_text(value.kind()));
  }
}

}  // namespace berth::codec
