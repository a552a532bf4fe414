#include "bench/topology/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "bench/common/arguments.h"
#include "bench/topology/trace.h"

namespace berth::bench::topology {
namespace {

using ::testing::HasSubstr;

// Leaves of 3, 2 and 1 hosts; the second block repeats the name of a leaf switch.
Fabric small_fabric() {
  return Fabric({{"a", "P1", "S1"},
                 {"b", "P1", "S1"},
                 {"c", "P1", "S1"},
                 {"d", "P1", "S2"},
                 {"e", "P1", "S2"},
                 {"f", "P2", "S1"}});
}

TEST(Fabric, LeafIsThePairOfNames) {
  const Fabric fabric = small_fabric();
  EXPECT_EQ(fabric.leaves(), 3U);
  EXPECT_NE(fabric.leaf_of(0), fabric.leaf_of(5));
  EXPECT_EQ(fabric.cards(), 48U);
}

TEST(Fabric, LeastLeavesAreTheLargestFirst) {
  const Fabric fabric = small_fabric();
  const std::size_t expected[] = {0, 1, 1, 1, 2, 2, 3};
  for (std::size_t hosts = 0; hosts <= 6; ++hosts) {
    EXPECT_EQ(fabric.least_leaves(hosts), expected[hosts]) << hosts;
  }
}

TEST(Fabric, CountsTheLeavesOfHosts) {
  const Fabric fabric = small_fabric();
  const HostIndex hosts[] = {5, 0, 2};
  EXPECT_EQ(fabric.leaves_spanned(hosts), 2U);
}

TEST(Fabric, IsReadByItsColumns) {
  const auto rows = parse_fabric("ip,DSW,PSW,ASW\nx,G,P1,S7\n", "topo.csv");
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->front().psw, "P1");
  EXPECT_EQ(rows->front().asw, "S7");
  const auto bad = parse_fabric("ip,DSW,PSW,ASW\nx,G,P1\n", "topo.csv");
  ASSERT_FALSE(bad.has_value());
  EXPECT_THAT(bad.error().to_text(), HasSubstr("topo.csv line 2"));
}

TEST(Sample, HasExactlyTheStatedLoad) {
  const std::vector<PoolJob> pool = {{1, 5'000}, {8, 60'000}, {12, 3'600'000}, {128, 1'000}};
  for (const double load : {0.5, 0.85, 0.95}) {
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      const Sample sample = make_sample(pool, {"x", 1, 5'000, load}, 800, seed);
      double work = 0;
      for (const Arrival& job : sample) {
        work += static_cast<double>(job.gpus) * static_cast<double>(job.run_ms);
      }
      // to the half ms to which the last arrival is rounded
      const double until = work / (load * 800);
      EXPECT_LE(std::abs(static_cast<double>(sample.back().at) - until), 0.5 + 1e-6 * until / 1e3);
    }
  }
}

TEST(Sample, OfOneSeedDiffersBetweenLoadsInTheRateAlone) {
  const std::vector<PoolJob> pool = {{1, 5'000}, {8, 60'000}};
  const Sample light = make_sample(pool, {"x", 1, 100, 0.5}, 80, 7);
  const Sample heavy = make_sample(pool, {"x", 1, 100, 1.0}, 80, 7);
  for (std::size_t i = 0; i < light.size(); ++i) {
    EXPECT_EQ(light[i].gpus, heavy[i].gpus);
    EXPECT_NEAR(static_cast<double>(light[i].at), 2 * static_cast<double>(heavy[i].at), 1.5);
  }
}

TEST(Sample, OfLargeJobsHasNoOthers) {
  const std::vector<PoolJob> pool = {{1, 5'000}, {8, 60'000}, {16, 60'000}};
  for (const Arrival& job : make_sample(pool, {"G", 8, 200, 0.9}, 80, 3)) EXPECT_GE(job.gpus, 8);
}

TEST(Arrival, KnowsItsHosts) {
  EXPECT_EQ((Arrival{12, 1, 0}.hosts()), 2);
  EXPECT_EQ((Arrival{16, 1, 0}.hosts()), 2);
  EXPECT_TRUE((Arrival{12, 1, 0}.is_gang()));
  EXPECT_FALSE((Arrival{8, 1, 0}.is_gang()));
}

TEST(PublishedMap, HasTheLeavesThatItsPaperStates) {
  const std::string folder = traces_folder();
  if (!std::filesystem::exists(folder + "/" + kFabricFile)) {
    GTEST_SKIP() << kFabricFile << " not found (set BERTH_TRACES)";
  }
  const auto fabric = read_fabric(folder);
  ASSERT_TRUE(fabric.has_value()) << fabric.error().to_text();
  EXPECT_EQ(fabric->hosts(), 847U);
  EXPECT_EQ(fabric->leaves(), 119U);
  EXPECT_EQ(fabric->least_leaves(8), 1U);
  EXPECT_EQ(fabric->least_leaves(16), 2U);
  EXPECT_EQ(fabric->least_leaves(544), 68U);  // all leaves of eight
  EXPECT_EQ(fabric->least_leaves(545), 69U);
}

}  // namespace
}  // namespace berth::bench::topology
