#include "control/controller.h"

#include <gtest/gtest.h>

#include "control/testing.h"
#include "engine/state/invariants.h"
#include "model/testing.h"

namespace berth::control {
namespace {

namespace t = berth::testing;
using testing::Fixture;

void declare_fleet(Controller& controller, int nodes, std::size_t cards) {
  ASSERT_TRUE(controller.execute({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}}));
  ASSERT_TRUE(controller.execute({DeclareQueue{t::queue("q")}, {}, {}}));
  for (int n = 0; n < nodes; ++n) {
    ASSERT_TRUE(
        controller.execute({JoinNode{t::node("n" + std::to_string(n), "plain", cards)}, {}, {}}));
  }
}

JobSpec of_class(JobSpec spec, JobClass job_class) {
  spec.job_class = job_class;
  return spec;
}

TEST(Controller, StartsAGangOnlyWhenEveryMemberIsPrepared) {
  Fixture f;
  declare_fleet(f.controller, 2, 1);
  ASSERT_TRUE(f.controller.execute(t::submit("gang", t::job("q", t::whole(1), 2))));
  ASSERT_TRUE(f.controller.run_cycle());
  EXPECT_EQ(f.executor.calls, (std::vector<std::string>{"prepare 1", "prepare 2"}));
  ASSERT_TRUE(f.controller.execute({ReportPrepared{LeaseId(1), 1}, {}, {}}));
  EXPECT_EQ(f.executor.calls.size(), 2U) << "one member alone must not start";
  ASSERT_TRUE(f.controller.execute({ReportPrepared{LeaseId(2), 1}, {}, {}}));
  EXPECT_EQ(f.executor.calls[2], "start 1");
  EXPECT_EQ(f.executor.calls[3], "start 2");
  EXPECT_EQ(f.controller.state().find_job("gang")->phase, JobPhase::kRunning);
}

TEST(Controller, SendsTheWholeGangBackWhenAMemberCannotBePrepared) {
  Fixture f;
  declare_fleet(f.controller, 2, 1);
  ASSERT_TRUE(f.controller.execute(t::submit("gang", t::job("q", t::whole(1), 2))));
  ASSERT_TRUE(f.controller.run_cycle());
  ASSERT_TRUE(f.controller.execute({ReportPrepareFailed{LeaseId(2), 1, "no image"}, {}, {}}));
  EXPECT_EQ(f.executor.calls.back(), "revoke 1 kill");
  EXPECT_EQ(f.controller.state().leases().size(), 1U) << "devices stay held until given back";
  ASSERT_TRUE(f.controller.execute({ReportReleased{LeaseId(1), 1, ""}, {}, {}}));
  const auto* job = f.controller.state().find_job("gang");
  EXPECT_EQ(job->phase, JobPhase::kPending);
  EXPECT_EQ(job->backoff_until, f.controller.state().policy().backoff_first_ms);
  ASSERT_TRUE(f.controller.run_cycle());
  EXPECT_EQ(f.controller.state().leases().size(), 0U) << "waits for its back-off";
  f.clock.set(job->backoff_until);
  ASSERT_TRUE(f.controller.run_cycle());
  EXPECT_EQ(f.controller.state().leases().size(), 2U);
  EXPECT_EQ(f.controller.state().find_lease(LeaseId(3))->epoch, 2U);
}

TEST(Controller, RefusesReportsOfAnOlderEpoch) {
  Fixture f;
  declare_fleet(f.controller, 1, 1);
  ASSERT_TRUE(f.controller.execute(t::submit("j", t::job("q", t::whole(1)))));
  ASSERT_TRUE(f.controller.run_cycle());
  const auto stale = f.controller.execute({ReportPrepared{LeaseId(1), 7}, {}, {}});
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, ErrorCode::kConflict);
}

