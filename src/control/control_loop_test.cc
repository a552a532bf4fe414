#include "control/control_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <set>

#include "control/testing.h"
#include "engine/state/invariants.h"
#include "model/testing.h"

namespace berth::control {
namespace {

namespace t = berth::testing;

// Keeps what it hears; refuses nothing.
class Listener final : public Subscriber {
 public:
  void begin(const engine::ClusterState& /*state*/) override {}
  void committed(std::uint64_t first_revision, std::vector<EventBatch> batches) override {
    EXPECT_EQ(first_revision, revision);
    for (EventBatch& batch : batches) {
      revision += batch.size();
      for (Event& event : batch) {
        if (std::holds_alternative<JobEnded>(event.body)) ++ended;
        events.push_back(std::move(event));
      }
    }
  }
  std::uint64_t revision = 0;
  std::vector<Event> events;
  std::atomic<std::size_t> ended = 0;  // jobs
};

// Prepares and starts by itself, as a node would: answers come as commands, later.
class AnsweringExecutor final : public Executor {
 public:
  void prepare(const Lease& lease, const JobSpec& /*spec*/) override {
    loop->post({ReportPrepared{lease.id, lease.epoch}, {}, {}}, [](const auto&) {});
  }
  void start(const Lease& lease, const JobSpec& /*spec*/) override {
    loop->post({ReportEnded{lease.id, lease.epoch, EndReason::kSucceeded}, {}, {}},
               [](const auto&) {});
  }
  void revoke(const Lease& lease, ReclaimGrade /*grade*/) override {
    loop->post({ReportReleased{lease.id, lease.epoch, {}}, {}, {}}, [](const auto&) {});
  }
  void change_layout(const LayoutAsk& /*ask*/) override {}
  ControlLoop* loop = nullptr;
};

class StandingClock final : public Clock {
 public:
  TimeMs now() const override { return now_; }
  void set(TimeMs now) { now_ = now; }

