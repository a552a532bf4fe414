// The public cases 062 and 066 for a control plane alone: what it does first after a restart, and
// what a clock that jumps does to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "base/rng.h"
#include "control/control_loop.h"
#include "control/testing.h"
#include "engine/state/invariants.h"
#include "journal/memory_journal.h"
#include "model/testing.h"

namespace berth::sim {
namespace {

namespace t = berth::testing;
using control::Controller;
using control::ControlLoop;
using control::testing::ManualClock;
using ::testing::IsEmpty;

// Another journal that counts what is read of it, and may break off.
class CountedJournal final : public control::Journal {
 public:
  explicit CountedJournal(journal::MemoryJournal& inner) : inner_(inner) {}
  Status append(std::uint64_t first_revision, std::span<const EventBatch> batches) override {
    return inner_.append(first_revision, batches);
  }
  Status replay(std::uint64_t after,
                const std::function<Status(const EventBatch&)>& visit) const override {
    return inner_.replay(after, [&](const EventBatch& batch) -> Status {
      if (++read_ > breaks_after) return fail(ErrorCode::kUnavailable, "the disk is gone");
      return visit(batch);
    });
  }
  std::uint64_t read() const { return read_; }
  std::uint64_t breaks_after = UINT64_MAX;  // batches

 private:
  journal::MemoryJournal& inner_;
  mutable std::uint64_t read_ = 0;
};

// Says which leases it was told to prepare, and nothing to the controller: no node has reported.
class SilentNodes final : public control::Executor {
 public:
  void prepare(const Lease& lease, const JobSpec& /*spec*/) override { note(lease.id); }
  void start(const Lease& /*lease*/, const JobSpec& /*spec*/) override {
    const std::lock_guard lock(mutex_);
    ++starts_;
  }
  void revoke(const Lease& /*lease*/, ReclaimGrade /*grade*/) override {}
  void change_layout(const control::LayoutAsk& /*ask*/) override {}

  std::vector<LeaseId> prepared() const {
    const std::lock_guard lock(mutex_);
    return prepared_;
  }
  std::size_t starts() const {
    const std::lock_guard lock(mutex_);
    return starts_;
  }
  bool comes_to(std::size_t prepared) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60),
                             [&] { return prepared_.size() >= prepared; });
  }

 private:
  void note(LeaseId lease) {
    {
      const std::lock_guard lock(mutex_);
      prepared_.push_back(lease);
    }
    changed_.notify_all();
  }
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<LeaseId> prepared_;
  std::size_t starts_ = 0;
};

JobSpec without_gpu(std::uint32_t tasks) {
  JobSpec spec = t::job("q", {}, tasks);
  spec.roles[0].containers[0].cpu_milli = 500;
  return spec;
}

// A tenth of the case's cluster: 500 nodes of 8 GPUs, 14,000 tasks, most of them without a GPU.
class LargeCluster {
 public:
  static constexpr std::uint64_t kTasks = 14'000;

