// The public cases 056 and 076: what a tenant is told to have used, and how long a job is told to
// have waited, whatever way it took and however often the control plane was restarted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "control/controller.h"
#include "control/testing.h"
#include "engine/state/invariants.h"
#include "journal/memory_journal.h"
#include "model/testing.h"
#include "sim/testing.h"

namespace berth::sim {
namespace {

namespace t = berth::testing;
using control::Controller;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What the log of allocations alone says: by queue of the job, cards by time, from each grant until
// its devices were given back, or until nobody is charged for them any more.
class Account final : public control::Subscriber {
 public:
  void begin(const engine::ClusterState& /*state*/) override {}
  void committed(std::uint64_t first_revision, std::vector<EventBatch> batches) override {
    for (const EventBatch& batch : batches) {
      for (const Event& event : batch) {
        if (first_revision++ < revision_) continue;  // of a replay
        ++revision_;
        events.push_back(event);
        note(event);
      }
    }
  }
  engine::CardTime used(const std::string& queue, TimeMs now) const {
    const auto found = used_.find(queue);
    engine::CardTime time = found == used_.end() ? engine::CardTime() : found->second;
    for (const auto& [lease, held] : held_) {
      if (held.queue == queue) time.add(held.compute, now - held.since);
    }
    return time;
  }

  std::vector<Event> events;

 private:
  struct Held {
    std::string queue;
    CardUnits compute = 0;
    TimeMs since = 0;
  };
  void note(const Event& event) {
    if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
      queues_[submitted->job] = submitted->spec->queue;
    } else if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) {
      Held held{queues_.at(granted->job), 0, event.at};
      for (const CardGrant& card : granted->placement.grants) held.compute += card.compute;
      held_.emplace(granted->lease, held);
    } else if (const auto* released = std::get_if<LeaseReleased>(&event.body)) {
      end(released->lease, event.at);
    } else if (const auto* overdue = std::get_if<LeaseOverdue>(&event.body)) {
      end(overdue->lease, event.at);
    }
  }
  void end(LeaseId lease, TimeMs at) {
    const auto found = held_.find(lease);
    if (found == held_.end()) return;
    used_[found->second.queue].add(found->second.compute, at - found->second.since);
    held_.erase(found);
  }

  std::uint64_t revision_ = 0;
  std::map<JobId, std::string> queues_;
  std::map<LeaseId, Held> held_;
  std::map<std::string, engine::CardTime> used_;
};

