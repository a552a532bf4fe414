// What a cycle costs, in steps: it follows what has changed, and neither the fleet nor what waits.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "engine/cycle/engine.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

// A fleet whose cards all run jobs of one card, in leaves of four nodes; jobs of many sizes wait in
// many queues.
class FullFleet {
 public:
  FullFleet(int nodes, int queues) {
    run({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}});
    TopologySpec topology;
    topology.levels = {"card", "island", "node", "leaf"};
    run({DeclareTopology{topology}, {}, {}});
    for (int n = 0; n < nodes; ++n) {
      NodeSpec node = t::node("n" + std::to_string(n), "plain", 4);
      node.domains = {{"leaf", "l" + std::to_string(n / 4)}};
      run({JoinNode{node}, {}, {}});
    }
    for (int q = 0; q < queues; ++q) declare("q" + std::to_string(q), 1000);
    for (int n = 0; n < 4 * nodes; ++n) submit("q0", 1);
    settle();
    for (int q = 0; q < queues; ++q) {
      for (const std::uint32_t cards : {1U, 2U, 4U}) submit("q" + std::to_string(q), cards);
      gang("q" + std::to_string(q), 4);
    }
    settle();
  }

  void declare(const std::string& name, CardUnits limit) {
    QueueSpec spec = t::queue(name);
    FlavourQuota quota;
    quota.limit = limit * kCard;
    spec.quotas.push_back(quota);
    run({DeclareQueue{spec}, {}, {}});
  }
  void submit(const std::string& queue, std::uint32_t cards) {
    run(t::submit(name(), t::job(queue, t::whole(cards))));
  }
  void gang(const std::string& queue, std::uint32_t tasks) {
    JobSpec spec = t::job(queue, t::whole(4), tasks);
    spec.roles[0].topology = {{RuleUnit::kRole, "leaf", RuleStrength::kRequired}};
    run(t::submit(name(), std::move(spec)));
  }
  // The first job that runs has done its work.
  void end_one() {
    const Lease& lease = engine_.state().leases().at(engine_.state().leases().sorted_ids().front());
    run({ReportEnded{lease.id, lease.epoch, EndReason::kSucceeded}, {}, {}});
  }
  // Cycles until nothing is left to do; what the first one cost.
  Effort settle() {
    Plan plan = engine_.plan(++now_);
    const Effort effort = engine_.effort();
    for (; !plan.decisions.empty(); plan = engine_.plan(++now_)) commit(plan);
    return effort;
  }
  const ClusterState& state() const { return engine_.state(); }

 private:
  std::string name() const { return "j" + std::to_string(state().next_job().value()); }

  void commit(const Plan& plan) {
    for (const Event& event : engine_.commit(plan, now_).events) {
      engine_.apply(event);
      const auto* granted = std::get_if<LeaseGranted>(&event.body);
      if (granted != nullptr) started_.push_back(granted->lease);
    }
    for (const LeaseId lease : std::exchange(started_, {})) run({ReportPrepared{lease, 1}, {}, {}});
  }
  void run(const Command& command) {
    const auto events = engine_.decide(command, now_);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) engine_.apply(event);
  }

  Engine engine_;
  std::vector<LeaseId> started_;
  TimeMs now_ = 1;
};

Effort after_one_end(int nodes, int queues) {
  FullFleet fleet(nodes, queues);
  fleet.end_one();
  return fleet.settle();
}

TEST(CycleEffort, AfterOneChangeItDoesNotGrowWithTheFleet) {
  const Effort small = after_one_end(8, 4);
  const Effort large = after_one_end(96, 4);
  EXPECT_EQ(small.lines, large.lines);
  EXPECT_EQ(small.turns, large.turns);
  EXPECT_EQ(small.searches, large.searches);
}

// Each queue has a line for the card that is free; only those that come near their turn are tried.
TEST(CycleEffort, AfterOneChangeItTriesNoMoreHoweverManyWait) {
  const Effort few = after_one_end(8, 4);
  const Effort many = after_one_end(8, 64);
  EXPECT_EQ(few.turns, 1U);
  EXPECT_EQ(many.turns, 1U);
  EXPECT_EQ(few.searches, many.searches);
  EXPECT_EQ(many.lines, 64U);
}

TEST(CycleEffort, NothingIsDoneWhereNothingHasHappened) {
  FullFleet fleet(8, 4);
  const Effort idle = fleet.settle();
  EXPECT_EQ(idle.lines + idle.turns + idle.searches, 0U);
}

TEST(CycleEffort, WhatTheQuotaRefusedIsAskedAgainOnceItsQueueGivesSomethingBack) {
  FullFleet fleet(8, 4);
  fleet.declare("tight", 1);
  fleet.submit("tight", 1);
  fleet.end_one();  // of another queue
  fleet.settle();
  while (fleet.state().pending().size() > 0) {  // all run but what the quota holds
    const std::size_t waiting = fleet.state().pending().size();
    fleet.end_one();
    fleet.settle();
    if (fleet.state().pending().size() == waiting) break;
  }
  fleet.submit("tight", 1);
  fleet.submit("tight", 1);
  fleet.settle();
  const Effort idle = fleet.settle();
  EXPECT_EQ(idle.turns + idle.searches, 0U);
}

}  // namespace
}  // namespace berth::engine
