// Code points of UTF-8 text. A byte that belongs to no code point counts as one (U+FFFD), so that
// every text has a length and positions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::selector {

inline constexpr char32_t kReplacement = 0xFFFD;

struct CodePoint {
  char32_t value = kReplacement;
  std::size_t bytes = 1;
  bool valid = false;
};

// Of a text that is not empty.
CodePoint first_code_point(std::string_view text);
std::size_t count_code_points(std::string_view text);
// Byte offset of the code point at `position`; the text's size at its end, nothing beyond it.
std::optional<std::size_t> offset_of(std::string_view text, std::size_t position);
bool is_valid_utf8(std::string_view text);
// Not for surrogates and what lies beyond U+10FFFF: is_scalar says which those are.
std::string encode_utf8(char32_t value);
bool is_scalar(char32_t value);

}  // namespace berth::selector
