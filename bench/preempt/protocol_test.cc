#include "bench/preempt/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bench/common/arguments.h"
#include "bench/preempt/trace.h"

namespace berth::bench::preempt {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTable =
    "gpu_model,gpu_capacity_num,cpu_num,node_name\n"
    "A,1,16,0\nB,8,128,1\nA,4,64,2\nA,1,16,3\n";

std::vector<PoolJob> some_jobs() {
  return {{1, 20 * kMinuteMs}, {1, 3 * kHourMs}, {2, kHourMs}, {8, 10 * kHourMs}, {12, kHourMs}};
}

Pool some_pool() { return {"A", {{8, 128, 40}, {1, 16, 80}}}; }

// Cards that the jobs would use on average in the counted time, if each ran when it came.
double demand(const std::vector<Arrival>& load, bool urgent) {
  double sum = 0;
  for (const Arrival& job : load) {
    const TimeMs from = std::max(job.at, kCountedFrom);
    const TimeMs to = std::min(job.at + job.run_ms, kCountedTo);
    if (job.urgent == urgent && to > from) sum += static_cast<double>(to - from) * job.gpus;
  }
  return sum / static_cast<double>(kCountedTo - kCountedFrom);
}

TEST(Pools, AreNodesOfOneModelTheLargestFirst) {
  const auto pools = parse_pools(kTable, "nodes.csv");
  ASSERT_TRUE(pools.has_value());
  ASSERT_EQ(pools->size(), 2U);
  EXPECT_EQ(pools->front().model, "B");
  const Pool& small = pools->back();
  EXPECT_EQ(small.cards(), 6U);
  EXPECT_EQ(small.nodes(), 3U);
  ASSERT_EQ(small.shapes.size(), 2U);
  EXPECT_EQ(small.shapes.front().cards, 4);
  EXPECT_EQ(small.shapes.back().nodes, 2U);
}

TEST(Pools, RefuseANodeWithoutCards) {
  const auto pools =
      parse_pools("gpu_model,gpu_capacity_num,cpu_num,node_name\nA,0,16,0\n", "nodes.csv");
  ASSERT_FALSE(pools.has_value());
  EXPECT_THAT(pools.error().to_text(), HasSubstr("nodes.csv line 2: gpu_capacity_num is 0"));
}

TEST(Pools, PartKeepsTheShapesInProportion) {
  const Pool part = part_of(some_pool(), 30);
  ASSERT_EQ(part.shapes.size(), 2U);
  EXPECT_EQ(part.shapes.front().nodes, 10U);
  EXPECT_EQ(part.shapes.back().nodes, 20U);
  EXPECT_EQ(part_of(some_pool(), 120).cards(), some_pool().cards());
}

TEST(Pools, AreSixOf10412Cards) {
  if (!std::filesystem::exists(traces_folder() + "/" + kNodesFile)) {
    GTEST_SKIP() << "the traces are absent: " << traces_folder();
  }
  const auto pools = read_pools(traces_folder());
  ASSERT_TRUE(pools.has_value());
  std::size_t cards = 0;
  for (const Pool& pool : *pools) cards += pool.cards();
  EXPECT_EQ(pools->size(), 6U);
  EXPECT_EQ(cards, 10'412U);
}

TEST(Sizes, AreCutToTheNodeAndLargeOnesAreWorkersOfEight) {
  EXPECT_EQ(size_on(4, 1), 1);
  EXPECT_EQ(size_on(32, 4), 4);
  EXPECT_EQ(size_on(4, 8), 4);
  EXPECT_EQ(size_on(12, 8), 16);
  EXPECT_EQ(size_on(64, 8), 64);
}

TEST(Load, IsWhatTheProtocolSays) {
  const auto cards = static_cast<double>(some_pool().cards());
  double urgent = 0;
  double spot = 0;
  constexpr int kRuns = 10;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const auto load = make_load(some_jobs(), some_pool(), kCountedTo, seed);
    urgent += demand(load, true) / cards / kRuns;
    spot += demand(load, false) / cards / kRuns;
  }
  EXPECT_NEAR(urgent, 0.70, 0.02);
  EXPECT_NEAR(spot, 0.40, 0.02);
}

// The mean of the sine over half a day is 2 / pi of its height.
TEST(Load, UrgentWorkFollowsTheDayAndSpotWorkDoesNot) {
  double first_half[2] = {};
  double second_half[2] = {};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const Arrival& job : make_load(some_jobs(), some_pool(), kCountedTo, seed)) {
      if (job.at == 0) continue;  // there from the beginning
      (job.at % kDayMs < kDayMs / 2 ? first_half : second_half)[job.urgent ? 1 : 0] += 1;
    }
  }
  const double swing = 2 / 3.14159 * 0.2 / 0.7;
  EXPECT_NEAR(first_half[1] / second_half[1], (1 + swing) / (1 - swing), 0.05);
  EXPECT_NEAR(first_half[0] / second_half[0], 1, 0.05);
}

TEST(Load, OnlySpotJobsOfSeveralCardsNeverAnswer) {
  double several = 0;
  double silent = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const Arrival& job : make_load(some_jobs(), some_pool(), kCountedTo, seed)) {
      if (job.silent) {
        EXPECT_TRUE(!job.urgent && job.gpus > 1);
      }
      several += !job.urgent && job.gpus > 1 ? 1 : 0;
      silent += job.silent ? 1 : 0;
    }
  }
  EXPECT_NEAR(silent / several, 0.05, 0.01);
}

TEST(Load, IsByTimeAndDependsOnTheSeedAlone) {
  const auto load = make_load(some_jobs(), some_pool(), kCountedTo, 3);
  EXPECT_TRUE(std::is_sorted(load.begin(), load.end(),
                             [](const Arrival& a, const Arrival& b) { return a.at < b.at; }));
  EXPECT_EQ(load, make_load(some_jobs(), some_pool(), kCountedTo, 3));
  EXPECT_NE(load, make_load(some_jobs(), some_pool(), kCountedTo, 4));
}

}  // namespace
}  // namespace berth::bench::preempt
