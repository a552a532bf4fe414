// Each audit speaks when its invariant is broken. Events that no decision makes break them here.
#include "engine/state/invariants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/decide.h"
#include "engine/state/trial.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One node with 8 cards and 3 licences; a job of two roles, each task on a card of its own: of the
// first at least 1 of 2 tasks, of the second both.
class Audited : public ::testing::Test {
 protected:
  Audited() {
    run({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}});
    run({DeclareQueue{t::queue("q")}, {}, {}});
    NodeSpec node = t::node("n", "plain", 8);
    node.resources = {{"licence", 3}};
    run({JoinNode{std::move(node)}, {}, {}});
    JobSpec spec = t::job("q", t::whole(1), 2);
    spec.roles.front().name = "first";
    spec.roles.front().min = 1;
    spec.roles.front().containers.front().resources = {{"licence", 1}};
    spec.roles.front().elastic = true;
    Role second = spec.roles.front();
    second.name = "second";
    second.min = 2;
    spec.roles.push_back(std::move(second));
    run(t::submit("gang", std::move(spec)));
  }

  void run(const Command& command) {
    const auto events = decide(state, command, 0);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) state.apply(event);
  }

  CardGrants card(std::uint16_t index) const {
    CardGrant grant;
    grant.card = index;
    grant.compute = kCard;
    grant.memory = state.card_kind(state.nodes()[0].cards[0].kind).usable;
    return {grant};
  }

  // A lease on the next card.
  void grant(std::uint16_t role, std::uint32_t task) {
    LeaseGranted granted;
    granted.lease = state.next_lease();
    granted.job = state.find_job("gang")->id;
    granted.placement = {role, task, NodeIndex(0),
                         card(static_cast<std::uint16_t>(granted.lease.value() - 1))};
    state.apply({0, std::move(granted)});
  }

  ClusterState state;
};

TEST_F(Audited, AWholeGangBreaksNothing) {
  for (const std::uint32_t task : {0U, 1U}) grant(1, task);
  grant(0, 0);
  EXPECT_THAT(broken_invariants(state), IsEmpty());
}

TEST_F(Audited, TasksOfOneRoleDoNotStandInForAnother) {
  for (const std::uint32_t task : {0U, 1U}) grant(0, task);
  grant(1, 0);
  EXPECT_THAT(broken_invariants(state),
              ElementsAre("gang: holds 1 of at least 2 tasks of role 1, and 0 ended well"));
}

TEST_F(Audited, ATaskHasOneLiveLease) {
  for (const std::uint32_t task : {0U, 1U, 1U}) grant(1, task);
  EXPECT_THAT(broken_invariants(state), Contains("gang: two live leases of role 1 task 1"));
}

TEST_F(Audited, CountableResourcesAreCapacityLessLeases) {
  const ShapeIndex shape = state.spec_of(*state.find_job("gang")).shapes.front();
  {
    Trial trial(state);
    trial.take(shape, NodeIndex(0), card(7));  // of no lease
    EXPECT_THAT(broken_invariants(state), Contains("n: free licence is not capacity less leases"));
  }
  EXPECT_THAT(broken_invariants(state), IsEmpty());
}

TEST_F(Audited, WhatIsChargedIsWhatLeasesHold) {
  for (const std::uint32_t task : {0U, 1U}) grant(1, task);
  grant(0, 0);
  EXPECT_THAT(broken_invariants(state), IsEmpty());
  const JobRecord& gang = *state.find_job("gang");
  {
    Trial trial(state);
    trial.charge(gang.spec, state.spec_of(gang).shapes.front(), NodeIndex(0), card(7));
    EXPECT_THAT(broken_invariants(state), ElementsAre("queue q: charge is not the sum of leases"));
  }
  EXPECT_THAT(broken_invariants(state), IsEmpty());
}

TEST_F(Audited, AJobThatWasConsideredHasAReason) {
  EXPECT_THAT(unexplained_jobs(state, 0), IsEmpty()) << "submitted at 0, not before";
  EXPECT_THAT(unexplained_jobs(state, 1), ElementsAre("gang: waits without a reason"));
  const JobId gang = state.find_job("gang")->id;
  state.apply({0, JobHeld{gang, std::make_shared<const Rejections>()}});
  EXPECT_THAT(broken_invariants(state), ElementsAre("gang: held for nothing"));
  state.apply({0, JobHeld{gang, std::make_shared<const Rejections>(1)}});
  EXPECT_THAT(unexplained_jobs(state, 1), IsEmpty());
  EXPECT_THAT(broken_invariants(state), IsEmpty());
}

}  // namespace
}  // namespace berth::engine