 private:
  std::atomic<TimeMs> now_ = 0;
};

struct Rig {
  explicit Rig(LoopOptions options = {})
      : controller({journal, executor, clock, metrics, learner, nullptr, &listener}, {}),
        loop(controller, clock, nullptr, options) {
    executor.loop = &loop;
    command({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}});
    command({DeclareQueue{t::queue("q")}, {}, {}});
    for (int n = 0; n < 4; ++n) {
      command({JoinNode{t::node("n" + std::to_string(n), "plain", 4)}, {}, {}});
    }
  }
  void command(Command command) { ASSERT_TRUE(controller.execute(std::move(command))); }
  bool all_end(std::size_t jobs) {
    for (int i = 0; i < 2000 && listener.ended < jobs; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return listener.ended == jobs;
  }

  testing::EventJournal journal;
  StandingClock clock;
  AnsweringExecutor executor;
  NoMetrics metrics;
  testing::NoLearner learner;
  Listener listener;
  Controller controller;
  ControlLoop loop;
};

TEST(ControlLoop, JobsOfManyThreadsRunToTheirEndAndShareCommits) {
  Rig rig;
  rig.loop.start();
  constexpr int kThreads = 8;
  constexpr int kJobs = 200;
  std::vector<std::jthread> threads;
  std::atomic<int> refused = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&rig, &refused, thread] {
      for (int job = 0; job < kJobs; ++job) {
        const std::string name = "j" + std::to_string(thread) + "-" + std::to_string(job);
        if (!rig.loop.execute(t::submit(name, t::job("q", t::whole(1))))) ++refused;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(refused, 0);
  EXPECT_TRUE(rig.all_end(kThreads * kJobs)) << rig.listener.ended;
  rig.loop.stop();
  EXPECT_EQ(rig.controller.state().jobs().size(), 0U);
  EXPECT_EQ(engine::broken_invariants(rig.controller.state()), std::vector<std::string>{});
  EXPECT_EQ(rig.journal.revision, rig.controller.state().revision());
  EXPECT_EQ(rig.listener.revision, rig.controller.state().revision());
  EXPECT_LT(rig.loop.counts().commits, rig.loop.counts().commands);
}

TEST(ControlLoop, ARetriedSubmitIsOneJobThoughTheyComeTogether) {
  Rig rig;
  Command submit = t::submit("once", t::job("q", t::whole(1)));
  submit.request_id = "r1";
  std::vector<JobId> jobs;
  std::latch answered(3);
  for (int i = 0; i < 3; ++i) {  // before the loop runs: all in one group
    rig.loop.post(submit, [&](const Result<Reply>& reply) {
      jobs.push_back(reply ? reply->job : JobId::none());
      answered.count_down();
    });
  }
  rig.loop.start();
  answered.wait();
  EXPECT_TRUE(rig.all_end(1));
  rig.loop.stop();
  EXPECT_EQ(jobs, (std::vector<JobId>(3, JobId(1))));
  EXPECT_EQ(rig.controller.state().totals().submitted, 1U);
}

TEST(ControlLoop, AJournalThatRefusesEndsItAndEverybodyIsTold) {
  Rig rig;
  std::atomic<int> told = 0;
  std::latch ended(1);
  rig.loop.on_failure([&](const Error& error) {
    EXPECT_EQ(error.message, "the disk is full");
    ended.count_down();
  });
  rig.journal.broken = true;
  for (int i = 0; i < 5; ++i) {
    rig.loop.post(t::submit("j" + std::to_string(i), t::job("q", t::whole(1))),
                  [&](const Result<Reply>& reply) { told += reply ? 0 : 1; });
  }
  rig.loop.start();
  ended.wait();
  EXPECT_EQ(told, 5);
  EXPECT_EQ(rig.loop.execute({Tick{}, {}, {}}).error().message, "the disk is full");
  rig.loop.stop();
}

// Fails at every second save, and at each compaction.
class BrokenSnapshots final : public Snapshots {
 public:
  Status save(const Snapshot& snapshot) override {
    if (++saves % 2 == 1) return fail(ErrorCode::kUnavailable, "no room");
    newest_revision = snapshot.revision;
    return {};
  }
  Result<std::optional<Snapshot>> newest() const override { return std::nullopt; }
  Status compact() override { return fail(ErrorCode::kUnavailable, "a member is away"); }
  std::atomic<int> saves = 0;
  std::atomic<std::uint64_t> newest_revision = 0;
};

TEST(ControlLoop, SnapshotsThatFailAreTriedAgainAndEndNothing) {
  Rig rig;
  BrokenSnapshots snapshots;
  LoopOptions options;
  options.poll_ms = 5;
  options.snapshot_every = 20;
  testing::EventJournal journal;
  Controller controller(
      {journal, rig.executor, rig.clock, rig.metrics, rig.learner, &snapshots, nullptr}, {});
  ASSERT_TRUE(controller.execute({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}}));
  ASSERT_TRUE(controller.execute({DeclareQueue{t::queue("q")}, {}, {}}));
  ASSERT_TRUE(controller.execute({JoinNode{t::node("n", "plain", 4)}, {}, {}}));
  ControlLoop loop(controller, rig.clock, &snapshots, options);
  rig.executor.loop = &loop;
  std::set<std::string> troubles;
  loop.on_trouble([&](const Error& error) { troubles.insert(error.message); });
  loop.on_failure([](const Error& error) { ADD_FAILURE() << error.to_text(); });
  loop.start();
  for (int job = 0; job < 200; ++job) {
    ASSERT_TRUE(
        loop.execute(t::submit("j" + std::to_string(job), t::job("q", t::whole(1)))).has_value());
  }
  EXPECT_GT(loop.counts().snapshots, 2U);
  loop.stop();
  EXPECT_EQ(troubles, (std::set<std::string>{"a member is away", "no room"}));
  EXPECT_GT(snapshots.newest_revision, 100U);
}

TEST(ControlLoop, RefusesWhatIsTooMuchAndWhatComesAfterItsEnd) {
  LoopOptions options;
  options.most_waiting = 2;
  Rig rig(options);
  std::vector<std::string> answers;
  const auto answer = [&](const Result<Reply>& reply) {
    answers.push_back(reply ? "done" : reply.error().message);
  };
  for (int i = 0; i < 3; ++i) rig.loop.post({Tick{}, {}, {}}, answer);
  EXPECT_EQ(answers, (std::vector<std::string>{"2 commands wait already; ask again later"}));
  EXPECT_EQ(rig.loop.counts().refused, 1U);
  rig.loop.start();
  while (rig.loop.waiting() > 0) std::this_thread::yield();
  rig.loop.stop();
  rig.loop.post({Tick{}, {}, {}}, answer);
  EXPECT_EQ(answers.back(), "the server is stopping; ask again");
}

TEST(ControlLoop, LooksAtDeadlinesThoughNobodyAsks) {
  LoopOptions options;
  options.poll_ms = 5;
  Rig rig(options);
  JobSpec spec = t::job("q", t::whole(1));
  spec.start_timeout_ms = 10 * kSecondMs;
  rig.executor.loop = nullptr;
  class Silent final : public Executor {
   public:
    void prepare(const Lease& /*lease*/, const JobSpec& /*spec*/) override { ++prepared; }
    void start(const Lease& /*lease*/, const JobSpec& /*spec*/) override {}
    void revoke(const Lease& /*lease*/, ReclaimGrade /*grade*/) override { ++revoked; }
    void change_layout(const LayoutAsk& /*ask*/) override {}
    std::atomic<int> prepared = 0;
    std::atomic<int> revoked = 0;
  } silent;
  testing::EventJournal journal;
  Controller controller({journal, silent, rig.clock, rig.metrics, rig.learner}, {});
  ControlLoop loop(controller, rig.clock, nullptr, options);
  ASSERT_TRUE(controller.execute({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}}));
  ASSERT_TRUE(controller.execute({DeclareQueue{t::queue("q")}, {}, {}}));
  ASSERT_TRUE(controller.execute({JoinNode{t::node("n", "plain", 4)}, {}, {}}));
  loop.start();
  ASSERT_TRUE(loop.execute(t::submit("slow", std::move(spec))));
  const auto until = [](const std::atomic<int>& count) {
    for (int i = 0; i < 2000 && count == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return count == 1;
  };
  ASSERT_TRUE(until(silent.prepared));
  rig.clock.set(11 * kSecondMs);
  EXPECT_TRUE(until(silent.revoked));
  loop.stop();
}

}  // namespace
}  // namespace berth::control
