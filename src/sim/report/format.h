// Numbers as people read them: thousands separators, durations in the unit that fits, differences
// with a sign. Pure text; the same in the terminal and in the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"

namespace berth::sim {

std::string count_text(std::int64_t value);            // "41,234", "−3"
std::string number_text(double value, int decimals);   // "1,234.5"; "–" when not finite
std::string percent_text(double share, int decimals);  // of 1: "91.3 %"

// "0 s", "850 ms", "12.3 s", "12 min 05 s", "26 h 12 min", "2 d 04 h". Rounded to what is shown.
std::string duration_text(double duration_ms);

// `text` with a sign in front, also when it is positive; "±0" for the text of nothing.
std::string signed_text(double value, const std::string& magnitude);

// "0x00c0ffee00c0ffee"
std::string hash_text(std::uint64_t hash);

// The shortest plain decimal with at most `decimals` digits behind the point: "3", "0.25". The same
// on every machine. Empty when not finite. For CSV and JSON.
std::string plain_number(double value, int decimals);

// Characters, not bytes: columns of a terminal for text without wide or combining characters.
std::size_t text_columns(std::string_view utf8);

}  // namespace berth::sim
