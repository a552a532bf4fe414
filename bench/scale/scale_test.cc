// The generator says what the comparison claims of it, and a small fleet is filled as a large one.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "bench/scale/counted.h"
#include "bench/scale/jobs.h"
#include "bench/scale/load.h"
#include "bench/scale/measure.h"
#include "model/serial.h"

namespace berth::bench::scale {
namespace {

Size small() { return Size{kPods * kNodesPerLeaf}; }

TEST(ScaleTenants, AreAThousandQueuesInThreeLevelsOverAllCards) {
  const auto tenants = tenants_of(small());
  ASSERT_TRUE(tenants.has_value());
  EXPECT_EQ(tenants->projects.size(), 1000U);
  EXPECT_EQ(tenants->models.size(), 3U);
  std::size_t cards = 0;
  std::set<std::string> leaves;
  for (const NodeSpec& node : tenants->nodes) {
    cards += node.cards.size();
    leaves.insert(node.domains.front().second);
  }
  EXPECT_EQ(cards, small().cards());
  EXPECT_EQ(leaves.size(), small().nodes / kNodesPerLeaf);
  EXPECT_FALSE(tenants_of(Size{100}).has_value());
}

TEST(ScaleTenants, AtFullSizeTheyAreThoseOfTheIssue) {
  const Size size;
  EXPECT_EQ(size.cards(), 131'072U);
  EXPECT_EQ(size.running(), 100'000U);
  EXPECT_EQ(size.pending(), 50'000U);
}

TEST(ScaleJobs, AskForTwoHundredShapesAndOneInTenIsAGang) {
  std::set<std::string> shapes;
  for (const Kind& kind : catalogue()) shapes.insert(serial::to_bytes(task_request(kind.role)));
  EXPECT_GE(shapes.size(), 200U);  // shares of several trust domains make more of them
  const auto tenants = tenants_of(small());
  ASSERT_TRUE(tenants.has_value());
  Draws draws(*tenants);
  int gangs = 0;
  for (int i = 0; i < 2000; ++i) {
    const JobSpecPtr spec = draws.waiting();
    const bool gang = spec->roles[0].count > 1;
    EXPECT_EQ(gang, !spec->roles[0].topology.empty());
    gangs += gang ? 1 : 0;
  }
  EXPECT_NEAR(gangs, 200, 40);
}

TEST(ScaleFill, HardlyACardIsFreeAndTheSeedDecidesAll) {
  const auto tenants = tenants_of(small());
  ASSERT_TRUE(tenants.has_value());
  std::string first;
  for (int i = 0; i < 2; ++i) {
    Draws draws(*tenants);
    Progress progress("scale", kFillSteps);
    Cluster cluster;
    fill(cluster, *tenants, small(), draws, progress);
    EXPECT_GT(allocated_pct(cluster.state()), 95.0);
    EXPECT_EQ(cluster.state().pending().size(), small().pending());
    const std::string bytes = cluster.state().save();
    EXPECT_EQ(i == 0 ? bytes : first, bytes);
    first = bytes;
  }
}

TEST(ScaleQuantiles, AreOfTheValuesThemselves) {
  const Quantiles quantiles = quantiles_of({3, 1, 2});
  EXPECT_EQ(quantiles.median, 2);
  EXPECT_EQ(quantiles.most, 3);
}

}  // namespace
}  // namespace berth::bench::scale
