// A change of a layout, step by step: what each command and each loss does to it.
#include "engine/decide_regeometry.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/cycle/engine.h"
#include "engine/sharing/regeometry.h"
#include "engine/state/invariants.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

using Layout = std::vector<MigInstanceSpec>;
const Layout kHalves = {{"3g.40gb", 0}, {"3g.40gb", 4}};
const Layout kMixed = {{"1g.10gb", 0}, {"1g.10gb", 1}, {"3g.40gb", 4}};

class LayoutChanges : public ::testing::Test {
 protected:
  LayoutChanges() {
    run(DeclareModel{t::grid_model("grid")});
    QueueSpec queue = t::queue("q");
    queue.quotas = {{"grid", "", 2 * kCard, 1, std::nullopt, std::nullopt}};  // for protected work
    run(DeclareQueue{queue});
    NodeSpec node = t::node("n", "grid", 2);
    for (CardSpec& card : node.cards) {
      card.mig = MigRegime::kStatic;
      card.layout = kMixed;
    }
    run(JoinNode{node});
  }

  std::vector<std::string> run(CommandBody body) {
    auto events = engine.decide({std::move(body), {}, {}}, now);
    if (!events) return {"refused: " + events.error().to_text()};
    return apply(*events);
  }

  std::vector<std::string> apply(const EventBatch& events) {
    std::vector<std::string> steps;
    for (const Event& event : events) {
      engine.apply(event);
      const auto* step = std::get_if<RegeometryAdvanced>(&event.body);
      if (step == nullptr) continue;
      steps.push_back(std::string(word(step->stage)) +
                      (step->cause.empty() ? "" : ": " + step->cause));
    }
    EXPECT_TRUE(broken_invariants(engine.state()).empty());
    const auto loaded = ClusterState::load(engine.state().save());
    EXPECT_TRUE(loaded && loaded->hash() == engine.state().hash());
    return steps;
  }

  // A job in an instance of the profile on card 0 or 1, running.
  void start(const std::string& name, const std::string& profile, bool is_protected = false) {
    JobSpec spec = t::job("q", t::mig(profile));
    spec.is_protected = is_protected;
    run(SubmitJob{name, std::make_shared<const JobSpec>(std::move(spec))});
    apply(engine.commit(engine.plan(now), now).events);
    run(ReportPrepared{lease(name).id, lease(name).epoch});
  }
  const Lease& lease(const std::string& name) {
    return *engine.state().find_lease(engine.state().find_job(name)->leases.front());
  }
  std::vector<std::string> finish(const std::string& name) {
    return run(ReportEnded{lease(name).id, lease(name).epoch, EndReason::kSucceeded});
  }
  std::vector<std::string> later(DurationMs by) {
    now += by;
    return run(Tick{});
  }
  std::vector<std::string> report(Layout layout, std::string error = {}) {
    return run(ReportLayout{"n", 0, stands()->ask, std::move(layout), std::move(error)});
  }
  const RegeometryState* stands() { return engine.state().regeometry_of(NodeIndex(0), 0); }
  Layout layout() {
    return engine.state().instances_of(
        NodeIndex(0), layout_placements(engine.state().layout_of(NodeIndex(0), 0)));
  }
  Layout offered() {
    const CardState& card = engine.state().node(NodeIndex(0)).cards[0];
    return engine.state().instances_of(
        NodeIndex(0), layout_placements(engine.state().card_kind(card.kind).layout));
  }

  using Steps = std::vector<std::string>;
  Engine engine;
  TimeMs now = 0;
};

TEST_F(LayoutChanges, AnIdleCardSwitchesAtOnceAndHasTheLayoutOnceItIsReadBack) {
  EXPECT_EQ(run(ChangeLayout{"n", 0, kHalves}), (Steps{"planned", "switching"}));
  EXPECT_EQ(layout(), kMixed);
  EXPECT_EQ(offered(), (Layout{{"3g.40gb", 4}}));
  EXPECT_EQ(report(kHalves), Steps{"verified"});
  EXPECT_EQ(layout(), kHalves);
  EXPECT_EQ(offered(), kHalves);
  EXPECT_TRUE(engine.state().ledger().regeometries.empty());
}

TEST_F(LayoutChanges, WhatIsThereAlreadyChangesNothing) {
  EXPECT_EQ(run(ChangeLayout{"n", 0, kMixed}), Steps{});
}

TEST_F(LayoutChanges, WorkEndsFirstAndNothingNewStartsInWhatGoes) {
  start("a", "1g.10gb");
  ASSERT_EQ(lease("a").placement.grants.front().card, 0);
  EXPECT_EQ(run(ChangeLayout{"n", 0, kHalves}), (Steps{"planned", "draining"}));
  start("b", "1g.10gb");
  EXPECT_EQ(lease("b").placement.grants.front().card, 1);  // though card 0 has one free
  start("c", "3g.40gb");
  EXPECT_EQ(finish("a"), Steps{"switching"});
  EXPECT_EQ(report(kHalves), Steps{"verified"});
}

