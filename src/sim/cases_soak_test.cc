// The public case 064 in the size of a test: jobs come and go for long at a steady level, and
// nothing grows: not the state, not the memory, not the journal, not the work of a cycle.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <deque>

#include "control/controller.h"
#include "control/testing.h"
#include "engine/cycle/engine.h"
#include "journal/memory_journal.h"
#include "model/testing.h"

namespace berth::sim {
namespace {

namespace t = berth::testing;

// An engine that follows, to be asked what a cycle costs.
class Shadow final : public control::Subscriber {
 public:
  void begin(const engine::ClusterState& /*state*/) override {}
  void committed(std::uint64_t /*first_revision*/, std::vector<EventBatch> batches) override {
    for (const EventBatch& batch : batches) {
      for (const Event& event : batch) engine.apply(event);
    }
  }
  engine::Engine engine;
};

// What there is at one moment, after a compaction.
struct Sizes {
  std::size_t state_bytes = 0;
  std::size_t journal_bytes = 0;
  std::size_t heap_bytes = 0;  // in use; 0: this C library does not say
  std::size_t records = 0;     // of specs, shapes, asks, kinds of nodes and cards
  std::uint64_t steps = 0;     // of all cycles since the last moment
};

class Soak {
 public:
  static constexpr int kJobsARound = 50;
  static constexpr int kLive = 1'000;

  Soak()
      : controller_({journal_, executor_, clock_, metrics_, learner_, &journal_, &shadow_},
                    {control::FastPath::kOff, control::PlanOn::kLiveState, 1}) {
    run(DeclareModel{t::plain_model("plain", 40'000)});
    for (int q = 0; q < 20; ++q) run(DeclareQueue{t::queue("q" + std::to_string(q))});
    for (int n = 0; n < 200; ++n) {
      run(JoinNode{t::node("n" + std::to_string(n), "plain", 8)});
    }
  }

  // So many jobs are submitted, and about as many end.
  void go(int jobs) {
    for (const int until = submitted_ + jobs; submitted_ < until;) {
      for (int i = 0; i < kJobsARound; ++i) submit();
      clock_.set(clock_.now() + kSecondMs);
      shadow_.engine.plan(clock_.now());
      const engine::Effort& effort = shadow_.engine.effort();
      steps_ += effort.lines + effort.turns + effort.searches + effort.candidates;
      EXPECT_TRUE(controller_.run_cycle());
      start_what_was_granted();
      while (running_.size() > kLive) {
        run(ReportEnded{running_.front(), 1, EndReason::kSucceeded});
        running_.pop_front();
      }
    }
  }
  Sizes measure() {
    for (std::uint64_t kept = 0; kept < control::kSnapshotsKept; ++kept) {
      run(SetCardHealth{"n0", 0, kept % 2 == 0 ? CardHealth::kSuspect : CardHealth::kHealthy});
      EXPECT_TRUE(controller_.save_snapshot());
      EXPECT_TRUE(journal_.compact());
    }
    executor_.calls.shrink_to_fit();
    const engine::ClusterState& state = controller_.state();
    Sizes sizes;
    sizes.state_bytes = state.save().size();
    sizes.journal_bytes = journal_.bytes().size();
    sizes.heap_bytes = mallinfo2().uordblks;
    sizes.records = state.shapes().size() + state.asks().size() + state.node_kind_count() +
                    state.card_kind_count();
    sizes.steps = std::exchange(steps_, 0);
    return sizes;
  }
  const engine::ClusterState& state() const { return controller_.state(); }

 private:
  void run(CommandBody body) {
    const auto done = controller_.execute({std::move(body), {}, {}});
    ASSERT_TRUE(done) << done.error().to_text();
  }
  void submit() {
    const int number = submitted_++;
    JobSpec spec = t::job("q" + std::to_string(number % 20),
                          t::whole(1 + static_cast<std::uint32_t>(number % 7 == 0)));
    // names of images differ, and so do specs
    spec.roles[0].containers[0].image = "train:" + std::to_string(100'000 + number);
    ASSERT_TRUE(controller_.execute(t::submit("j" + std::to_string(100'000 + number), spec)));
  }
  void start_what_was_granted() {
    for (const std::string& call : std::exchange(executor_.calls, {})) {
      if (!call.starts_with("prepare ")) continue;
      const LeaseId lease(std::stoull(call.substr(8)));
      run(ReportPrepared{lease, 1});
      running_.push_back(lease);
    }
    executor_.calls.clear();
  }

  journal::MemoryJournal journal_;
  control::testing::ManualClock clock_;
  control::testing::RecordingExecutor executor_;
  control::NoMetrics metrics_;
  control::testing::NoLearner learner_;
  Shadow shadow_;
  control::Controller controller_;
  std::deque<LeaseId> running_;
  std::uint64_t steps_ = 0;
  int submitted_ = 0;
};

TEST(Case064, NothingGrowsWithUptime) {
  constexpr int kJobs = 60'000;
  Soak soak;
  soak.go(kJobs / 10);
  soak.measure();
  soak.go(kJobs / 10);
  const Sizes second = soak.measure();
  Sizes last;
  std::size_t heap_early =
      second.heap_bytes;  // the most in the first half; tables grow by doubling
  std::size_t heap_late = 0;
  for (int tenth = 3; tenth <= 10; ++tenth) {
    soak.go(kJobs / 10);
    last = soak.measure();
    std::size_t& most = tenth <= 5 ? heap_early : heap_late;
    most = std::max(most, last.heap_bytes);
  }
  EXPECT_EQ(soak.state().totals().submitted, static_cast<std::uint64_t>(kJobs));
  EXPECT_GE(soak.state().jobs().size(), 1'000U) << "the level is steady";
  std::printf("state %zu -> %zu bytes, heap %zu -> %zu, journal %zu -> %zu, steps %llu -> %llu\n",
              second.state_bytes, last.state_bytes, heap_early, heap_late, second.journal_bytes,
              last.journal_bytes, static_cast<unsigned long long>(second.steps),
              static_cast<unsigned long long>(last.steps));
  EXPECT_LE(last.state_bytes, second.state_bytes * 105 / 100);
  EXPECT_LE(last.journal_bytes, second.journal_bytes * 105 / 100 + 1'000);
  EXPECT_LE(heap_late, heap_early * 105 / 100);
  EXPECT_LE(last.records, second.records * 105 / 100);
  EXPECT_LE(last.steps, second.steps * 11 / 10);
}

// Ids of requests are remembered so that none is carried out twice; of so many, and no more.
TEST(Case064, SoManyRequestsAreRemembered) {
  engine::ClusterState state;
  const auto see = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      state.apply({0, RequestSeen{"request-" + std::to_string(1'000'000 + i), JobId::none()}});
    }
    return state.save().size();
  };
  const std::size_t full = see(0, 150'000);
  EXPECT_LE(see(150'000, 300'000), full + 10);
  EXPECT_EQ(state.seen_request("request-1000000"), nullptr);
  EXPECT_NE(state.seen_request("request-1299999"), nullptr);
}

}  // namespace
}  // namespace berth::sim
