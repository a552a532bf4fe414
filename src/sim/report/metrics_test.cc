#include "sim/report/metrics.h"

#include <gtest/gtest.h>

#include "sim/report/testing.h"

namespace berth::sim {
namespace {

Metric metric_of(Unit unit, Better better, std::vector<double> values) {
  return {"name", "label", unit, better, std::move(values)};
}

TEST(Metrics, SharesOfATinyRun) {
  const RunResult run = tiny_run();
  EXPECT_DOUBLE_EQ(allocated_share(run), 5.5 / 8);
  EXPECT_DOUBLE_EQ(unschedulable_share_by_cause(run)[0], 0.25 / 12);
  EXPECT_DOUBLE_EQ(unschedulable_share(run), 1.9375 / 12);
}

TEST(Metrics, AnEmptyRunHasNoUndefinedShare) {
  const RunResult run;
  EXPECT_EQ(allocated_share(run), 0);
  EXPECT_EQ(unschedulable_share(run), 0);
  for (const Metric& metric : headline({&run, 1})) EXPECT_EQ(metric.values.front(), 0);
}

TEST(Metrics, DirectionDecidesWhatIsBetter) {
  const Metric share = metric_of(Unit::kShare, Better::kHigher, {0.881, 0.913});
  EXPECT_EQ(difference(share, 1).text, "+3.2 points");
  EXPECT_EQ(difference(share, 1).verdict, Verdict::kBetter);

  const Metric wait = metric_of(Unit::kDurationMs, Better::kLower, {600'000, 725'000});
  EXPECT_EQ(difference(wait, 1).text, "+2 min 05 s (+20.8 %)");
  EXPECT_EQ(difference(wait, 1).verdict, Verdict::kWorse);

  const Metric running = metric_of(Unit::kCount, Better::kNeither, {10, 8});
  EXPECT_EQ(difference(running, 1).verdict, Verdict::kNeutral);
}

TEST(Metrics, WhatReadsEqualIsTheSame) {
  const Metric share = metric_of(Unit::kShare, Better::kHigher, {0.91301, 0.91304});
  EXPECT_EQ(difference(share, 1).text, "same");
  EXPECT_EQ(difference(share, 1).verdict, Verdict::kSame);
}

TEST(Metrics, NoRelativeDifferenceToZero) {
  const Metric jobs = metric_of(Unit::kCount, Better::kLower, {0, 3});
  EXPECT_EQ(difference(jobs, 1).text, "+3");
}

TEST(Metrics, HeadlineHasOneValuePerRun) {
  const RunResult runs[] = {tiny_run(), tiny_run(), tiny_run()};
  for (const Metric& metric : headline(runs)) {
    EXPECT_EQ(metric.values.size(), 3U) << metric.name;
    EXPECT_EQ(difference(metric, 2).verdict, Verdict::kSame) << metric.name;
  }
}

}  // namespace
}  // namespace berth::sim