TEST_F(LayoutChanges, WhatStaysRunsOn) {
  start("big", "3g.40gb");
  start("more", "3g.40gb");
  EXPECT_EQ(run(ChangeLayout{"n", 0, kHalves}), (Steps{"planned", "switching"}));
  EXPECT_EQ(report(kHalves), Steps{"verified"});
  EXPECT_EQ(lease("big").state, LeaseState::kRunning);
}

TEST_F(LayoutChanges, ADrainThatTakesTooLongIsRolledBack) {
  start("a", "1g.10gb");
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(later(29 * kMinuteMs), Steps{});
  EXPECT_EQ(later(kMinuteMs), Steps{"rolled-back: 1 instance did not come free in 30 min"});
  EXPECT_EQ(offered(), kMixed);
}

TEST_F(LayoutChanges, WhoMayBeAskedLeavesAndWhoIsProtectedDoesNot) {
  PolicySpec policy;
  policy.regeometry.drain = DrainBy::kEvicting;
  run(SetPolicy{policy, {}});
  start("a", "1g.10gb");
  start("p", "1g.10gb", true);
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(lease("a").state, LeaseState::kRevoking);
  EXPECT_EQ(lease("p").state, LeaseState::kRunning);
  run(ReportReleased{lease("a").id, 1, {}});
  EXPECT_EQ(engine.state().find_job("a")->phase, JobPhase::kPending);  // it starts again elsewhere
  EXPECT_EQ(engine.state().find_job("a")->evictions.size(), 1U);
  EXPECT_EQ(stands()->stage, RegeometryStage::kDraining);
  EXPECT_EQ(finish("p"), Steps{"switching"});
}

TEST_F(LayoutChanges, AFailureThatLeftAllAsItWasIsRolledBack) {
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(report(kMixed, "a client keeps the card open"),
            Steps{"rolled-back: a client keeps the card open"});
  EXPECT_EQ(offered(), kMixed);
}

TEST_F(LayoutChanges, HalfADoneChangeIsRestored) {
  run(ChangeLayout{"n", 0, kHalves});
  const std::uint64_t first = stands()->ask;
  const std::string cause = "planned 2 instances, found 1 of them";
  EXPECT_EQ(report({{"3g.40gb", 4}}), Steps{"restoring: " + cause});
  EXPECT_EQ(offered(), (Layout{{"3g.40gb", 4}}));
  EXPECT_GT(stands()->ask, first);
  EXPECT_EQ(run(ReportLayout{"n", 0, first, kHalves, {}}).front(),
            "refused: ask: is 1; card n:0 waits for that to ask 2");
  EXPECT_EQ(report(kMixed), Steps{"rolled-back: " + cause});
  EXPECT_EQ(offered(), kMixed);
}

TEST_F(LayoutChanges, WhatCannotBeRestoredIsAskedForAgainAndTheRestGoesOn) {
  run(ChangeLayout{"n", 0, kHalves});
  report({{"3g.40gb", 4}});
  EXPECT_EQ(report({{"1g.10gb", 1}, {"3g.40gb", 4}}, "slot 0 is stuck"),
            Steps{"restoring: slot 0 is stuck"});
  EXPECT_EQ(stands()->ask, 0U);
  EXPECT_EQ(offered(), (Layout{{"1g.10gb", 1}, {"3g.40gb", 4}}));
  EXPECT_EQ(later(5 * kMinuteMs), Steps{"restoring: slot 0 is stuck"});
  EXPECT_GT(stands()->ask, 0U);
  EXPECT_EQ(report(kMixed), Steps{"rolled-back: slot 0 is stuck"});
}

TEST_F(LayoutChanges, NoAnswerIsAskedForAgain) {
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(later(5 * kMinuteMs), Steps{"restoring: no answer within 5 min"});
  EXPECT_EQ(later(5 * kMinuteMs), Steps{"restoring: no answer within 5 min"});
  EXPECT_EQ(report(kMixed), Steps{"rolled-back: no answer within 5 min"});
}

TEST_F(LayoutChanges, ItCanBeCancelledInEveryStage) {
  start("a", "1g.10gb");
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(run(CancelLayoutChange{"n", 0}), Steps{"rolled-back: cancelled"});
  finish("a");
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(run(CancelLayoutChange{"n", 0}), Steps{"restoring: cancelled"});
  EXPECT_EQ(run(CancelLayoutChange{"n", 0}).front(),
            "refused: card: n:0 is restoring the layout before already");
  EXPECT_EQ(report(kMixed), Steps{"rolled-back: cancelled"});
  EXPECT_EQ(run(CancelLayoutChange{"n", 0}).front(),
            "refused: card: n:0 does not change its layout");
}

