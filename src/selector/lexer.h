// Cuts a selector's source into tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace berth::selector {

enum class TokenKind : std::uint8_t { kEnd, kName, kInt, kUint, kDouble, kString, kBytes, kSymbol };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;     // as it stands in the source
  std::uint32_t offset = 0;  // of its first byte
};

// Ends in a token of kind kEnd. The tokens refer to the source.
Result<std::vector<Token>> tokenize(std::string_view source);

}  // namespace berth::selector
