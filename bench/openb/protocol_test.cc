#include "bench/openb/protocol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "bench/common/arguments.h"

namespace berth::bench::openb {
namespace {

Pod pod(std::string name, PodShape shape) { return {std::move(name), std::move(shape), 0, {}}; }

std::vector<Pod> equal_pods(std::size_t count, const PodShape& shape) {
  std::vector<Pod> pods;
  for (std::size_t i = 0; i < count; ++i) pods.push_back(pod("p" + std::to_string(i), shape));
  return pods;
}

const PodShape kWhole{1000, 1, 1000, {}};
const PodShape kCpuOnly{1000, 0, 0, {}};

TEST(Random, GivesThePublishedSequence) {
  // xoshiro256** from splitmix64(0), as other implementations of the two give it.
  Rng random(0);
  EXPECT_EQ(random.next(), 0x99ec5f36cb75f2b4U);
  EXPECT_EQ(random.next(), 0xbf6e1f784956452aU);
  EXPECT_EQ(random.next(), 0x1a5f849d4933e6e0U);
}

TEST(Random, BoundedDrawsAreUniform) {
  Rng random(7);
  std::vector<std::size_t> counts(10);
  for (std::size_t i = 0; i < 100'000; ++i) ++counts.at(random.below(10));
  for (const std::size_t count : counts) EXPECT_NEAR(static_cast<double>(count), 10'000, 400);
}

TEST(Arrivals, DependOnNamesAndSeedOnly) {
  std::vector<Pod> pods = equal_pods(50, kWhole);
  const auto first = arrivals(pods, 40'000, 42);
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(*first, *arrivals(pods, 40'000, 42));
  EXPECT_NE(*first, *arrivals(pods, 40'000, 43));
  std::reverse(pods.begin(), pods.end());
  const auto reversed = arrivals(pods, 40'000, 42);
  ASSERT_EQ(reversed->size(), first->size());
  for (std::size_t i = 0; i < first->size(); ++i) {
    EXPECT_EQ(pods[reversed->at(i)].name, "p" + std::to_string(first->at(i)));
  }
}

TEST(Arrivals, StartWithEveryPodOnceAndFillUpTo130Pct) {
  const std::vector<Pod> pods = equal_pods(10, kWhole);
  const auto order = arrivals(pods, 20'000, 42);
  ASSERT_TRUE(order) << order.error();
  EXPECT_EQ(order->size(), 26U);
  EXPECT_EQ(std::set<std::uint32_t>(order->begin(), order->begin() + 10).size(), 10U);
}

TEST(Arrivals, MayPassTheLimitByTheOtherGpusOfTheLastPod) {
  // Limit 1560: the second pod is tested with 1000 + 500 and counted with 1000 + 1000.
  const std::vector<Pod> pods = equal_pods(1, {0, 2, 500, {}});
  EXPECT_EQ(arrivals(pods, 1200, 42)->size(), 2U);
  // Limit 1300: 1000 + 500 is too much at once.
  EXPECT_EQ(arrivals(pods, 1000, 42)->size(), 1U);
}

TEST(Arrivals, OfATraceThatAsksForTooMuchAreThinned) {
  const std::vector<Pod> pods = equal_pods(20, kWhole);
  const auto order = arrivals(pods, 10'000, 42);
  ASSERT_TRUE(order) << order.error();
  EXPECT_EQ(order->size(), 13U);
  EXPECT_EQ(std::set<std::uint32_t>(order->begin(), order->end()).size(), 13U);
  const auto whole = arrivals(pods, 16'000, 42);  // limit 20.8: the same shuffle, nothing removed
  std::size_t next = 0;
  for (const std::uint32_t index : *whole) next += next < 13 && index == order->at(next) ? 1U : 0U;
  EXPECT_EQ(next, 13U) << "thinning must keep the order";
}

TEST(Arrivals, NeedAPodWithAGpu) { EXPECT_FALSE(arrivals(equal_pods(3, kCpuOnly), 1000, 42)); }

TEST(TypicalPods, CoverNinetyFivePctAndWeighOne) {
  std::vector<Pod> pods = equal_pods(90, kWhole);
  for (std::size_t i = 0; i < 5; ++i) pods.push_back(pod("c" + std::to_string(i), kCpuOnly));
  for (std::size_t i = 0; i < 5; ++i) {
    pods.push_back(pod("s" + std::to_string(i), {1000, 1, 500, {"T" + std::to_string(i)}}));
  }
  const std::vector<TypicalPod> typical = typical_pods(pods);
  ASSERT_EQ(typical.size(), 2U);
  EXPECT_EQ(typical[0].shape, kWhole);
  EXPECT_DOUBLE_EQ(typical[0].weight, 90.0 / 95);
  EXPECT_EQ(typical[1].shape, kCpuOnly);
  EXPECT_DOUBLE_EQ(typical[1].weight, 5.0 / 95);
  EXPECT_EQ(pod_shapes(pods).size(), 7U);
}

TEST(AllocationCurve, AveragesTheArrivalsOfARoundedRatio) {
  AllocationCurve curve(1000);
  curve.record(994, 900);  // 99
  curve.record(995, 901);  // 100
  curve.record(1004, 903);
  curve.record(1005, 950);  // 101
  EXPECT_DOUBLE_EQ(*curve.allocation_pct(100), 90.2);
  EXPECT_DOUBLE_EQ(*curve.allocation_pct(99), 90);
  EXPECT_DOUBLE_EQ(*curve.allocation_pct(98), 90) << "none at 98: its neighbours 97 and 99";
  EXPECT_FALSE(curve.allocation_pct(50));
}

// The counts that an independent implementation of the protocol found over its own ten seeds.
struct KnownCounts {
  std::string trace;
  std::size_t typical;
  std::size_t fewest_arrivals;
  std::size_t most_arrivals;
};

class KnownTrace : public testing::TestWithParam<KnownCounts> {};

TEST_P(KnownTrace, HasItsTypicalPodsAndArrivals) {
  const std::string folder = traces_folder() + "/openb";
  const auto traced = built_in_traces();
  const auto trace = std::find_if(traced.begin(), traced.end(), [](const BuiltInTrace& candidate) {
    return candidate.name == GetParam().trace;
  });
  ASSERT_NE(trace, traced.end());
  const std::string file = folder + "/" + std::string(trace->file);
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << "SKIPPED: openb/" << trace->file << " not found (set BERTH_TRACES)";
  }
  const auto nodes = read_built_in_nodes(folder);
  const auto pods = read_built_in_pods(folder, *trace);
  ASSERT_TRUE(nodes) << nodes.error();
  ASSERT_TRUE(pods) << pods.error();
  EXPECT_EQ(gpu_capacity_milli(*nodes), 6'212'000);
  EXPECT_EQ(typical_pods(*pods).size(), GetParam().typical);
  constexpr std::size_t kLuck = 100;  // other seeds, other counts
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSeeds; ++seed) {
    const auto order = arrivals(*pods, gpu_capacity_milli(*nodes), seed);
    ASSERT_TRUE(order) << order.error();
    EXPECT_GE(order->size() + kLuck, GetParam().fewest_arrivals);
    EXPECT_LE(order->size(), GetParam().most_arrivals + kLuck);
  }
}

INSTANTIATE_TEST_SUITE_P(Openb, KnownTrace,
                         testing::Values(KnownCounts{"default", 35, 10'741, 10'906},
                                         KnownCounts{"cpu250", 34, 12'394, 12'618},
                                         KnownCounts{"gpushare100", 21, 16'577, 16'742},
                                         KnownCounts{"gpuspec33", 124, 10'741, 10'906},
                                         KnownCounts{"multigpu20", 38, 9'396, 9'537},
                                         KnownCounts{"multigpu50", 43, 6'327, 6'568}),
                         [](const auto& test) { return test.param.trace; });

}  // namespace
}  // namespace berth::bench::openb
