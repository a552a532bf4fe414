// Amounts as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace berth {

// 1500 -> "1.5", 1250000 -> "1,250"; what is not whole has up to three decimals.
std::string thousandths_text(std::int64_t milli);

// How far ahead: "40 s", "1 h 30 min", "30 h", rounded up to the last unit.
std::string ahead_text(std::int64_t ms);

}  // namespace berth