TEST(Controller, TheFastPathWinsARaceAndThePlanIsMadeAgain) {
  Fixture f;
  declare_fleet(f.controller, 1, 1);
  ASSERT_TRUE(f.controller.execute(t::submit("batch", t::job("q", t::whole(1)))));
  const Plan plan = f.controller.plan();
  ASSERT_EQ(plan.decisions.size(), 1U);
  ASSERT_TRUE(f.controller.execute(
      t::submit("replica", of_class(t::job("q", t::whole(1)), JobClass::kInference))));
  EXPECT_EQ(f.controller.state().find_job("replica")->phase, JobPhase::kPreparing);
  const auto lost = f.controller.commit(plan);
  ASSERT_TRUE(lost);
  EXPECT_EQ(*lost, 1U) << "the only card is taken";
  ASSERT_TRUE(f.controller.run_cycle());
  const auto* batch = f.controller.state().find_job("batch");
  EXPECT_EQ(batch->phase, JobPhase::kPending);
  ASSERT_NE(batch->reasons, nullptr);
  EXPECT_EQ(batch->reasons->front().to_text(), "asks 1 free card on one node, largest has 0");
  EXPECT_TRUE(engine::broken_invariants(f.controller.state()).empty());
}

// A gang makes an event for each task, so that events do not tell what was lost.
TEST(Controller, AGangInThePlanDoesNotHideALostRace) {
  Fixture f;
  declare_fleet(f.controller, 1, 4);
  ASSERT_TRUE(f.controller.execute(t::submit("one", t::job("q", t::whole(1)))));
  ASSERT_TRUE(f.controller.execute(t::submit("gang", t::job("q", t::whole(1), 3))));
  const Plan plan = f.controller.plan();
  ASSERT_EQ(plan.decisions.size(), 2U);
  ASSERT_TRUE(f.controller.execute(
      t::submit("replica", of_class(t::job("q", t::whole(1)), JobClass::kInference))));
  const std::uint64_t before = f.controller.state().revision();
  const auto lost = f.controller.commit(plan);
  ASSERT_TRUE(lost);
  EXPECT_EQ(*lost, 1U);
  EXPECT_EQ(f.controller.state().revision(), before + 3) << "the gang is granted";
  EXPECT_EQ(f.controller.state().find_job("one")->reasons, nullptr) << "not considered again yet";
  ASSERT_TRUE(f.controller.run_cycle());
  EXPECT_NE(f.controller.state().find_job("one")->reasons, nullptr);
  EXPECT_TRUE(engine::unexplained_jobs(f.controller.state(), kNever).empty());
  EXPECT_TRUE(engine::broken_invariants(f.controller.state()).empty());
}

TEST(Controller, NothingChangesWhenTheJournalRefuses) {
  Fixture f;
  declare_fleet(f.controller, 1, 1);
  const std::uint64_t before = f.controller.state().hash();
  f.journal.broken = true;
  const auto refused = f.controller.execute(t::submit("j", t::job("q", t::whole(1))));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the disk is full");
  EXPECT_EQ(f.controller.state().hash(), before);
  EXPECT_TRUE(f.executor.calls.empty());
}

TEST(Controller, ARetriedRequestIsOneJob) {
  Fixture f;
  declare_fleet(f.controller, 1, 1);
  Command command = t::submit("j", t::job("q", t::whole(1)));
  command.request_id = "r-1";
  const auto first = f.controller.execute(command);
  const auto second = f.controller.execute(command);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->job, second->job);
  EXPECT_EQ(f.controller.state().jobs().size(), 1U);
}

