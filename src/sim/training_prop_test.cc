// Over random runs with failures: what leases were spent on is what was leased, to the last
// card-millisecond; the same seed is the same run; failures move no arrival.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
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

}  // namespace
}  // namespace berth::sim
