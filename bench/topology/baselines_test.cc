#include "bench/topology/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace berth::bench::topology {
namespace {

using ::testing::ElementsAre;

// Leaves: 0 with hosts 0 1 2, 1 with hosts 3 4, 2 with host 5.
class BaselinesTest : public testing::Test {
 protected:
  std::optional<Hosts> find(Baseline rule, int gpus) {
    return BaselinePlacer(rule, floor, 1).find({gpus, 1, 0});
  }

  Fabric fabric{{{"a", "P", "1"},
                 {"b", "P", "1"},
                 {"c", "P", "1"},
                 {"d", "P", "2"},
                 {"e", "P", "2"},
                 {"f", "P", "3"}}};
  Floor floor{fabric};
};

TEST_F(BaselinesTest, TakeTheFullestHostThatHoldsASmallJob) {
  floor.take(4, 3);
  floor.take(2, 5);
  EXPECT_THAT(*find(Baseline::kFirstFree, 3), ElementsAre(2));
  EXPECT_THAT(*find(Baseline::kLeafBestFit, 4), ElementsAre(4));
  EXPECT_THAT(*find(Baseline::kLeafBestFit, 8), ElementsAre(0));
}

TEST_F(BaselinesTest, SmallJobsGoWhereFewestHostsAreWhole) {
  EXPECT_THAT(*find(Baseline::kLeafBestFitSmall, 8), ElementsAre(5));
  floor.take(0, 4);
  floor.take(3, 4);
  EXPECT_THAT(*find(Baseline::kLeafBestFitSmall, 4), ElementsAre(3));
}

TEST_F(BaselinesTest, GangsTakeTheTightestLeaf) {
  EXPECT_THAT(*find(Baseline::kFirstFree, 16), ElementsAre(0, 1));
  EXPECT_THAT(*find(Baseline::kLeafBestFit, 16), ElementsAre(3, 4));
  EXPECT_THAT(*find(Baseline::kLeafBestFit, 12), ElementsAre(3, 4));
}

TEST_F(BaselinesTest, GangsThatNoLeafHoldsTakeTheLargestFirst) {
  EXPECT_THAT(*find(Baseline::kLeafBestFit, 32), ElementsAre(0, 1, 2, 5));
  EXPECT_THAT(*find(Baseline::kLeafBestFit, 40), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(BaselinesTest, RemaindersStayInTheLeafOnAPartHost) {
  floor.take(1, 4);
  EXPECT_THAT(*find(Baseline::kLeafBestFit, 20), ElementsAre(0, 2, 1));
}

TEST_F(BaselinesTest, WhatDoesNotFitIsNotPlaced) {
  floor.take(0, 1);
  for (const Baseline rule : {Baseline::kRandom, Baseline::kFirstFree, Baseline::kLeafBestFit}) {
    EXPECT_FALSE(find(rule, 48).has_value());
    EXPECT_TRUE(find(rule, 47).has_value());
    EXPECT_TRUE(find(rule, 40).has_value());
  }
}

TEST_F(BaselinesTest, RandomUsesDistinctHosts) {
  const auto hosts = find(Baseline::kRandom, 44);
  ASSERT_TRUE(hosts.has_value());
  EXPECT_EQ(std::set<HostIndex>(hosts->begin(), hosts->end()).size(), 6U);
}

TEST(HostSet, FindsTheNth) {
  HostSet set(200);
  for (const HostIndex host : {3U, 64U, 65U, 199U}) set.insert(host);
  set.erase(64);
  EXPECT_EQ(set.size(), 3U);
  EXPECT_EQ(set.at(0), 3U);
  EXPECT_EQ(set.at(2), 199U);
}

}  // namespace
}  // namespace berth::bench::topology
