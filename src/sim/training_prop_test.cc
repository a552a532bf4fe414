// Over random runs with failures: what leases were spent on is what was leased, to the last
// card-millisecond; the same seed is the same run; failures move no arrival.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
#include "sim/executor_rig.h"
#include "sim/testing.h"

namespace berth::sim {
namespace {

using testing::leased;
using testing::play;
using testing::Played;
using testing::quiet_input;

SimJob random_job(std::size_t number, bool elastic, Rng& rng) {
  JobSpec spec =
      berth::testing::job("q", berth::testing::whole(1 + static_cast<std::uint32_t>(rng.below(4))),
                          1 + static_cast<std::uint32_t>(rng.below(4)));
  if (rng.below(4) == 0)
    spec.roles.front().containers.front().devices = berth::testing::share(kCard / 3);
  spec.job_class = rng.below(5) == 0 ? JobClass::kInference : JobClass::kTraining;
  if (rng.below(4) > 0) {
    spec.checkpoint = testing::checkpoint(static_cast<DurationMs>(rng.below(3)) * 20 * kMinuteMs,
                                          static_cast<DurationMs>(rng.below(3)) * kMinuteMs,
                                          static_cast<DurationMs>(rng.below(3)) * kMinuteMs);
  }
  if (elastic && rng.below(2) == 0) {
    spec.roles.front().min = 1;
    spec.roles.front().elastic = true;
  }
  spec.spot = rng.below(2) == 0;
  if (rng.below(3) == 0) spec.queue = "owner";
  const auto at = static_cast<TimeMs>(rng.below(6 * 3'600'000));
  const auto run = static_cast<DurationMs>(rng.below(6 * 3'600'000));
  return {at, "j" + std::to_string(number), std::make_shared<const JobSpec>(std::move(spec)), run};
}

// Everything that can go wrong, often.
FailureSpec trouble(Rng& rng) {
  FailureSpec spec;
  spec.card_per_hour = 0.02 * static_cast<double>(rng.below(3));
  spec.node_per_hour = 0.02 * static_cast<double>(rng.below(3));
  spec.correlated_ppm = 200'000;
  spec.hold = between(kHourMs, 3 * kHourMs);
  spec.give_up_ms = static_cast<DurationMs>(rng.below(3)) * 4 * kMinuteMs;
  spec.crash_per_hour = 0.05 * static_cast<double>(rng.below(2));
  spec.spot_per_hour = 0.3 * static_cast<double>(rng.below(2));
  return spec;
}

SimInput random_input(std::uint64_t seed) {
  Rng rng(seed);
  std::vector<SimJob> jobs;
  const bool elastic = rng.below(2) == 0;
  for (std::size_t i = 0; i < 30; ++i) jobs.push_back(random_job(i, elastic, rng));
  SimInput input = quiet_input(6, std::move(jobs));
  PartitionSpec spot;
  spot.name = "spot";
  spot.kind = PartitionKind::kSpot;
  input.partitions = {spot};
  for (std::size_t n = 4; n < 6; ++n) input.nodes[n].partition = "spot";
  // one team is guaranteed most of the fleet, and takes it back where reclaims are decided
  input.queues.push_back(berth::testing::queue("owner"));
  FlavourQuota& quota = input.queues.back().quotas.emplace_back();
  quota.model = "plain";
  quota.guarantee = 16 * kCard;
  input.policy.reclaim = {ReclaimRight::kGuarantee, ReclaimRight::kShare, ReclaimRight::kRank,
                          ReclaimRight::kConsolidation};
  input.settings.seed = seed;
  ExecutorSpec& executor = input.settings.executor;
  executor.prepare = between(0, 8 * kMinuteMs);
  executor.start_up = between(0, 3 * kMinuteMs);
  executor.release_ms = static_cast<DurationMs>(rng.below(3)) * 30 * kSecondMs;
  executor.prepare_failure_ppm = elastic ? 0 : 50'000;
  executor.straggler_ppm = 300'000;
  executor.straggle = between(0, 5 * kMinuteMs);
  input.policy.start_timeout_ms = 20 * kMinuteMs;
  input.policy.repair_within_ms = 10 * kMinuteMs;
  input.settings.failures = trouble(rng);
  if (rng.below(2) == 0) input.settings.duration_ms = 7 * kHourMs;
  return input;
}

RC_GTEST_PROP(TrainingProperty, WhatLeasesWereSpentOnIsWhatWasLeased, (std::uint64_t seed)) {
  const Played played = play(random_input(seed));
  RC_ASSERT(played.work.total() == leased(played.events, played.result.duration_ms));
  RC_CLASSIFY(played.result.work.recomputed_sum() > 0, "work was redone");
  RC_CLASSIFY(played.result.interruptions[0] > 0, "evicted");
  RC_CLASSIFY(played.result.work.spent[static_cast<std::size_t>(Spending::kStalled)] > 0,
              "stalled");
}

RC_GTEST_PROP(TrainingProperty, TheSameSeedIsTheSameRun, (std::uint64_t seed)) {
  const Played one = play(random_input(seed));
  const Played two = play(random_input(seed));
  RC_ASSERT(one.result.state_hash == two.result.state_hash);
  RC_ASSERT(one.work.total() == two.work.total());
}

// Useful work of the jobs that ended well is what they had to do.
RC_GTEST_PROP(TrainingProperty, EachHourOfWorkCountsOnce, (std::uint64_t seed)) {
  Rng rng(seed);
  std::vector<SimJob> jobs;
  CardWork needed = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const auto cards = static_cast<std::uint32_t>(1 + rng.below(4));
    const auto tasks = static_cast<std::uint32_t>(1 + rng.below(3));
    const auto run = static_cast<DurationMs>(rng.below(4 * 3'600'000));
    jobs.push_back(testing::train("j" + std::to_string(i), cards, tasks, run,
                                  testing::checkpoint(kHourMs, kMinuteMs, kMinuteMs)));
    needed += card_work(kCard * cards * tasks, run);
  }
  SimInput input = quiet_input(4, std::move(jobs));
  input.settings.seed = seed;
  input.settings.failures = trouble(rng);
  input.settings.failures->crash_per_hour = 0;
  const Played played = play(std::move(input));
  RC_ASSERT(played.result.jobs.finished == 12);
  RC_ASSERT(played.work.spent[0] == needed);
}

// The executor alone, its job taken away by random grades, suspended, resumed and hit by failures.
class Ordeal {
 public:
  explicit Ordeal(Rng rng) : rng_(rng), tasks_(1 + static_cast<std::uint32_t>(rng_.below(3))) {
    saves_ = testing::checkpoint(minutes(4), minutes(2), minutes(2));
    saves_.acknowledges = rng_.below(2) == 0;
    if (rng_.below(4) == 0) saves_ = {};
    run_ms_ = minutes(90);
    rig_.begin(run_ms_, saves_, tasks_);
  }
  // False once the job has done all its work.
  bool step() {
    const auto log = rig_.until(rig_.now() + minutes(20));
    if (rig_.useful() >= needed()) return false;
    if (rig_.leases().empty()) rig_.grant(tasks_);
    const bool overdue = std::any_of(
        log.begin(), log.end(), [](const std::string& line) { return line.ends_with("tick"); });
    if (overdue) return take_back(ReclaimGrade::kKill), true;
    switch (rng_.below(6)) {
      case 0:
        take_back(ReclaimGrade::kCheckpointEvict);
        break;
      case 1:
        take_back(ReclaimGrade::kKill);
        break;
      case 2:
        if (tasks_ == 1) take_back(ReclaimGrade::kSuspend);
        break;
      case 3:
        lose();
        break;
      default:
        resume();
    }
    return true;
  }
  CardWork needed() const { return card_work(kCard * tasks_, run_ms_); }
  testing::Rig& rig() { return rig_; }

