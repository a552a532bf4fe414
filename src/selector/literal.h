// What the text of a literal means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace berth::selector {

// `token` with its prefix and quotes: 'a\n', r"\d", b'\xff', '''...'''. In a string \x and \ooo
// are code points, in bytes they are bytes.
Result<std::string> decode_string(std::string_view token);

// Decimal or 0x..., with a minus before it where `negative` says so; nothing where 64 bits do not
// hold it.
enum class Sign : std::uint8_t { kPlus, kMinus };
std::optional<std::int64_t> decode_int(std::string_view token, Sign sign);
std::optional<std::uint64_t> decode_uint(std::string_view token);  // without its `u`
// As strtod reads it in the C locale, also "inf" and "nan"; nothing where it is no such number.
std::optional<double> decode_double(std::string_view text);

}  // namespace berth::selector