// A control plane that is restarted, from its journal or from a snapshot.
class Plane {
 public:
  Plane(int nodes, std::size_t cards) {
    restart();
    must(DeclareModel{t::plain_model("plain", 40'000)});
    for (const char* name : {"top", "A", "B"}) {
      QueueSpec queue = t::queue(name);
      if (queue.name != "top") queue.parent = "top";
      must(DeclareQueue{queue});
    }
    for (int n = 0; n < nodes; ++n)
      must(JoinNode{t::node("n" + std::to_string(n), "plain", cards)});
  }

  void must(CommandBody body) {
    const auto done = controller->execute({std::move(body), {}, {}});
    ASSERT_TRUE(done) << done.error().to_text();
  }
  // Whether it was not refused.
  bool may(CommandBody body) { return controller->execute({std::move(body), {}, {}}).has_value(); }
  void submit(const std::string& name, JobSpec spec) {
    must(SubmitJob{name, std::make_shared<const JobSpec>(std::move(spec))});
  }
  void cycle() { ASSERT_TRUE(controller->run_cycle()); }
  void pass(DurationMs ms) {
    clock.set(clock.now() + ms);
    ASSERT_TRUE(controller->tick());
  }
  void restart() {
    controller = std::make_unique<Controller>(
        control::Ports{journal, executor, clock, metrics, learner, &journal, &account},
        control::ControllerOptions{control::FastPath::kOff, control::PlanOn::kLiveState, 1});
    ASSERT_TRUE(controller->recover());
  }
  // What the metrics were told of waits: until what, and how long.
  std::vector<std::pair<control::JobWait::For, DurationMs>> waits() const {
    std::vector<std::pair<control::JobWait::For, DurationMs>> told;
    for (const control::JobWait& wait : metrics.waits) told.emplace_back(wait.what, wait.ms);
    return told;
  }
  void save() {
    ASSERT_TRUE(controller->save_snapshot());
    ASSERT_TRUE(journal.compact());
  }
  const engine::ClusterState& state() const { return controller->state(); }
  const engine::JobRecord* job(const std::string& name) const { return state().find_job(name); }
  // As the API answers it.
  engine::CardTime used(const std::string& queue) const {
    engine::CardTime time;
    for (const auto& usage : state().queues()[state().find_queue(queue).value()].usage) {
      time.add(usage.held.plus(usage.total.compute, clock.now() - usage.since));
    }
    return time;
  }
  std::optional<LeaseId> lease_in(LeaseState wanted, Rng& rng) const {
    std::vector<LeaseId> found;
    for (const LeaseId id : state().leases().sorted_ids()) {
      if (state().find_lease(id)->state == wanted) found.push_back(id);
    }
    if (found.empty()) return std::nullopt;
    return found[rng.below(found.size())];
  }
  std::uint64_t epoch(LeaseId id) const { return state().find_lease(id)->epoch; }

  Account account;
  journal::MemoryJournal journal;
  control::testing::ManualClock clock;
  control::testing::RecordingExecutor executor;
  control::testing::CountingMetrics metrics;  // outlives restarts, as what collects it does
  control::testing::NoLearner learner;
  std::unique_ptr<Controller> controller;
};

// A: 8 GPUs for an hour, at once. B: the same on another day; first its owner's check holds it for
// ten minutes, then a start fails and is tried again, and a leader dies on the way.
TEST(Case056, BothRoutesEndWithTheSameUsage) {
  Plane plane(1, 8);
  plane.submit("a", t::job("A", t::whole(8)));
  plane.cycle();
  plane.must(ReportPrepared{LeaseId(1), 1});
  plane.pass(kHourMs);
  plane.must(ReportEnded{LeaseId(1), 1, EndReason::kSucceeded});
  plane.pass(24 * kHourMs);

  plane.submit("b", t::job("B", t::whole(8)));
  plane.must(HoldJob{"b"});
  plane.cycle();
  plane.pass(10 * kMinuteMs);
  EXPECT_EQ(plane.used("B").card_ms(), 0) << "it holds no device";
  plane.restart();
  plane.must(UnholdJob{"b"});
  plane.cycle();
  plane.must(ReportPrepareFailed{LeaseId(2), 1, "no image"});
  plane.save();
  plane.restart();
  plane.pass(kHourMs);
  plane.cycle();
  plane.pass(5 * kMinuteMs);
  plane.must(ReportPrepared{LeaseId(3), 2});
  plane.pass(25 * kMinuteMs);
  plane.save();
  plane.restart();
  plane.pass(30 * kMinuteMs);
  plane.must(ReportEnded{LeaseId(3), 2, EndReason::kSucceeded});
  plane.pass(kHourMs);
  for (const char* queue : {"A", "B"}) {
    EXPECT_EQ(plane.used(queue).card_ms(), 28'800 * kSecondMs) << queue;
    EXPECT_EQ(plane.used(queue), plane.account.used(queue, plane.clock.now())) << queue;
  }
  EXPECT_EQ(plane.used("top").card_ms(), 57'600 * kSecondMs) << "the sum over owners";
}

// One of the things that can happen to a job on its way.
void happen(Plane& plane, Rng& rng, int& jobs) {
  const std::string some = "j" + std::to_string(rng.below(static_cast<std::uint64_t>(jobs) + 1));
  switch (rng.below(14)) {
    case 0:
    case 1:
    case 2: {
      const CardUnits share = kCard / static_cast<CardUnits>(2 + rng.below(3));
      const auto cards = static_cast<std::uint32_t>(1 + rng.below(3));
      JobSpec spec = t::job(rng.below(2) == 0 ? "A" : "B",
                            rng.below(3) == 0 ? t::share(share) : t::whole(cards),
                            static_cast<std::uint32_t>(1 + rng.below(3)));
      spec.restarts = 2;
      spec.roles[0].min = static_cast<std::uint32_t>(1);
      return plane.submit("j" + std::to_string(jobs++), std::move(spec));
    }
    case 3:
      plane.may(CancelJob{some});
      return;
    case 4:
      plane.may(rng.below(2) == 0 ? CommandBody(HoldJob{some}) : CommandBody(UnholdJob{some}));
      return;
    case 5:
      if (const auto id = plane.lease_in(LeaseState::kGranted, rng)) {
        plane.must(ReportPrepareFailed{*id, plane.epoch(*id), "no image"});
      }
      return;
    case 6:
    case 7:
      if (const auto id = plane.lease_in(LeaseState::kGranted, rng)) {
        plane.must(ReportPrepared{*id, plane.epoch(*id)});
      }
      return;
    case 8:
    case 9:
      if (const auto id = plane.lease_in(LeaseState::kRunning, rng)) {
        constexpr EndReason kReasons[] = {EndReason::kSucceeded, EndReason::kFailed,
                                          EndReason::kLost};
        plane.must(ReportEnded{*id, plane.epoch(*id), kReasons[rng.below(3)]});
      }
      return;
    case 10:
      if (const auto id = plane.lease_in(LeaseState::kRevoking, rng)) {
        plane.must(ReportReleased{*id, plane.epoch(*id), {}});
      }
      return;
    case 11:
      if (rng.below(3) == 0) plane.save();
      if (rng.below(3) == 0) plane.restart();
      return;
    case 12:
      return plane.pass(static_cast<DurationMs>(rng.below(3 * kMinuteMs)));
    default:
      return plane.cycle();
  }
}

TEST(Case056, ByAnyRouteUsageIsWhatTheLogOfAllocationsSays) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rng rng(seed);
    Plane plane(3, 4);
    int jobs = 0;
    for (int step = 0; jobs < 1'000; ++step) {
      happen(plane, rng, jobs);
      if (step % 20 > 0) continue;
      const TimeMs now = plane.clock.now();
      engine::CardTime both = plane.account.used("A", now);
      both.add(plane.account.used("B", now));
      ASSERT_EQ(plane.used("A"), plane.account.used("A", now)) << seed << ", step " << step;
      ASSERT_EQ(plane.used("B"), plane.account.used("B", now)) << seed << ", step " << step;
      ASSERT_EQ(plane.used("top"), both) << seed << ", step " << step;
    }
    EXPECT_GT(plane.used("top").card_ms(), kHourMs) << seed;
  }
}

std::vector<TimeMs> times_of(const std::vector<Event>& events, const std::string& name) {
  std::vector<TimeMs> times;
  for (const Event& event : events) {
    if (event_name(event.body) == name) times.push_back(event.at);
  }
  return times;
}

// A gang of 2 x 1 GPU, queued at 0 s, ready at 30 s; after 7 days a member is lost, and 60 s later
// both are ready again. A leader dies before and after.
TEST(Case076, ARecoveryIsNotTakenForAWaitOfAWeek) {
  constexpr DurationMs kWeek = 604'800 * kSecondMs;
  Plane plane(2, 1);
  JobSpec gang = t::job("A", t::whole(1), 2);
  gang.repair_within_ms = kHourMs;
  plane.submit("g", std::move(gang));
  plane.cycle();
  plane.must(ReportPrepared{LeaseId(1), 1});
  plane.pass(30 * kSecondMs);
  plane.must(ReportPrepared{LeaseId(2), 1});
  plane.save();
  plane.restart();
  plane.pass(kWeek);
  plane.must(ReportEnded{LeaseId(2), 1, EndReason::kLost});
  EXPECT_EQ(plane.job("g")->phase, JobPhase::kRepairing);
  plane.cycle();
  plane.restart();
  plane.pass(60 * kSecondMs);
  plane.must(ReportPrepared{LeaseId(3), plane.epoch(LeaseId(3))});
  EXPECT_EQ(plane.job("g")->phase, JobPhase::kRunning);
  plane.save();
  plane.restart();
  plane.pass(kHourMs);

  EXPECT_THAT(times_of(plane.account.events, "job-started"), ElementsAre(30 * kSecondMs))
      << "queued until ready: once, 30 s";
  EXPECT_EQ(plane.job("g")->submitted_at, 0);
  EXPECT_EQ(plane.job("g")->started_at, 30 * kSecondMs);
  const TimeMs lost = 30 * kSecondMs + kWeek;
  EXPECT_THAT(times_of(plane.account.events, "job-repairing"), ElementsAre(lost));
  EXPECT_THAT(times_of(plane.account.events, "job-repaired"), ElementsAre(lost + 60 * kSecondMs))
      << "the recovery: once, 60 s";
  using For = control::JobWait::For;
  EXPECT_THAT(plane.waits(), ElementsAre(std::pair(For::kStart, 30 * kSecondMs),
                                         std::pair(For::kRepair, 60 * kSecondMs)))
      << "the metrics have one sample of each, over all restarts";
}

// A job that goes back to the queue waits from then on, and not since it was submitted; the time of
// another leader's clock, which is behind or ahead, makes no wait negative.
TEST(Case076, WhoWasStoppedWaitsSinceThen) {
  for (const DurationMs skew : {-60 * kSecondMs, DurationMs{0}, 5 * kSecondMs}) {
    Plane plane(1, 1);
    plane.submit("j", t::job("A", t::whole(1)));
    plane.pass(30 * kSecondMs);
    EXPECT_EQ(plane.job("j")->waits_since(), 0);
    plane.cycle();
    plane.must(ReportPrepared{LeaseId(1), 1});
    plane.pass(7 * 24 * kHourMs);
    const TimeMs stopped = plane.clock.now();
    plane.must(ReportEnded{LeaseId(1), 1, EndReason::kLost});
    plane.clock.set(stopped + skew);
    plane.restart();
    ASSERT_TRUE(plane.controller->tick());
    EXPECT_EQ(plane.job("j")->waits_since(), stopped) << skew;
    EXPECT_GE(plane.state().now(), stopped) << "never negative";
    plane.clock.set(stopped + 60 * kSecondMs);
    plane.cycle();
    ASSERT_EQ(plane.state().leases().size(), 1U) << skew;
    plane.must(ReportPrepared{LeaseId(2), 2});
    EXPECT_EQ(plane.job("j")->started_at - stopped, 60 * kSecondMs) << skew;
    EXPECT_EQ(plane.job("j")->submitted_at, 0) << skew;
    using For = control::JobWait::For;
    EXPECT_THAT(plane.waits(), ElementsAre(std::pair(For::kStart, 30 * kSecondMs),
                                           std::pair(For::kRestart, 60 * kSecondMs)))
        << skew;
  }
}

// In the report of a run the wait of a job is that until it first started, however often it was
// interrupted later.
TEST(Case076, AReportHasOneWaitForEachJob) {
  const CheckpointSpec saves = testing::checkpoint(kHourMs, kMinuteMs, kMinuteMs);
  SimInput input = testing::quiet_input(2, {testing::train("a", 4, 1, 100 * kHourMs, saves),
                                            testing::train("b", 4, 1, 100 * kHourMs, saves)});
  input.settings.executor.prepare.value_ms = 30 * kSecondMs;
  FailureSpec failures;
  failures.card_per_hour = 0;
  failures.node_per_hour = 0.05;
  failures.correlated_ppm = 0;
  input.settings.failures = failures;
  const testing::Played played = testing::play(std::move(input));
  const auto hits =
      played.result.interruptions[static_cast<std::size_t>(Interruption::kNodeFailure)];
  ASSERT_GT(hits, 2);
  EXPECT_EQ(played.result.wait.jobs, 2);
  EXPECT_GE(played.result.wait.max_ms, 30 * kSecondMs);
  EXPECT_LE(played.result.wait.max_ms, 31 * kSecondMs) << "with the wait for a cycle";
  EXPECT_GT(times_of(played.events, "job-started").size(), 2U);
}

}  // namespace
}  // namespace berth::sim
