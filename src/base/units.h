// Quantities of the engine: exact integers with saturating arithmetic. Nothing here rounds unless
// its name says so.
#pragma once

#include <cstdint>
#include <limits>

namespace berth {

// Share of one card's compute. 2,520,000 divides exactly into halves to tenths, per cent, per
// mille, 48ths and 64ths.
using CardUnits = std::int64_t;
inline constexpr CardUnits kCard = 2'520'000;
inline constexpr CardUnits kCardMilli = kCard / 1000;

// Memory of a card in eighths of a MiB, so that a slot of an eight-slot card is exact.
using MemoryEighths = std::int64_t;
inline constexpr MemoryEighths kEighthsPerMib = 8;

using Mib = std::int64_t;
using CpuMilli = std::int64_t;
using Ppm = std::int64_t;         // parts per million
using MicroMoney = std::int64_t;  // millionths of the accounting currency
inline constexpr Ppm kPpmOne = 1'000'000;

constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

constexpr std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return ((a > 0) == (b > 0)) ? std::numeric_limits<std::int64_t>::max()
                              : std::numeric_limits<std::int64_t>::min();
}

// Rounds towards minus infinity; `b` > 0.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return (a % b != 0 && a < 0) ? quotient - 1 : quotient;
}

// a / b compared with c / d without loss; b and d must be positive. Negative, zero or positive.
constexpr int compare_ratios(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  const __int128 left = static_cast<__int128>(a) * d;
  const __int128 right = static_cast<__int128>(c) * b;
  if (left == right) return 0;
  return left < right ? -1 : 1;
}

// What a grant takes of cards of one model: compute and memory are added exactly and apart, and a
// usage is the larger component of the sum (see `larger_share`).
struct Charge {
  CardUnits compute = 0;     // kCard = one card
  MemoryEighths memory = 0;  // eighths of a MiB

  constexpr Charge& operator+=(const Charge& other) {
    compute = saturating_add(compute, other.compute);
    memory = saturating_add(memory, other.memory);
    return *this;
  }
  constexpr Charge& operator-=(const Charge& other) {
    compute -= other.compute;
    memory -= other.memory;
    return *this;
  }
  friend constexpr bool operator==(const Charge&, const Charge&) = default;
};

// Time of the simulated or the real clock in ms since the run's origin; a Duration is a difference.
using TimeMs = std::int64_t;
using DurationMs = std::int64_t;
inline constexpr TimeMs kNever = std::numeric_limits<TimeMs>::max();
inline constexpr DurationMs kSecondMs = 1000;
inline constexpr DurationMs kMinuteMs = 60 * kSecondMs;
inline constexpr DurationMs kHourMs = 60 * kMinuteMs;

}  // namespace berth
