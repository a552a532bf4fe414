#include "engine/quota/fair_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "engine/quota/max_min.h"

namespace berth::engine {
namespace {

using ::testing::ElementsAre;

constexpr CardUnits kHuge = std::numeric_limits<CardUnits>::max();

ShareNode queue(CardUnits guarantee, std::uint32_t weight, CardUnits demand) {
  return {.guarantee = guarantee, .weight = weight, .demand = demand};
}
ShareNode child_of(std::size_t parent, ShareNode node) {
  node.parent = parent;
  return node;
}
ShareNode at_most(CardUnits limit, ShareNode node) {
  node.limit = limit;
  return node;
}
ShareNode having_used(CardUnits history, ShareNode node) {
  node.history = history;
  return node;
}

TEST(FairShare, NothingToDivide) {
  EXPECT_THAT(fair_shares({}), ElementsAre());
  EXPECT_THAT(fair_shares({.nodes = {queue(5, 1, 5)}, .capacity = 0}), ElementsAre(0));
  EXPECT_THAT(fair_shares({.nodes = {queue(5, 1, 0)}, .capacity = 9}), ElementsAre(0));
}

TEST(FairShare, IdleCapacityGoesByWeightToWhoDemandsIt) {
  // 12 idle: the first wants only 1 above its guarantee, the others have 11 by 1 : 2 and are cut to
  // 3 and 7; with one more unit they would stand at 4/1 and 8/2, so that it goes to the heavier.
  EXPECT_THAT(
      fair_shares({.nodes = {queue(4, 5, 5), queue(2, 1, 90), queue(0, 2, 90)}, .capacity = 18}),
      ElementsAre(5, 5, 8));
}

TEST(FairShare, AnUnusedGuaranteeIsIdle) {
  EXPECT_THAT(fair_shares({.nodes = {queue(60, 1, 10), queue(40, 1, 200)}, .capacity = 100}),
              ElementsAre(10, 90));
}

TEST(FairShare, EqualQueuesDifferByOneUnitInTheOrderGiven) {
  const ShareNode q = queue(0, 3, 100);
  EXPECT_THAT(fair_shares({.nodes = {q, q, q}, .capacity = 8}), ElementsAre(3, 3, 2));
}

TEST(FairShare, WithoutWeightOnlyWhatSiblingsLeave) {
  const std::vector<ShareNode> nodes = {queue(2, 0, 50), queue(0, 1, 6), queue(0, 0, 50)};
  EXPECT_THAT(fair_shares({.nodes = nodes, .capacity = 7}), ElementsAre(2, 5, 0));
  EXPECT_THAT(fair_shares({.nodes = nodes, .capacity = 19}), ElementsAre(8, 6, 5));
}

TEST(FairShare, TwoLevelsDivideOneAfterTheOther) {
  // The teams' guarantees: 10 (of the children, 6 + 4) and 20. 30 idle, half each: 25 and 35.
  // First team: 6 + 4 are guaranteed, 15 by 2 : 1. Second: the children's guarantees are 5 + 0, the
  // own jobs have the other 15; 15 are idle, by 1 : 1 : 1.
  const ShareTree tree{.nodes = {queue(0, 1, 0), queue(20, 1, 99), child_of(0, queue(6, 2, 99)),
                                 child_of(0, queue(4, 1, 99)), child_of(1, queue(5, 1, 99)),
                                 child_of(1, queue(0, 1, 99))},
                       .capacity = 60};
  EXPECT_THAT(fair_shares(tree), ElementsAre(25, 35, 16, 9, 10, 5));
}

TEST(FairShare, AChildsUnusedGuaranteeServesItsSiblingsFirst) {
  const ShareTree tree{.nodes = {queue(10, 1, 0), queue(0, 100, 99), child_of(0, queue(6, 1, 1)),
                                 child_of(0, queue(4, 1, 99))},
                       .capacity = 10};
  EXPECT_THAT(fair_shares(tree), ElementsAre(10, 0, 1, 9));
}

TEST(FairShare, LimitsCutTheDemandOfASubtree) {
  // The first team may hold 20: its children's 99 + 8 (a limit) + 3 of its own are cut to that.
  const ShareTree tree{
      .nodes = {at_most(20, queue(0, 1, 3)), queue(0, 1, 50), child_of(0, queue(0, 1, 99)),
                child_of(0, at_most(8, queue(0, 1, 99)))},
      .capacity = 100};
  EXPECT_THAT(fair_shares(tree), ElementsAre(20, 50, 9, 8));
}

TEST(FairShare, ALimitOutranksGuarantees) {
  const ShareTree tree{.nodes = {at_most(9, queue(0, 1, 0)), child_of(0, queue(20, 1, 99)),
                                 child_of(0, queue(10, 1, 99))},
                       .capacity = 100};
  EXPECT_THAT(fair_shares(tree), ElementsAre(9, 6, 3));
}

TEST(FairShare, OverPromiseScalesGuaranteesByThemselves) {
  // 60 of 100 promised are there; the third demands only 3 of its 20, and 57 go by 50 : 30.
  // Weights count nothing: 35.6 and 21.4.
  EXPECT_THAT(fair_shares({.nodes = {queue(50, 1, 99), queue(30, 900, 99), queue(20, 1, 3),
                                     queue(0, 900, 99)},
                           .capacity = 60}),
              ElementsAre(36, 21, 3, 0));
}

TEST(FairShare, OverPromiseReachesTheChildren) {
  const ShareTree tree{.nodes = {queue(40, 1, 99), queue(20, 1, 99), child_of(0, queue(30, 1, 99))},
                       .capacity = 30};
  EXPECT_THAT(fair_shares(tree), ElementsAre(20, 10, 15));
}

TEST(FairShare, HistoryCountsAsHeldAlready) {
  const std::vector<ShareNode> nodes = {having_used(40, queue(0, 1, 99)),
                                        having_used(0, queue(0, 1, 99))};
  EXPECT_THAT(fair_shares({.nodes = nodes, .capacity = 60}), ElementsAre(30, 30));
  EXPECT_THAT(fair_shares({.nodes = nodes, .capacity = 60, .history_ppm = 500'000}),
              ElementsAre(20, 40));
  EXPECT_THAT(fair_shares({.nodes = nodes, .capacity = 60, .history_ppm = kPpmOne}),
              ElementsAre(10, 50));
  EXPECT_THAT(fair_shares({.nodes = nodes, .capacity = 30, .history_ppm = kPpmOne}),
              ElementsAre(0, 30));
}

TEST(FairShare, HistoryTakesNoGuarantee) {
  EXPECT_THAT(fair_shares({.nodes = {having_used(1'000, queue(20, 1, 99)), queue(0, 1, 99)},
                           .capacity = 60,
                           .history_ppm = kPpmOne}),
              ElementsAre(20, 40));
}

TEST(FairShare, HistoryThatNoChildHasIsOfOwnJobs) {
  // 30 of the team's 40 are of its own jobs, so that these start from 30 and the child from 10.
  const ShareTree tree{
      .nodes = {having_used(40, queue(0, 1, 99)), child_of(0, having_used(10, queue(0, 1, 99)))},
      .capacity = 60,
      .history_ppm = kPpmOne};
  EXPECT_THAT(fair_shares(tree), ElementsAre(60, 40));
}

TEST(FairShare, TheLargestNumbersDoNotOverflow) {
  const ShareNode greedy =
      having_used(kHuge, queue(kHuge, std::numeric_limits<std::uint32_t>::max(), kHuge));
  const ShareTree tree{.nodes = {greedy, greedy, child_of(0, greedy), child_of(0, greedy)},
                       .capacity = kHuge,
                       .history_ppm = kHuge};
  const CardUnits half = kHuge / 2;
  EXPECT_THAT(fair_shares(tree), ElementsAre(half + 1, half, half / 2 + 1, half / 2 + 1));
}

TEST(MaxMin, NobodyGetsLessThanItsExactShareRoundedDown) {
  // Exactly 0.9 each of the light ones and 7.2 of the heavy one.
  const MaxMinClaim light{.weight = 1, .room = 9};
  const std::vector<MaxMinClaim> claims = {light, light, {.weight = 8, .room = 9}};
  EXPECT_THAT(weighted_max_min(claims, 9), ElementsAre(1, 0, 8));
}

TEST(MaxMin, GivesNoMoreThanThereIsRoomFor) {
  const std::vector<MaxMinClaim> claims = {{.weight = 1, .room = 2}, {.weight = 0, .room = 3}};
  EXPECT_THAT(weighted_max_min(claims, 9), ElementsAre(2, 3));
}

}  // namespace
}  // namespace berth::engine
