// Amounts as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace berth {

// 1500 -> "1.5", 1250000 -> "1,250"; what is not whole has up to three decimals.
std::string thousandths_text(std::int64_t milli);

// How far ahead: "40s", "90m", "30h", rounded up to the unit.
std::string ahead_text(std::int64_t ms);

}  // namespace berth
