// On small grids the layout that is chosen is the best of all, judged from the definition: every
// valid set is tried, and what it brings is counted one instance at a time.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "engine/sharing/mig_testing.h"
#include "engine/sharing/regeometry.h"

namespace berth::engine {
namespace {

int pick(int least, int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

GpuModel small_grid() {
  switch (pick(0, 2)) {
    case 0:
      return testing::mig_model(2, 2, testing::two_slice_profiles());
    case 1:
      return testing::mig_model(4, 4, testing::four_slice_profiles(4));
    default:
      return testing::seven_slice_model({testing::double_memory_profile()});
  }
}

constexpr DurationMs kWindow = 1000;

struct Case {
  MigGeometry grid;
  PoolSupply pool{};
  LayoutCard card;
  LayoutTerms terms{kWindow, 0};
};

bool holds(MigOccupancy set, std::uint8_t placement) { return (set >> placement & 1) != 0; }

Case random_case() {
  Case c{*MigGeometry::create(small_grid()), {}, {}, {}};
  const auto& sets = c.grid.valid_sets();
  const int empty = pick(0, 5);
  c.card.layout = empty == 0 ? 0 : sets[static_cast<std::size_t>(pick(0, int(sets.size()) - 1))];
  c.terms = {kWindow, pick(0, 200)};
  for (std::uint8_t p = 0; p < c.grid.placements().size(); ++p) {
    const std::size_t profile = c.grid.placement(MigPlacementIndex(p)).profile.value();
    if (!holds(c.card.layout, p)) continue;
    if (pick(0, 2) != 0) {
      ++c.pool[profile].open;  // its own instances are part of the pool
      continue;
    }
    c.card.busy |= MigOccupancy{1} << p;
    c.card.free_in[p] = pick(0, 3) == 0 ? kNever : pick(0, 900);
    c.card.lost_ms[p] = pick(0, 300);
  }
  for (int profile = 0; profile < c.grid.profile_count(); ++profile) {
    ProfileSupply& supply = c.pool[static_cast<std::size_t>(profile)];
    supply.open += pick(0, 1);
    supply.waiting = pick(0, 2) == 0 ? 0 : pick(0, 4000);
    supply.expected = pick(0, 1) == 0 ? 0 : pick(0, 2000);
  }
  return c;
}

// Gain less cost of the wanted layout, or nothing where it may not be.
std::optional<std::int64_t> net_by_definition(const Case& c, MigOccupancy wanted) {
  DurationMs delay = 0;
  std::int64_t cost = 0;
  std::int64_t gain = 0;
  std::int64_t for_waiting = 0;
  std::vector<std::uint8_t> went;
  for (std::uint8_t p = 0; p < c.grid.placements().size(); ++p) {
    if (!holds(c.card.layout, p) || holds(wanted, p)) continue;
    went.push_back(p);
    if (holds(c.card.busy, p)) delay = std::max(delay, c.card.free_in[p]);
  }
  if (delay == kNever) return std::nullopt;
  delay += c.terms.switch_ms;
  if (delay >= kWindow) return std::nullopt;
  for (int profile = 0; profile < c.grid.profile_count(); ++profile) {
    const ProfileSupply& supply = c.pool[static_cast<std::size_t>(profile)];
    DurationMs before = 0;
    DurationMs after = 0;
    std::int64_t left = supply.open;
    std::int64_t size = 0;
    bool loses = false;
    for (std::int64_t i = 0; i < supply.open; ++i) before += kWindow;
    after = before;
    for (std::uint8_t p = 0; p < c.grid.placements().size(); ++p) {
      const MigPlacement& placement = c.grid.placement(MigPlacementIndex(p));
      if (placement.profile.value() != profile) continue;
      size = std::popcount(placement.slots);
      if (holds(wanted, p) && !holds(c.card.layout, p)) {
        after += kWindow - delay;
        ++left;
      }
      if (std::find(went.begin(), went.end(), p) == went.end()) continue;
      loses = true;
      --left;
      if (!holds(c.card.busy, p)) after -= kWindow;
      cost += size * (delay + (holds(c.card.busy, p) ? c.card.lost_ms[p] : 0));
    }
    if (loses && left < 0) return std::nullopt;
    const DurationMs served = std::min(after, supply.waiting) - std::min(before, supply.waiting);
    const DurationMs more = supply.waiting + supply.expected;
    const DurationMs in_all = std::min(after, more) - std::min(before, more);
    for_waiting += size * served;
    gain += size * std::min(served, in_all);  // what may come is never a gain
  }
  if (for_waiting <= 0) return std::nullopt;
  return gain - cost;
}

RC_GTEST_PROP(RegeometryProperty, TheBestOfAllLayoutsIsChosen, ()) {
  const Case c = random_case();
  std::int64_t best = 0;  // to stay as it is
  for (const MigOccupancy wanted : c.grid.valid_sets()) {
    best = std::max(best, net_by_definition(c, wanted).value_or(0));
  }
  const auto chosen = best_layout(c.grid, c.pool, c.card, c.terms);
  RC_ASSERT((chosen ? chosen->net() : 0) == best);
  if (!chosen) return;
  RC_ASSERT(c.grid.is_valid(chosen->layout));
  RC_ASSERT(net_by_definition(c, chosen->layout) == std::optional(chosen->net()));
}

RC_GTEST_PROP(RegeometryProperty, WhatCannotComeFreeStays, ()) {
  Case c = random_case();
  c.card.free_in.fill(kNever);
  const auto chosen = best_layout(c.grid, c.pool, c.card, c.terms);
  if (chosen) RC_ASSERT((c.card.busy & ~chosen->layout) == 0U);
}

TEST(Regeometry, APlacementListIsASet) {
  const std::vector<std::uint8_t> placements = {0, 3, 63};
  EXPECT_EQ(layout_placements(layout_mask(placements)), placements);
  EXPECT_EQ(layout_mask(std::vector<std::uint8_t>{64, 200}), 0U);
}

// Seven small ones idle, one large one is asked for: the four that fit beside it stay.
TEST(Regeometry, WhatNeedNotGoStays) {
  const auto grid = *MigGeometry::create(testing::seven_slice_model({}));
  const MigProfileIndex small(0);
  const MigProfileIndex large = *grid.find_profile("3g.40gb");
  LayoutCard card;
  card.layout = grid.placements_of(small);
  PoolSupply pool{};
  pool[small.value()].open = 7;
  pool[large.value()].waiting = kHourMs;
  const auto chosen = best_layout(grid, pool, card, {kHourMs, kMinuteMs});
  ASSERT_TRUE(chosen.has_value());
  const MigOccupancy at_four = MigGeometry::bit(*grid.find_placement(large, 4));
  EXPECT_EQ(chosen->layout & grid.placements_of(large), at_four);
  EXPECT_EQ(std::popcount(chosen->layout & card.layout), 4);
  EXPECT_EQ(chosen->gain, 4 * (kHourMs - kMinuteMs));
  EXPECT_EQ(chosen->cost, 3 * kMinuteMs);
}

// Work of a minute is not worth a minute of switching.
TEST(Regeometry, LittleWorkIsNotWorthIt) {
  const auto grid = *MigGeometry::create(testing::seven_slice_model({}));
  const MigProfileIndex small(0);
  const MigProfileIndex large = *grid.find_profile("3g.40gb");
  LayoutCard card;
  card.layout = grid.placements_of(small);
  PoolSupply pool{};
  pool[small.value()].open = 7;
  pool[large.value()].waiting = 40 * kSecondMs;  // 160 slot-seconds against 180
  EXPECT_FALSE(best_layout(grid, pool, card, {kHourMs, kMinuteMs}).has_value());
  pool[large.value()].waiting = 50 * kSecondMs;
  EXPECT_TRUE(best_layout(grid, pool, card, {kHourMs, kMinuteMs}).has_value());
}

}  // namespace
}  // namespace berth::engine
