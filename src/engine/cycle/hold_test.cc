// When a waiting job's reason is recorded, and what is told of it afterwards.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/cycle/engine.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

// Two nodes of four cards, and a replica that hears the same events.
class Fleet {
 public:
  Fleet() {
    run({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}});
    run({DeclareQueue{t::queue("q")}, {}, {}});
    for (const char* node : {"n1", "n2"}) run({JoinNode{t::node(node, "plain", 4)}, {}, {}});
  }

  void run(const Command& command) {
    ++now_;
    auto events = engine_.decide(command, now_);
    ASSERT_TRUE(events.has_value());
    apply(*events);
  }
  JobId submit(JobSpec spec) {
    const JobId job = engine_.state().next_job();
    run(t::submit("j" + std::to_string(job.value()), std::move(spec)));
    return job;
  }
  // The holds that a cycle records.
  std::vector<JobHeld> cycle() {
    const EventBatch events = engine_.commit(engine_.plan(now_), now_).events;
    apply(events);
    std::vector<JobHeld> holds;
    for (const Event& event : events) {
      if (const auto* held = std::get_if<JobHeld>(&event.body)) holds.push_back(*held);
    }
    return holds;
  }
  void end(JobId job) {
    const Lease lease = *state().find_lease(state().find_job(job)->leases.front());
    run({ReportPrepared{lease.id, lease.epoch}, {}, {}});
    run({ReportEnded{lease.id, lease.epoch, EndReason::kSucceeded}, {}, {}});
  }
  // Ends one of the jobs on a card.
  void end_one_on(const std::string& node, std::uint16_t card) {
    for (const LeaseId id : state().leases().sorted_ids()) {
      const Lease& lease = state().leases().at(id);
      const TaskPlacement& at = lease.placement;
      if (state().node(at.node).spec->name != node || at.grants.front().card != card) continue;
      return end(lease.job);
    }
    FAIL() << "nothing runs on " << node;
  }
  Rejections reasons(JobId job) {
    const std::uint64_t before = state().hash();
    Rejections reasons = engine_.why(job, now_);
    EXPECT_EQ(state().hash(), before);
    return reasons;
  }
  std::string why(JobId job) {
    const Rejections reasons = this->reasons(job);
    return reasons.empty() ? "fits" : reasons.front().to_text();
  }
  void advance_to(TimeMs now) { now_ = now; }
  const ClusterState& state() const { return engine_.state(); }
  bool replicas_agree() const { return replica_.state().hash() == engine_.state().hash(); }

 private:
  void apply(const EventBatch& events) {
    for (const Event& event : events) {
      engine_.apply(event);
      replica_.apply(event);
    }
  }

  Engine engine_;
  Engine replica_;
  TimeMs now_ = 0;
};

TEST(Hold, IsRecordedOnceWhileOnlyItsNumbersChange) {
  Fleet fleet;
  const JobId on_n1 = fleet.submit(t::job("q", t::whole(4)));
  const JobId first = fleet.submit(t::job("q", t::whole(1)));
  const JobId second = fleet.submit(t::job("q", t::whole(1)));
  fleet.submit(t::job("q", t::whole(2)));
  ASSERT_TRUE(fleet.cycle().empty());
  const JobId waits = fleet.submit(t::job("q", t::whole(4)));
  const auto holds = fleet.cycle();
  ASSERT_EQ(holds.size(), 1U);
  EXPECT_EQ(holds[0].reasons->front().to_text(), "asks 4 free cards on one node, largest has 0");
  for (const JobId job : {first, second}) {
    fleet.end(job);
    EXPECT_TRUE(fleet.cycle().empty()) << "only the number of free cards is another";
  }
  EXPECT_EQ(fleet.why(waits), "asks 4 free cards on one node, largest has 2");
  EXPECT_TRUE(fleet.replicas_agree());
  fleet.end(on_n1);
  EXPECT_EQ(fleet.why(waits), "fits");
  EXPECT_TRUE(fleet.cycle().empty());
  EXPECT_EQ(fleet.state().find_job(waits)->phase, JobPhase::kPreparing);
  EXPECT_EQ(fleet.state().find_job(waits)->reasons, nullptr);
  EXPECT_TRUE(fleet.replicas_agree());
}

