#include "engine/quota/decay.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "base/rng.h"
#include "model/serial.h"

namespace berth::engine {
namespace {

constexpr DurationMs kWeek = 168 * kHourMs;
constexpr TimeMs kForever = std::numeric_limits<TimeMs>::max();

double cards(const DecayedUsage& usage) {
  return std::ldexp(static_cast<double>(usage.value), -DecayedUsage::kFractionBits) / kCard;
}

DecayedUsage held_for(CardUnits held, DurationMs total, DurationMs step) {
  DecayedUsage usage;
  for (TimeMs now = step; now <= total; now += step) usage.advance(held, now, kWeek);
  return usage;
}

TEST(Case057, OneSampleOfFiveMinutesCounts) {
  const double expected = 0.00034376;
  const DurationMs sample = 5 * kMinuteMs;
  EXPECT_NEAR(cards(held_for(kCard, sample, sample)), expected, 5e-9);
  EXPECT_NEAR(cards(held_for(kCard, sample, kSecondMs)), expected, 5e-9);
  EXPECT_NEAR(cards(held_for(kCard / 10, sample, sample)), expected / 10, 5e-9);
  EXPECT_NEAR(cards(held_for(kCard / 10, sample, kSecondMs)), expected / 10, 5e-9);
}

TEST(Case057, AHalfLifeHeldIsHalfHoweverItIsSampled) {
  for (const DurationMs step : {kWeek, 5 * kMinuteMs, kSecondMs}) {
    EXPECT_NEAR(cards(held_for(kCard, kWeek, step)), 0.5, 1e-6) << step;
    EXPECT_NEAR(cards(held_for(kCard / 10, kWeek, step)), 0.05, 1e-6) << step;
  }
}

TEST(Case057, ReleasedUsageHalves) {
  DecayedUsage usage = held_for(kCard, kWeek, kWeek);
  usage.advance(0, 2 * kWeek, kWeek);
  EXPECT_EQ(usage.units(), kCard / 4);
}

TEST(HalfToThe, WholeHalvingsAreExact) {
  EXPECT_EQ(half_to_the(0, 7), (DecayFactor{}));
  EXPECT_EQ(half_to_the(7, 7).halvings, 1);
  EXPECT_EQ(half_to_the(7, 7).mantissa, DecayFactor{}.mantissa);
  EXPECT_EQ(half_to_the(kForever, 1).halvings, kForever);
}

// Against the library's exp2, which is right to some units of 2^-64 here.
RC_GTEST_PROP(HalfToThe, RelativeErrorIsBelow2ToTheMinus55, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < 64; ++n) {
    const auto half_life =
        static_cast<DurationMs>(1 + rng.below(rng.below(2) == 0 ? 100 : kForever));
    const auto part = static_cast<DurationMs>(rng.below(static_cast<std::uint64_t>(half_life)));
    const DecayFactor factor = half_to_the(part, half_life);
    RC_ASSERT(factor.halvings == 0);
    const long double exact =
        std::exp2(-static_cast<long double>(part) / static_cast<long double>(half_life));
    const long double ours = std::ldexp(static_cast<long double>(factor.mantissa), -63);
    RC_ASSERT(std::fabs(ours / exact - 1) < std::ldexp(1.0L, -55));
    const DecayFactor later = half_to_the(saturating_add(part, half_life), half_life);
    if (part < kForever - half_life) RC_ASSERT(later.mantissa == factor.mantissa);
    if (part < kForever - half_life) RC_ASSERT(later.halvings == 1);
  }
}

RC_GTEST_PROP(DecayedUsageProperty, AnySplitOfTheTimeIsTheSame, (std::uint64_t seed)) {
  Rng rng(seed);
  DecayedUsage split;
  DecayedUsage once;
  for (int n = 0; n < 8; ++n) {
    const auto held = static_cast<CardUnits>(rng.below(1'000 * kCard));
    const TimeMs end = once.at + 1 + static_cast<DurationMs>(rng.below(kWeek));
    once.advance(held, end, kWeek);
    while (split.at < end) {
      const auto step = static_cast<DurationMs>(1 + rng.below(2 * kHourMs));
      split.advance(held, std::min(end, split.at + step), kWeek);
    }
    RC_ASSERT(std::fabs(cards(split) - cards(once)) < 1e-9);
  }
}

RC_GTEST_PROP(DecayedUsageProperty, LiesBetweenBeforeAndHeld,
              (std::uint64_t value, std::uint32_t held, std::uint32_t elapsed)) {
  DecayedUsage usage{value, 0};
  usage.advance(held, elapsed, kWeek);
  const std::uint64_t target = std::uint64_t{held} << DecayedUsage::kFractionBits;
  RC_ASSERT(usage.value >= std::min(value, target));
  RC_ASSERT(usage.value <= std::max(value, target));
}

TEST(DecayedUsage, WithoutHalfLifeNothingIsRemembered) {
  DecayedUsage usage = held_for(kCard, kWeek, kWeek);
  usage.advance(kCard, 2 * kWeek, 0);
  EXPECT_EQ(usage, (DecayedUsage{0, 2 * kWeek}));
}

TEST(DecayedUsage, NoTimeChangesNothing) {
  DecayedUsage usage = held_for(kCard, kWeek, kWeek);
  const DecayedUsage before = usage;
  usage.advance(5 * kCard, kWeek, kWeek);
  usage.advance(5 * kCard, 0, kWeek);
  usage.advance(5 * kCard, 0, 0);
  EXPECT_EQ(usage, before);
}

TEST(DecayedUsage, SaturatesAndIsNeverNegative) {
  DecayedUsage usage{0, std::numeric_limits<TimeMs>::min()};
  usage.advance(-kCard, 0, kWeek);
  EXPECT_EQ(usage.value, 0u);
  usage.advance(kForever, kForever, kWeek);
  EXPECT_EQ(usage.units(), (CardUnits{1} << 40) - 1);
  usage = {std::numeric_limits<std::uint64_t>::max(), 0};
  EXPECT_EQ(usage.units(), CardUnits{1} << 40);
  usage.advance(0, 64 * kWeek, kWeek);
  EXPECT_EQ(usage.value, 1u);
  usage.advance(0, kForever, kWeek);
  EXPECT_EQ(usage.value, 0u);
}

TEST(DecayedUsage, IsTheSameFromItsBytes) {
  const DecayedUsage usage = held_for(kCard / 10, kWeek, 5 * kMinuteMs);
  const auto read = serial::from_bytes<DecayedUsage>(serial::to_bytes(usage));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, usage);
}

}  // namespace
}  // namespace berth::engine
