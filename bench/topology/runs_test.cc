#include <gtest/gtest.h>

#include <mutex>

#include "bench/topology/comparison.h"
#include "bench/topology/summary.h"

namespace berth::bench::topology {
namespace {

// Two leaves of two hosts.
Fabric pair_of_leaves() {
  return Fabric({{"a", "P", "1"}, {"b", "P", "1"}, {"c", "P", "2"}, {"d", "P", "2"}});
}

// The first two jobs are not counted. The gang of three hosts waits until the first gang ends; the
// small job behind it does not.
const Sample kSample = {{8, 1'000, 0},    {8, 1'000, 10},     {16, 9'000, 2'000},
                        {24, 500, 3'000}, {8, 10'000, 4'000}, {4, 100, 5'000}};

TEST(Replay, BackfillsAndCountsWaits) {
  const auto figures = replay(pair_of_leaves(), kSample, Baseline::kLeafBestFit, 1);
  ASSERT_TRUE(figures.has_value());
  EXPECT_DOUBLE_EQ(figures->gang_wait_max_s, 8);  // until 11 s, when three hosts are free
  EXPECT_DOUBLE_EQ(figures->gang_wait_mean_s, 4);
  EXPECT_DOUBLE_EQ(figures->other_wait_mean_s, 0);
  EXPECT_DOUBLE_EQ(figures->leaves_over_min, 1);
  EXPECT_DOUBLE_EQ(figures->in_one_leaf_pct, 50);
}

TEST(Replay, SaysWhenAJobNeverStarts) {
  EXPECT_FALSE(replay(pair_of_leaves(), {{64, 1, 0}}, Baseline::kFirstFree, 1).has_value());
}

TEST(EngineRun, MeasuresTheSame) {
  const auto run = run_engine(pair_of_leaves(), kSample, {});
  ASSERT_TRUE(run.has_value()) << run.error().to_text();
  EXPECT_DOUBLE_EQ(run->figures.gang_wait_max_s, 8);
  EXPECT_DOUBLE_EQ(run->figures.other_wait_mean_s, 0);
  EXPECT_DOUBLE_EQ(run->figures.leaves_over_min, 1);
  EXPECT_GT(run->cost.cycles, 0U);
}

TEST(Comparison, PairsEveryPolicyOnTheSameSamples) {
  const Fabric fabric = pair_of_leaves();
  const std::vector<PoolJob> pool = {{1, 5'000}, {8, 60'000}, {16, 60'000}, {12, 1'000}};
  const Input input{fabric, pool, {{"P/0.85", 1, 300, 0.85}}, contestants({}), 2};
  std::size_t steps = 0;
  std::mutex mutex;
  const auto results = compare(input, [&](const std::string&) {
    const std::lock_guard lock(mutex);
    ++steps;
  });
  ASSERT_TRUE(results.has_value()) << results.error().to_text();
  EXPECT_EQ(steps, step_count(input));
  Report report("topology");
  add_rows(*results, input.policies, report);
  std::size_t leads = 0;
  for (const Row& row : report.rows()) {
    if (row.policy == "berth" && row.metric == "lead_random") ++leads;
    EXPECT_EQ(row.runs, 2U);
  }
  EXPECT_EQ(leads, 1U);
  EXPECT_NE(target_table(*results), "");
}

}  // namespace
}  // namespace berth::bench::topology