 private:
  static ExecutorSpec executor() {
    ExecutorSpec spec;
    spec.start_up = between(0, kMinuteMs);
    spec.release_ms = 5 * kSecondMs;
    spec.straggler_ppm = 200'000;
    spec.straggle = between(0, 10 * kMinuteMs);
    return spec;
  }
  DurationMs minutes(std::uint64_t most) {
    return static_cast<DurationMs>(rng_.below(most * 60)) * kSecondMs;
  }
  void take_back(ReclaimGrade grade) {
    const DurationMs grace = minutes(3);
    std::vector<LeaseId> all;
    for (const auto& [id, lease] : rig_.leases()) {
      const bool suspended = !rig_.is_on_cards(id);
      if (!suspended || grade == ReclaimGrade::kKill) all.push_back(id);
    }
    for (const LeaseId id : all) rig_.revoke(id.value(), grade, grace, 30'000);
  }
  // All tasks are on one node; what is lost is known to be gone at once or with the next step.
  void lose() {
    std::vector<Lease> all;
    for (const auto& [id, lease] : rig_.leases()) all.push_back(lease);
    for (const Lease& lease : all) rig_.executor().lost(lease, Interruption::kNodeFailure, 0);
    if (rng_.below(2) == 0) rig_.until(rig_.now() + minutes(10));
    for (const Lease& lease : all) rig_.gone(lease.id);
  }
  void resume() {
    std::vector<LeaseId> out;
    for (const auto& [id, lease] : rig_.leases()) {
      if (!rig_.is_on_cards(id) && lease.grade == ReclaimGrade::kSuspend) out.push_back(id);
    }
    for (const LeaseId id : out) rig_.resume(id.value());
  }

  Rng rng_;
  std::uint32_t tasks_;
  testing::Rig rig_{executor()};
  CheckpointSpec saves_;
  DurationMs run_ms_ = 0;
};

RC_GTEST_PROP(TrainingProperty, WhateverIsDoneToAJobAllIsBookedAndNothingTwice,
              (std::uint64_t seed)) {
  Ordeal ordeal((Rng(seed)));
  int steps = 0;
  while (ordeal.step() && ++steps < 200) RC_ASSERT(ordeal.rig().booked() == ordeal.rig().leased());
  RC_ASSERT(ordeal.rig().booked() == ordeal.rig().leased());
  RC_ASSERT(ordeal.rig().useful() <= ordeal.needed());
  RC_CLASSIFY(ordeal.rig().useful() == ordeal.needed(), "done");
  RC_CLASSIFY(ordeal.rig().spent(Spending::kSuspend) > 0, "suspended");
  RC_CLASSIFY(ordeal.rig().spent(Spending::kCheckpointAsked) > 0, "saved on request");
  RC_CLASSIFY(ordeal.rig().recomputed(Interruption::kEviction) > 0, "evicted unsaved");
}

}  // namespace
}  // namespace berth::sim