// Whether the last calls went out before the controller stopped is not in the journal.
TEST(Controller, RecoversFromItsJournalAndRepeatsTheCallsThatWereNotAnswered) {
  Fixture f;
  declare_fleet(f.controller, 3, 2);
  ASSERT_TRUE(f.controller.execute(t::submit("runs", t::job("q", t::whole(1)))));
  ASSERT_TRUE(f.controller.execute(t::submit("goes", t::job("q", t::whole(1)))));
  ASSERT_TRUE(f.controller.execute(t::submit("gang", t::job("q", t::whole(1), 2))));
  ASSERT_TRUE(f.controller.run_cycle());
  for (const LeaseId lease : {LeaseId(1), LeaseId(2), LeaseId(3)})
    ASSERT_TRUE(f.controller.execute({ReportPrepared{lease, 1}, {}, {}}));
  ASSERT_TRUE(f.controller.execute({CancelJob{"goes"}, {}, {}}));
  f.executor.calls.clear();
  Controller again({f.journal, f.executor, f.clock, f.metrics, f.learner}, {});
  ASSERT_TRUE(again.recover());
  EXPECT_EQ(again.state().hash(), f.controller.state().hash());
  EXPECT_EQ(f.executor.calls, (std::vector<std::string>{"start 1", "revoke 2 kill", "prepare 4"}));
  ASSERT_TRUE(again.execute({ReportPrepared{LeaseId(4), 1}, {}, {}}));
  EXPECT_EQ(again.state().find_job("gang")->phase, JobPhase::kRunning);
}

// The journal took the submission and the controller stopped before the fast path.
TEST(Controller, FinishesTheSubmissionThatItsJournalEndsWith) {
  Fixture f;
  declare_fleet(f.controller, 1, 1);
  ASSERT_TRUE(f.controller.execute(
      t::submit("replica", of_class(t::job("q", t::whole(1)), JobClass::kInference))));
  const std::uint64_t hash = f.controller.state().hash();
  f.journal.revision -= f.journal.batches.back().size();
  f.journal.batches.pop_back();
  f.executor.calls.clear();
  Controller again({f.journal, f.executor, f.clock, f.metrics, f.learner}, {});
  ASSERT_TRUE(again.recover());
  EXPECT_EQ(again.state().hash(), hash);
  EXPECT_EQ(f.executor.calls, (std::vector<std::string>{"prepare 1"}));
}

// Inference that is placed at once, what is refused, and what is given back before the journal has
// heard of it.
std::vector<Command> some_commands() {
  return {t::submit("a", of_class(t::job("q", t::whole(1)), JobClass::kInference)),
          t::submit("lost", t::job("no such queue", t::whole(1))),
          t::submit("b", t::job("q", t::whole(1))),
          {ReportPrepared{LeaseId(1), 1}, {}, {}},
          {CancelJob{"a"}, {}, {}}};
}

TEST(Controller, ManyCommandsShareOneCommitAndGiveTheSame) {
  Fixture one;
  Fixture many;
  declare_fleet(one.controller, 1, 1);
  declare_fleet(many.controller, 1, 1);
  const std::vector<Command> commands = some_commands();
  const int before = many.journal.appends;
  const auto replies = many.controller.execute_all(commands);
  ASSERT_TRUE(replies.has_value());
  EXPECT_EQ(many.journal.appends, before + 1);
  ASSERT_EQ(replies->size(), commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const auto reply = one.controller.execute(commands[i]);
    ASSERT_EQ((*replies)[i].has_value(), reply.has_value());
    if (reply) {
      EXPECT_EQ((*replies)[i]->revision, reply->revision);
    } else {
      EXPECT_EQ((*replies)[i].error().to_text(), reply.error().to_text());
    }
  }
  EXPECT_EQ(many.controller.state().hash(), one.controller.state().hash());
  EXPECT_EQ(many.executor.calls, one.executor.calls);
  EXPECT_EQ(many.executor.calls,
            (std::vector<std::string>{"prepare 1", "start 1", "revoke 1 kill"}));
  EXPECT_EQ(many.journal.revision, many.controller.state().revision());
}