TEST(Hold, IsRecordedAgainWhenTheRuleChanges) {
  Fleet fleet;
  for (int i = 0; i < 2; ++i) fleet.submit(t::job("q", t::whole(4)));
  const JobId waits = fleet.submit(t::job("q", t::whole(4)));
  ASSERT_EQ(fleet.cycle().size(), 1U);
  fleet.run({HoldJob{"j" + std::to_string(waits.value())}, {}, {}});
  const auto holds = fleet.cycle();
  ASSERT_EQ(holds.size(), 1U);
  EXPECT_EQ(holds[0].reasons->front().rule, Rule::kHeldByUser);
  EXPECT_TRUE(fleet.cycle().empty());
  EXPECT_TRUE(fleet.replicas_agree());
}

TEST(Hold, IsRecordedOnceAndWhyFollowsTheRules) {
  Fleet fleet;
  for (int i = 0; i < 2; ++i) fleet.submit(t::job("q", t::whole(4)));
  const JobId waits = fleet.submit(t::job("q", t::whole(4)));
  ASSERT_EQ(fleet.cycle().size(), 1U);
  fleet.run({SetNodeCondition{"n2", NodeCondition::kCordoned}, {}, {}});
  EXPECT_TRUE(fleet.cycle().empty());
  const Rejections reasons = fleet.reasons(waits);
  ASSERT_EQ(reasons.size(), 2U);
  EXPECT_EQ(reasons.back().rule, Rule::kNodeState);
}

TEST(Hold, IsRecordedOnceAndWhyFollowsThePlace) {
  Fleet fleet;
  for (int i = 0; i < 32; ++i) fleet.submit(t::job("q", t::share(kCard / 4)));
  ASSERT_TRUE(fleet.cycle().empty());
  const JobId waits = fleet.submit(t::job("q", t::share(kCard * 3 / 4)));
  ASSERT_EQ(fleet.cycle().size(), 1U);
  const auto place = [&] { return fleet.reasons(waits).front().place; };
  EXPECT_EQ(place(), "n1") << "as near as n2 and the first by name";
  fleet.end_one_on("n2", 0);
  EXPECT_TRUE(fleet.cycle().empty());
  EXPECT_EQ(place(), "n2");
  fleet.end_one_on("n1", 3);
  fleet.end_one_on("n2", 0);
  EXPECT_TRUE(fleet.cycle().empty());
  EXPECT_EQ(fleet.why(waits), "asks 75 % of a card, largest free 50 % (n2)");
  EXPECT_TRUE(fleet.replicas_agree());
}

TEST(Hold, ABackoffIsToldWithWhatTheExecutorSaid) {
  Fleet fleet;
  const JobId job = fleet.submit(t::job("q", t::whole(1)));
  ASSERT_TRUE(fleet.cycle().empty());
  const LeaseId lease = fleet.state().find_job(job)->leases.front();
  fleet.run({ReportPrepareFailed{lease, 1, "no image"}, {}, {}});
  EXPECT_TRUE(fleet.cycle().empty()) << "the report of the failure has recorded it";
  EXPECT_EQ(fleet.why(job), "waits after a failed start (no image)");
  fleet.advance_to(fleet.state().find_job(job)->backoff_until);
  EXPECT_EQ(fleet.why(job), "fits");
  EXPECT_TRUE(fleet.replicas_agree());
}

TEST(Hold, TheReasonOfAGangCountsTheTasksThatFitNow) {
  Fleet fleet;
  std::vector<JobId> ones;
  for (int i = 0; i < 6; ++i) ones.push_back(fleet.submit(t::job("q", t::whole(1))));
  ASSERT_TRUE(fleet.cycle().empty());
  const JobId gang = fleet.submit(t::job("q", t::whole(1), 5));
  ASSERT_EQ(fleet.cycle().size(), 1U);
  EXPECT_EQ(fleet.why(gang), "5 tasks must start together, 2 fit now");
  fleet.end(ones.front());
  EXPECT_TRUE(fleet.cycle().empty());
  EXPECT_EQ(fleet.why(gang), "5 tasks must start together, 3 fit now");
}

}  // namespace
}  // namespace berth::engine