  LargeCluster() {
    Controller first({memory, nodes_, clock, metrics_, learner_, &memory}, {});
    run(first, DeclareModel{t::plain_model("plain", 40'000)});
    run(first, DeclareQueue{t::queue("q")});
    for (int n = 0; n < 500; ++n) {
      run(first, JoinNode{t::node("n" + std::to_string(n), "plain", 8)});
    }
    for (int j = 0; j < 1'300; ++j) {
      EXPECT_TRUE(first.execute(t::submit("c" + std::to_string(j), without_gpu(10))));
    }
    for (int j = 0; j < 1'000; ++j) {
      EXPECT_TRUE(first.execute(t::submit("g" + std::to_string(j), t::job("q", t::whole(1)))));
    }
    EXPECT_TRUE(first.run_cycle());
    for (const LeaseId lease : nodes_.prepared()) run(first, ReportPrepared{lease, 1});
    EXPECT_TRUE(first.save_snapshot());
    // and what has happened since
    clock.set(kMinuteMs);
    run(first, ReportEnded{nodes_.prepared().back(), 1, EndReason::kSucceeded});
    EXPECT_TRUE(first.execute(t::submit("waits", t::job("q", t::whole(1)))));
    hash = first.state().hash();
    running = nodes_.starts() - 1;
  }

  journal::MemoryJournal memory;
  ManualClock clock;
  std::uint64_t hash = 0;
  std::size_t running = 0;  // tasks

 private:
  static void run(Controller& controller, CommandBody body) {
    const auto done = controller.execute({std::move(body), {}, {}});
    EXPECT_TRUE(done) << done.error().to_text();
  }
  SilentNodes nodes_;
  control::NoMetrics metrics_;
  control::testing::NoLearner learner_;
};

TEST(Case062, TheFirstCycleAfterARestartPlacesWhatWaits) {
  LargeCluster cluster;
  ASSERT_EQ(cluster.running, LargeCluster::kTasks - 1);
  CountedJournal journal(cluster.memory);
  SilentNodes nodes;
  control::NoMetrics metrics;
  control::testing::NoLearner learner;
  Controller next({journal, nodes, cluster.clock, metrics, learner, &cluster.memory}, {});
  ASSERT_TRUE(next.recover());
  EXPECT_EQ(next.state().hash(), cluster.hash) << "the state is that of before the stop";
  EXPECT_LE(journal.read(), 4U) << "what has happened since the last snapshot, and no more";
  EXPECT_THAT(nodes.prepared(), IsEmpty()) << "nothing is decided before all is loaded";
  EXPECT_EQ(nodes.starts(), cluster.running) << "what runs is told again";

  ControlLoop loop(next, cluster.clock, nullptr);
  loop.start();
  EXPECT_TRUE(nodes.comes_to(1));
  loop.stop();
  ASSERT_EQ(nodes.prepared().size(), 1U);
  EXPECT_LE(loop.counts().cycles, 2U) << "the first one, and the one that finds nothing left";
  EXPECT_EQ(loop.counts().commands, 0U) << "no node has said anything";
  EXPECT_EQ(next.state().find_job("waits")->phase, JobPhase::kPreparing);
}

TEST(Case062, NothingIsDecidedOnAStateThatIsOnlyPartlyLoaded) {
  LargeCluster cluster;
  for (const bool from_snapshot : {false, true}) {
    CountedJournal journal(cluster.memory);
    journal.breaks_after = from_snapshot ? 1 : 700;
    SilentNodes nodes;
    control::NoMetrics metrics;
    control::testing::NoLearner learner;
    Controller next({journal, nodes, cluster.clock, metrics, learner,
                     from_snapshot ? &cluster.memory : nullptr},
                    {});
    const Status loaded = next.recover();
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().message, "the disk is gone");
    EXPECT_THAT(nodes.prepared(), IsEmpty());
    EXPECT_EQ(nodes.starts(), 0U) << "nobody is told anything";
  }
}

// Case 066: the clock of a leader jumps back and forth, and the next leader's is another one. State
// time never goes back, nothing that runs is touched, and what has a deadline gets no less than it.
TEST(Case066, AClockThatJumpsTouchesNothingThatRuns) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    journal::MemoryJournal memory;
    ManualClock clock;
    clock.set(30 * kHourMs);
    control::testing::RecordingExecutor executor;
    control::NoMetrics metrics;
    control::testing::NoLearner learner;
    auto controller = std::make_unique<Controller>(
        control::Ports{memory, executor, clock, metrics, learner}, control::ControllerOptions{});
    const auto run = [&](CommandBody body) {
      ASSERT_TRUE(controller->execute({std::move(body), {}, {}})) << seed;
    };
    run(DeclareModel{t::plain_model("plain", 40'000)});
    run(DeclareQueue{t::queue("q")});
    run(JoinNode{t::node("n", "plain", 4)});
    run(t::submit("runs", t::job("q", t::whole(2))).body);
    ASSERT_TRUE(controller->run_cycle());
    run(ReportPrepared{LeaseId(1), 1});
    const Lease before = *controller->state().find_lease(LeaseId(1));
    TimeMs last = 0;
    for (int step = 0; step < 60; ++step) {
      const auto jump = static_cast<DurationMs>(rng.below(static_cast<std::uint64_t>(kHourMs)));
      clock.set(std::max<TimeMs>(0, clock.now() + (rng.below(2) == 0 ? jump : -jump)));
      switch (rng.below(4)) {
        case 0:
          ASSERT_TRUE(
              controller->execute(t::submit("j" + std::to_string(step), t::job("q", t::whole(4)))));
          break;
        case 1:
          ASSERT_TRUE(controller->tick());
          break;
        case 2:
          ASSERT_TRUE(controller->run_cycle());
          break;
        default: {
          const std::uint64_t hash = controller->state().hash();
          controller = std::make_unique<Controller>(
              control::Ports{memory, executor, clock, metrics, learner},
              control::ControllerOptions{});
          ASSERT_TRUE(controller->recover());
          ASSERT_EQ(controller->state().hash(), hash) << seed;
        }
      }
      ASSERT_GE(controller->state().now(), last) << seed;
      last = controller->state().now();
      ASSERT_EQ(*controller->state().find_lease(LeaseId(1)), before) << seed;
      ASSERT_THAT(engine::broken_invariants(controller->state()), IsEmpty()) << seed;
    }
    EXPECT_EQ(controller->state().find_job("runs")->started_at, 30 * kHourMs);
  }
}

}  // namespace
}  // namespace berth::sim
