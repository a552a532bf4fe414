#include "cli/command.h"

#include <utility>

namespace berth::cli {

std::optional<std::string> Arguments::value(const std::string& name) const {
  const auto it = values_.find(name);
  if (it == values_.end()) return std::nullopt;
  return it->second.back();
}

std::string Arguments::value_or(const std::string& name, std::string fallback) const {
  return value(name).value_or(std::move(fallback));
}

std::vector<std::string> Arguments::values(const std::string& name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? std::vector<std::string>{} : it->second;
}

int report(Console& console, const Error& error) {
  console.error(error.to_text());
  const bool is_input = error.code == ErrorCode::kInvalid || error.code == ErrorCode::kNotFound ||
                        error.code == ErrorCode::kConflict ||
                        error.code == ErrorCode::kLimitExceeded;
  return is_input ? kUsage : kFailed;
}

int wrong_value(Console& console, const std::string& name, const std::string& message) {
  console.error(name + ": " + message);
  return kUsage;
}

}  // namespace berth::cli