TEST(Controller, NobodyHearsOfWhatTheJournalRefused) {
  Fixture f;
  declare_fleet(f.controller, 1, 1);
  f.journal.broken = true;
  std::vector<Command> commands = some_commands();
  commands.front().request_id = "sent again";
  const auto replies = f.controller.execute_all(commands);
  ASSERT_FALSE(replies.has_value());
  EXPECT_EQ(replies.error().message, "the disk is full");
  EXPECT_TRUE(f.executor.calls.empty());
  // its state is ahead of the journal: it takes nothing more, and another one goes on without that
  f.journal.broken = false;
  EXPECT_FALSE(f.controller.execute(t::submit("c", t::job("q", t::whole(1)))));
  EXPECT_FALSE(f.controller.execute(commands.front()));
  EXPECT_FALSE(f.controller.execute_all(some_commands()));
  Controller again({f.journal, f.executor, f.clock, f.metrics, f.learner}, {});
  ASSERT_TRUE(again.recover());
  EXPECT_EQ(again.state().find_job("a"), nullptr);
  EXPECT_TRUE(again.execute(t::submit("a", t::job("q", t::whole(1)))));
}

TEST(Controller, PlansTheSameOnTheReplicaAndOnTheLiveState) {
  Fixture replica({FastPath::kOff, PlanOn::kReplica});
  Fixture live({FastPath::kOff, PlanOn::kLiveState});
  for (Fixture* f : {&replica, &live}) {
    declare_fleet(f->controller, 3, 2);
    for (int i = 0; i < 8; ++i) {
      const auto units = static_cast<CardUnits>(i + 2) * kCard / 10;
      ASSERT_TRUE(
          f->controller.execute(t::submit("j" + std::to_string(i), t::job("q", t::share(units)))));
      ASSERT_TRUE(f->controller.run_cycle());
    }
  }
  EXPECT_EQ(replica.controller.state().hash(), live.controller.state().hash());
}

// A clock that is set back, or another machine's: time stands still until it has caught up.
TEST(Controller, TimeNeverGoesBack) {
  Fixture f;
  declare_fleet(f.controller, 1, 1);
  f.clock.set(kHourMs);
  ASSERT_TRUE(f.controller.execute(t::submit("a", t::job("q", t::whole(1)))));
  f.clock.set(kMinuteMs);
  ASSERT_TRUE(f.controller.execute(t::submit("b", t::job("q", t::whole(1)))));
  ASSERT_TRUE(f.controller.run_cycle());
  EXPECT_EQ(f.controller.state().now(), kHourMs);
  EXPECT_EQ(f.controller.state().find_job("b")->submitted_at, kHourMs);
  f.clock.set(kHourMs + 1);
  ASSERT_TRUE(f.controller.execute({Tick{}, {}, {}}));
  EXPECT_EQ(f.controller.state().now(), kHourMs + 1);
}

TEST(Controller, AnIdleCycleChangesNothing) {
  Fixture f;
  declare_fleet(f.controller, 1, 1);
  ASSERT_TRUE(f.controller.execute(t::submit("a", t::job("q", t::whole(1)))));
  ASSERT_TRUE(f.controller.execute(t::submit("b", t::job("q", t::whole(1)))));
  ASSERT_TRUE(f.controller.run_cycle());
  const std::uint64_t revision = f.controller.state().revision();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(f.controller.run_cycle());
  EXPECT_EQ(f.controller.state().revision(), revision);
}

TEST(Controller, CancellingARunningJobFreesItsDevicesOnlyWhenGivenBack) {
  Fixture f;
  declare_fleet(f.controller, 1, 1);
  ASSERT_TRUE(f.controller.execute(t::submit("j", t::job("q", t::whole(1)))));
  ASSERT_TRUE(f.controller.run_cycle());
  ASSERT_TRUE(f.controller.execute({ReportPrepared{LeaseId(1), 1}, {}, {}}));
  ASSERT_TRUE(f.controller.execute({CancelJob{"j"}, {}, {}}));
  EXPECT_EQ(f.executor.calls.back(), "revoke 1 kill");
  EXPECT_FALSE(f.controller.state().nodes()[0].cards[0].is_empty());
  ASSERT_TRUE(f.controller.execute({ReportReleased{LeaseId(1), 1, ""}, {}, {}}));
  EXPECT_TRUE(f.controller.state().nodes()[0].cards[0].is_empty());
  EXPECT_EQ(f.controller.state().find_job("j"), nullptr);
}

}  // namespace
}  // namespace berth::control
