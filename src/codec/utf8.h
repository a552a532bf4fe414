// Checks that text is UTF-8 without the characters that no file of ours needs, before a parser sees
// it.
#pragma once

#include <string_view>

#include "base/error.h"

namespace berth::codec {

// The bytes without a leading byte order mark. Refuses what is larger than codec/limits.h allows,
// malformed UTF-8, and control characters other than tab and line ends, with the line.
Result<std::string_view> text_of(std::string_view bytes);

// At most `bytes` bytes of the text, cut between two characters.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

// Length in bytes of the well-formed character at the front; 0 when it is malformed.
std::size_t utf8_length(std::string_view text);

}  // namespace berth::codec