TEST_F(LayoutChanges, ALostNodeIsNotAskedAndRestoresWhenItIsBack) {
  start("a", "1g.10gb");
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(run(SetNodeCondition{"n", NodeCondition::kLost}),
            Steps{"rolled-back: the node was lost"});
  EXPECT_EQ(run(ChangeLayout{"n", 0, kHalves}).front(),
            "refused: node: n:0 is on a node that is lost");
  run(ReportNodeBack{"n"});
  finish("a");
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(run(SetNodeCondition{"n", NodeCondition::kLost}), Steps{});
  EXPECT_EQ(later(kHourMs), Steps{});
  EXPECT_EQ(run(ReportNodeBack{"n"}), Steps{"restoring: the node was lost meanwhile"});
  EXPECT_EQ(report(kMixed), Steps{"rolled-back: the node was lost meanwhile"});
}

TEST_F(LayoutChanges, AFailedCardIsNotAskedAndRestoresWhenItIsWell) {
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(run(SetCardHealth{"n", 0, CardHealth::kFailed}), Steps{});
  EXPECT_EQ(later(kHourMs), Steps{});
  EXPECT_EQ(run(SetCardHealth{"n", 0, CardHealth::kHealthy}),
            Steps{"restoring: the card failed meanwhile"});
  // the switch had come through before the card failed
  EXPECT_EQ(report(kHalves), Steps{"verified"});
}

TEST_F(LayoutChanges, ADrainEndsWithItsCardOrNode) {
  start("a", "1g.10gb");
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(run(SetCardHealth{"n", 0, CardHealth::kFailed}), Steps{"rolled-back: the card failed"});
  run(SetCardHealth{"n", 0, CardHealth::kHealthy});
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(run(NoticeInterruption{"n", now + kMinuteMs}),
            Steps{"rolled-back: the node will be taken away"});
}

TEST_F(LayoutChanges, ARemovedNodeTakesItsChangesAlong) {
  run(ChangeLayout{"n", 0, kHalves});
  run(SetNodeCondition{"n", NodeCondition::kRemoved});
  EXPECT_TRUE(engine.state().ledger().regeometries.empty());
}

TEST_F(LayoutChanges, WhatIsInUseIsNeverReportedMissing) {
  start("big", "3g.40gb");
  ASSERT_EQ(lease("big").placement.grants.front().card, 0);
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(report({{"3g.40gb", 0}}).front(),
            "refused: layout: lacks an instance that job 'big' holds; the end of its task is "
            "reported first");
}

TEST_F(LayoutChanges, WishesThatCannotBeAreRefused) {
  EXPECT_EQ(run(ChangeLayout{"x", 0, kHalves}).front(),
            "refused: node: 'x' is not a node; accepted: n");
  EXPECT_EQ(run(ChangeLayout{"n", 9, kHalves}).front(),
            "refused: card: is 9; node 'n' has 2 cards, counted from 0");
  EXPECT_EQ(run(ChangeLayout{"n", 0, {{"3g.40gb", 2}}}).front(),
            "refused: layout[0].start: is 2, where the profile cannot start");
  EXPECT_EQ(run(ChangeLayout{"n", 0, {{"7g.80gb", 0}, {"1g.10gb", 1}}}).front(),
            "refused: layout: the instances do not fit together on a card");
  run(JoinNode{t::mig_node("d", "grid", 1)});
  EXPECT_EQ(run(ChangeLayout{"d", 0, kHalves}).front(),
            "refused: card: d:0 has no static MIG layout; a card of the static regime is accepted");
  run(ChangeLayout{"n", 0, kHalves});
  EXPECT_EQ(run(ChangeLayout{"n", 0, kMixed}).front(),
            "refused: card: n:0 is changing its layout already (switching)");
  EXPECT_EQ(run(ReportLayout{"n", 1, 1, kMixed, {}}).front(),
            "refused: ask: is 1; card n:1 waits for no answer");
}

// What waits is served where it pays off, and a card does not change twice within its dwell.
TEST_F(LayoutChanges, ThePlanGivesCardsTheLayoutThatWaitingWorkNeeds) {
  PolicySpec policy;
  policy.regeometry.max_cards = 1;
  run(SetPolicy{policy, {}});
  start("a", "3g.40gb");
  start("b", "3g.40gb");
  const auto cycle = [&] { return apply(engine.commit(engine.plan(now), now).events); };
  run(t::submit("two", t::job("q", t::mig("2g.20gb"))).body);
  EXPECT_EQ(cycle(), (Steps{"planned", "switching"}));
  EXPECT_EQ(stands()->change->node, NodeIndex(0));
  run(t::submit("too", t::job("q", t::mig("2g.20gb"))).body);
  EXPECT_EQ(cycle(), Steps{});  // the new layout has room for both, or one card at a time
  const Layout wanted = engine.state().instances_of(NodeIndex(0), stands()->change->placements);
  EXPECT_EQ(report(wanted), Steps{"verified"});
  cycle();
  EXPECT_EQ(engine.state().find_job("two")->phase, JobPhase::kPreparing);
}

}  // namespace
}  // namespace berth::engine
