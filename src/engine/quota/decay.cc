#include "engine/quota/decay.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace berth::engine {
namespace {

using UWide = unsigned __int128;

// The square root of a fraction with 64 bits, to the nearest: one digit of base 2 at a time.
constexpr std::uint64_t square_root(std::uint64_t fraction) {
  const UWide square = static_cast<UWide>(fraction) << 64;
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t tried = root | (std::uint64_t{1} << bit);
    if (static_cast<UWide>(tried) * tried <= square) root = tried;
  }
  // Above (root + 1/2)^2 exactly when more than `root` is left over.
  return square - static_cast<UWide>(root) * root > root ? root + 1 : root;
}

// 2^(-2^-k) in 64 bits at index k - 1: the square root of 1/2, of that, and so on. An error halves
// with each root and gains at most half an ulp, so that all are right to one ulp.
constexpr std::array<std::uint64_t, 64> fractional_powers() {
  std::array<std::uint64_t, 64> powers{};
  std::uint64_t last = std::uint64_t{1} << 63;
  for (std::uint64_t& power : powers) power = last = square_root(last);
  return powers;
}
constexpr std::array<std::uint64_t, 64> kPowers = fractional_powers();

constexpr std::uint64_t times(std::uint64_t a, std::uint64_t fraction) {
  const UWide half = UWide{1} << 63;
  return static_cast<std::uint64_t>((static_cast<UWide>(a) * fraction + half) >> 64);
}

// a * w to the nearest.
std::uint64_t decayed(std::uint64_t a, const DecayFactor& w) {
  if (w.halvings > 64) return 0;  // less than half of the last bit
  const int shift = 63 + static_cast<int>(w.halvings);
  const UWide half = UWide{1} << (shift - 1);
  return static_cast<std::uint64_t>((static_cast<UWide>(a) * w.mantissa + half) >> shift);
}

std::uint64_t with_fraction(CardUnits held) {
  constexpr CardUnits kMost = (CardUnits{1} << (64 - DecayedUsage::kFractionBits)) - 1;
  return static_cast<std::uint64_t>(std::clamp<CardUnits>(held, 0, kMost))
         << DecayedUsage::kFractionBits;
}

}  // namespace

// The error, in parts: 64 factors that are wrong by 2^-63.5 at most, 64 products rounded by 2^-64
// of at least 1/2, and a fraction cut by 2^-64; less than 2^-56 together.
DecayFactor half_to_the(DurationMs elapsed, DurationMs half_life) {
  BERTH_CHECK(elapsed >= 0 && half_life > 0);
  DecayFactor factor;
  factor.halvings = elapsed / half_life;
  const auto rest = static_cast<UWide>(elapsed % half_life);
  const auto fraction = static_cast<std::uint64_t>((rest << 64) / static_cast<UWide>(half_life));
  for (std::size_t k = 0; k < kPowers.size(); ++k) {
    if ((fraction >> (63 - k) & 1) != 0) factor.mantissa = times(factor.mantissa, kPowers[k]);
  }
  return factor;
}

// As held + (value - held) * w, so that only one product is rounded and the result lies between
// the two.
void DecayedUsage::advance(CardUnits held, TimeMs to, DurationMs half_life) {
  if (to <= at) return;
  DurationMs elapsed = 0;
  if (__builtin_sub_overflow(to, at, &elapsed)) elapsed = kNever;
  at = to;
  if (half_life <= 0) {
    value = 0;
    return;
  }
  const DecayFactor w = half_to_the(elapsed, half_life);
  const std::uint64_t target = with_fraction(held);
  value =
      value > target ? target + decayed(value - target, w) : target - decayed(target - value, w);
}

CardUnits DecayedUsage::units() const {
  return static_cast<CardUnits>((value >> kFractionBits) + ((value >> (kFractionBits - 1)) & 1));
}

}  // namespace berth::engine
