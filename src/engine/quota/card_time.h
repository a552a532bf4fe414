// CardTime: capacity x time that was held, exactly: card units x ms in 128 bits, so that neither a
// second of a hundredth of a card nor a year of the largest fleet is rounded.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace berth::engine {

class CardTime {
 public:
  CardTime() = default;

  void add(CardUnits held, DurationMs ms) {
    const unsigned __int128 sum =
        value() + static_cast<unsigned __int128>(held) * static_cast<unsigned __int128>(ms);
    high_ = static_cast<std::uint64_t>(sum >> 64);
    low_ = static_cast<std::uint64_t>(sum);
  }
  void add(const CardTime& other) {
    const unsigned __int128 sum = value() + other.value();
    high_ = static_cast<std::uint64_t>(sum >> 64);
    low_ = static_cast<std::uint64_t>(sum);
  }
  CardTime plus(CardUnits held, DurationMs ms) const {
    CardTime sum = *this;
    sum.add(held, ms);
    return sum;
  }

  // Rounded down; saturates.
  std::int64_t card_ms() const { return clamp(value() / kCard); }
  // What it costs at a price per card and hour, rounded down; saturates.
  MicroMoney cost(MicroMoney per_gpu_hour) const {
    if (per_gpu_hour <= 0) return 0;
    constexpr auto kCardHour = static_cast<unsigned __int128>(kCard) * kHourMs;
    const auto price = static_cast<unsigned __int128>(per_gpu_hour);
    // in two parts: the product of both would not fit
    return clamp(value() / kCardHour * price + value() % kCardHour * price / kCardHour);
  }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.high_, self.low_);
  }
  friend bool operator==(const CardTime&, const CardTime&) = default;

 private:
  unsigned __int128 value() const { return (static_cast<unsigned __int128>(high_) << 64) | low_; }
  static std::int64_t clamp(unsigned __int128 value) {
    constexpr auto kMost = static_cast<unsigned __int128>(INT64_MAX);
    return static_cast<std::int64_t>(value > kMost ? kMost : value);
  }

  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

}  // namespace berth::engine
