#include "bench/preempt/play.h"

#include <gtest/gtest.h>

#include <utility>

namespace berth::bench::preempt {
namespace {

constexpr TimeMs kAsked = 30 * kHourMs + 20 * kMinuteMs;  // when urgent work comes
// Of 40 GiB at the rates of play.h, rounded up.
constexpr double kOutS = 25.007;
constexpr double kInS = 7.273;
constexpr double kCycleS = 1;  // between two cycles; from the beginning to the first one, too

Pool pool_of(int cards) { return {"A", {{cards, 128, 1}}}; }

Arrival spot(int gpus, TimeMs at = 0) { return {at, 60 * kHourMs, gpus, false, false}; }
Arrival urgent(int gpus) { return {kAsked, 2 * kHourMs, gpus, true, false}; }

Contestant taking() {
  Contestant contestant;
  contestant.policy.reclaim = {ReclaimRight::kGuarantee};
  return contestant;
}

Outcome played(int cards, std::vector<Arrival> load, CostModel cost,
               const Contestant& contestant = taking()) {
  auto outcome = play(pool_of(cards), std::move(load), cost, contestant);
  EXPECT_TRUE(outcome.has_value()) << outcome.error().to_text();
  return outcome ? std::move(*outcome) : Outcome{};
}

double gpu_h(double cards, double seconds) { return cards * seconds / 3'600; }

TEST(Measured, AGangLosesItsCheckpointAndItsRestart) {
  const Outcome run = played(8, {spot(8), urgent(8)}, CostModel::kMeasured);
  EXPECT_EQ(run.evictions, 1U);
  EXPECT_EQ(run.lost.recompute, 0);
  EXPECT_NEAR(run.lost.checkpoint, gpu_h(8, kOutS + kInS), 1e-4);
  EXPECT_NEAR(run.lost.drain, gpu_h(8, 1), 1e-9);
  EXPECT_EQ(run.lost.idle, 0);
  EXPECT_EQ(run.beyond_bound, 0U);
  ASSERT_EQ(run.urgent_waits.size(), 1U);
  EXPECT_NEAR(static_cast<double>(run.urgent_waits[0]), (kOutS + 1) * kSecondMs, 10);
}

// It starts with the first cycle, a second after the beginning: seven periods end between 24 h and
// 30 h 20 min, and 30 after two hours of waiting, until it has worked for 60 h, the time of its own
// checkpoints included.
TEST(Measured, PeriodsAndCardsAreCountedFromTheFirstDayOn) {
  const Outcome run = played(8, {spot(8), urgent(8)}, CostModel::kMeasured);
  EXPECT_EQ(run.periods, 7U + 30U);
  EXPECT_TRUE(run.spot_waits.empty());  // it came on the first day
  const double own_s = run.own_saving / 8 * 3'600;
  EXPECT_NEAR(run.capacity, 8 * 7 * 24, 1e-9);
  const double held_h = 36 + 2 + (own_s + 24 * kOutS + kOutS + kInS + 1) / 3'600;
  EXPECT_NEAR(run.held, 8 * held_h, 0.1);
}

TEST(Measured, AJobOfOneCardIsSuspended) {
  const Outcome run = played(1, {spot(1), urgent(1)}, CostModel::kMeasured);
  EXPECT_EQ(run.evictions, 1U);
  EXPECT_EQ(run.lost.recompute, 0);
  EXPECT_NEAR(run.lost.checkpoint, gpu_h(1, kOutS + kInS), 1e-4);
}

// It works on until it is killed 15 s after its checkpoint should have been there.
TEST(Measured, WhoNeverAnswersLosesItsWork) {
  Arrival silent = spot(8);
  silent.silent = true;
  const Outcome run = played(8, {silent, urgent(8)}, CostModel::kMeasured);
  EXPECT_GT(run.lost.recompute, gpu_h(8, 60));
  EXPECT_LT(run.lost.recompute, gpu_h(8, 3'600 + kOutS + 15));
  EXPECT_NEAR(run.lost_silent, run.lost.sum(), 1e-9);
  EXPECT_EQ(run.beyond_bound, 0U);
}

// The card of the job that has just begun is free at once and waits for that of the other.
TEST(Measured, CardsThatWaitForOthersCount) {
  const Outcome run =
      played(2, {spot(1), spot(1, kAsked - 2 * kSecondMs), urgent(2)}, CostModel::kMeasured);
  EXPECT_EQ(run.evictions, 2U);
  EXPECT_NEAR(run.lost.idle, gpu_h(1, kOutS - 1), 0.002);
  EXPECT_EQ(run.beyond_bound, 0U);
}

TEST(Recompute, TheTimeSinceTheLastHourIsLostAndARestart) {
  const Outcome run = played(8, {spot(8), urgent(8)}, CostModel::kRecompute);
  EXPECT_EQ(run.evictions, 1U);
  EXPECT_NEAR(run.lost.recompute, gpu_h(8, 20 * 60 - kCycleS), 1e-9);
  EXPECT_NEAR(run.lost.checkpoint, gpu_h(8, 40), 1e-9);
  EXPECT_EQ(run.own_saving, 0);
  ASSERT_EQ(run.urgent_waits.size(), 1U);
  EXPECT_EQ(run.urgent_waits[0], static_cast<DurationMs>(kCycleS) * kSecondMs);
}

TEST(FixedParts, NothingIsBorrowedOrTakenBack) {
  Contestant contestant;
  contestant.split = Split::kFixed;  // seven cards and one
  const Outcome run = played(8, {spot(1), spot(1, kCountedFrom), urgent(8), urgent(7)},
                             CostModel::kMeasured, contestant);
  EXPECT_EQ(run.evictions, 0U);
  EXPECT_EQ(run.lost.sum(), 0);
  ASSERT_EQ(run.urgent_waits.size(), 2U);
  ASSERT_EQ(run.spot_waits.size(), 1U);
  EXPECT_GT(run.spot_waits[0], 30 * kHourMs);
}

TEST(Figures, AreOfAllPoolsTogether) {
  Outcome fleet;
  fleet.urgent_waits = {0, 60'000, 61'000};
  fleet.evictions = 1;
  fleet.periods = 2;
  fleet.held = 80;
  fleet.capacity = 100;
  fleet.lost = {4, 3, 2, 1};
  Outcome other;
  other.urgent_waits = {1'000};
  other.evictions = 1;
  other.held = 10;
  other.capacity = 100;
  fleet.add(other);
  const Figures figures = figures_of(fleet);
  EXPECT_DOUBLE_EQ(figures.eviction_rate, 0.5);
  EXPECT_DOUBLE_EQ(figures.hp_within_60s_pct, 75);
  EXPECT_DOUBLE_EQ(figures.hp_queue_p99_s, 61);
  EXPECT_DOUBLE_EQ(figures.hp_queue_mean_s, 30.5);
  EXPECT_DOUBLE_EQ(figures.alloc_pct, 45);
  EXPECT_DOUBLE_EQ(figures.lost_gpu_h, 10);
  EXPECT_DOUBLE_EQ(figures.lost_drain_gpu_h, 3);
  EXPECT_DOUBLE_EQ(figures.useful_pct, 40.5);  // who is promised a card does not hold it yet
}

}  // namespace
}  // namespace berth::bench::preempt
