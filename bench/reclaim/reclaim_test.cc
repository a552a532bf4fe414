// The reclaims of the comparison are what they claim to be.
#include <gtest/gtest.h>

#include "bench/reclaim/measure.h"

namespace berth::bench::reclaim {
namespace {

TEST(Reclaim, OfSinglesTakesExactlyTheNodesOfTheGang) {
  const CaseSpec spec{"50", 50, Victims::kSingles, Wish::kAnywhere};
  const Outcome outcome = measure(spec, 1);
  EXPECT_EQ(outcome.tasks, 5U);
  EXPECT_EQ(outcome.victims, 40U);
  EXPECT_EQ(outcome.cards, 40U);
}

TEST(Reclaim, OfGangsTakesNoMoreCardsThanTheLargestVictimIsTooLarge) {
  const CaseSpec spec{"160", 160, Victims::kMixed, Wish::kAnywhere};
  const Outcome outcome = measure(spec, 1);
  EXPECT_EQ(outcome.tasks, 16U);
  EXPECT_GE(outcome.cards, 128U);
  EXPECT_LT(outcome.cards, 128U + 64U);
}

TEST(Reclaim, SegmentsFindTheirLeaves) {
  const CaseSpec spec{"160", 160, Victims::kMixed, Wish::kSegments};
  const Outcome outcome = measure(spec, 1);
  EXPECT_EQ(outcome.tasks, 16U);
  EXPECT_GE(outcome.cards, 128U);
}

}  // namespace
}  // namespace berth::bench::reclaim
