// Which policy holds where: everywhere, on trial in one pool, and back.
#include "engine/decide_trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/decide.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;
using ::testing::HasSubstr;

PolicySpec policy(const std::string& name) {
  PolicySpec spec;
  spec.name = name;
  return spec;
}

class Trials : public ::testing::Test {
 protected:
  Trials() {
    for (const char* name : {"research", "serving"}) {
      PartitionSpec partition;
      partition.name = name;
      EXPECT_EQ(run(DeclarePartition{partition}), "");
    }
    EXPECT_EQ(run(SetPolicy{policy("first"), {}}), "");
  }
  // The error, or nothing.
  std::string run(CommandBody body) {
    const auto events = decide(state, {std::move(body), {}, {}}, 0);
    if (!events) return events.error().to_text();
    for (const Event& event : *events) state.apply(event);
    return "";
  }
  std::string in(const std::string& pool) {
    const auto partition = pool_of(state, pool);
    EXPECT_TRUE(partition) << pool;
    const PolicyScope scope(state.policies(), *partition);
    return state.policy().name;
  }

  ClusterState state;
};

TEST_F(Trials, HoldInTheirPoolOnlyAndEndByOneCommand) {
  EXPECT_EQ(run(SetPolicy{policy("second"), "research"}), "");
  EXPECT_EQ(in("research"), "second");
  EXPECT_EQ(in("serving"), "first");
  EXPECT_EQ(in("default"), "first");
  EXPECT_EQ(state.policy().name, "first") << "outside of any scope";
  EXPECT_EQ(run(SetPolicy{policy("third"), "default"}), "");
  EXPECT_EQ(in("default"), "third");
  EXPECT_EQ(run(RestorePolicy{"research"}), "");
  EXPECT_EQ(in("research"), "first");
  EXPECT_EQ(in("default"), "third") << "another trial goes on";
}

TEST_F(Trials, APolicyForAllEndsThemAndTheOneBeforeComesBack) {
  EXPECT_EQ(run(SetPolicy{policy("second"), "research"}), "");
  EXPECT_EQ(run(SetPolicy{policy("third"), {}}), "");
  EXPECT_EQ(in("research"), "third");
  EXPECT_EQ(run(RestorePolicy{{}}), "");
  EXPECT_EQ(in("research"), "first");
  EXPECT_EQ(run(RestorePolicy{{}}), "") << "and back again";
  EXPECT_EQ(in("serving"), "third");
}

TEST_F(Trials, AreSavedAndACopyIsInNobodysScope) {
  EXPECT_EQ(run(SetPolicy{policy("second"), "research"}), "");
  EXPECT_EQ(run(SetPolicy{policy("third"), "default"}), "");
  const auto loaded = ClusterState::load(state.save());
  ASSERT_TRUE(loaded) << loaded.error().to_text();
  EXPECT_EQ(loaded->save(), state.save());
  EXPECT_EQ(loaded->policies().in(*pool_of(*loaded, "research"))->name, "second");
  EXPECT_EQ(loaded->policies().in(PartitionIndex::none())->name, "third");
  const PolicyScope scope(state.policies(), *pool_of(state, "research"));
  const ClusterState copy = state;
  EXPECT_EQ(state.policy().name, "second");
  EXPECT_EQ(copy.policy().name, "first");
}

TEST_F(Trials, WhatCannotBeTriedOrTakenBackIsSaid) {
  EXPECT_THAT(run(SetPolicy{policy("second"), "reserch"}), HasSubstr("did you mean 'research'"));
  PolicySpec moves = policy("moves");
  moves.migration_ppm = 1;
  EXPECT_THAT(run(SetPolicy{moves, "research"}), HasSubstr("counted for the whole fleet"));
  EXPECT_THAT(run(RestorePolicy{"research"}), HasSubstr("no policy is on trial"));
  ClusterState fresh;
  const auto nothing = decide(fresh, {RestorePolicy{{}}, {}, {}}, 0);
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().message, HasSubstr("no policy before"));
  EXPECT_TRUE(state.policies().trials().empty());
}

}  // namespace
}  // namespace berth::engine
