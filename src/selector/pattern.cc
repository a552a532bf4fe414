#include "selector/pattern.h"

#include <cstdint>
#include <string>

#include "selector/source_text.h"

namespace berth::selector {
namespace {
constexpr std::size_t kLongestPattern = 1024;         // bytes
constexpr std::int64_t kPatternMemory = 1024 * 1024;  // bytes; bounds the compiled program too
}  // namespace

Result<std::unique_ptr<const re2::RE2>> compile_pattern(std::string_view pattern) {
  if (pattern.size() > kLongestPattern) {
    return fail(ErrorCode::kLimitExceeded, "the pattern " + quoted(pattern) + " has " +
                                               std::to_string(pattern.size()) + " bytes; at most " +
                                               std::to_string(kLongestPattern) + " are accepted");
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemory);
  auto compiled =
      std::make_unique<const re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!compiled->ok()) {
    return invalid("the pattern " + quoted(pattern) + " is not accepted: " + compiled->error() +
                   "; a regular expression of RE2 is");
  }
  return compiled;
}

}  // namespace berth::selector
