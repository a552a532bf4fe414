// What an unquoted word of YAML means, and the number grammar shared by both formats.
//
// A whole number is decimal digits with an optional sign, without leading zeros; a decimal has a
// point or an exponent. Everything else that other tools take for a number (0x10, 0o17, 007, 1_000,
// 1:30, .inf, .nan) is text here, so that a number field refuses it and a text field keeps it.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "codec/document.h"

namespace berth::codec {

// Refuses numbers that would lose their value: whole numbers beyond 64 bits, and decimals that are
// not finite or vanish as a double.
Result<Document> plain_scalar(std::string_view text);

// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? with a point or an exponent, finite as a double.
bool is_decimal_text(std::string_view text);

// The same for a decimal of any size; gives the reason when it is refused.
Result<Document> decimal_scalar(std::string_view text);

// Whether `text` written without quotes is read back as this very text by YAML 1.1 and 1.2 readers.
bool is_safe_plain(std::string_view text);

// The text in single quotes, shortened to what fits in a message, control characters as '?'.
std::string shown(std::string_view text);

// Why this text is no number for us although it looks like one ("hexadecimal ..."); empty if it
// does not look like one.
std::string number_hint(std::string_view text);

}  // namespace berth::codec
