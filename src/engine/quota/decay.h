// Usage that fades: the mean of what a queue held, where a moment counts half as much for each
// half-life that has passed since.
//
// It is brought up to date by events and never by the passing of cycles, and its error does not
// grow with the number of updates. Integers only; it reads no clock.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace berth::engine {

// mantissa * 2^-63 * 2^-halvings.
struct DecayFactor {
  std::uint64_t mantissa = std::uint64_t{1} << 63;  // about 2^62 to 2^63
  std::int64_t halvings = 0;

  friend bool operator==(const DecayFactor&, const DecayFactor&) = default;
};

// 2^(-elapsed / half_life) with a relative error below 2^-55; elapsed >= 0, half_life > 0
// (checked). Up to 64 multiplications.
DecayFactor half_to_the(DurationMs elapsed, DurationMs half_life);

struct DecayedUsage {
  static constexpr int kFractionBits = 24;

  std::uint64_t value = 0;  // 2^-24 card units; saturates at 436,000 cards
  TimeMs at = 0;

  // Counts that `held` card units were held from `at` to `to`: value = value * w + held * (1 - w)
  // with w = 2^(-(to - at) / half_life). An update adds an error of at most 2^-25 card units and
  // 2^-55 of |value - held|; errors fade as usage does, so that however many updates there are,
  // they add up to no more than those of 1.5 half-lives. The result lies between value and held.
  // Less than nothing held counts as nothing; a `to` that isn't after `at` changes nothing; without
  // a half-life (<= 0) nothing is remembered. O(1).
  void advance(CardUnits held, TimeMs to, DurationMs half_life);

  // Rounded to the nearest.
  CardUnits units() const;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.value, self.at);
  }
  friend bool operator==(const DecayedUsage&, const DecayedUsage&) = default;
};

}  // namespace berth::engine
