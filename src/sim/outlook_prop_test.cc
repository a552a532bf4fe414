// What a waiting job is told comes true: where run times are declared and kept, it starts when the
// outlook said that it would.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "control/learner.h"
#include "engine/cycle/outlook.h"
#include "journal/memory_journal.h"
#include "model/testing.h"
#include "sim/simulation.h"

namespace berth::sim {
namespace {

namespace t = berth::testing;

constexpr TimeMs kAsked = 2 * kMinuteMs;  // all jobs have come by then

QueueSpec queue(const std::string& name, Rng& random) {
  QueueSpec spec = t::queue(name);
  spec.priority = static_cast<std::int32_t>(random.below(2));
  FlavourQuota quota;
  quota.guarantee = static_cast<CardUnits>(random.below(5)) * kCard;
  if (random.below(2) == 0) quota.limit = quota.guarantee + 8 * kCard;
  spec.quotas.push_back(quota);
  return spec;
}

SimJob job(int number, Rng& random) {
  JobSpec spec = t::job("q" + std::to_string(random.below(3)),
                        t::whole(static_cast<std::uint32_t>(1 + random.below(4))),
                        static_cast<std::uint32_t>(1 + random.below(3)));
  spec.priority = static_cast<std::int32_t>(random.below(2));
  // seconds of its own, so that no two ends fall together
  const DurationMs run =
      static_cast<DurationMs>(5 + random.below(90)) * kMinuteMs + number * kSecondMs;
  spec.run_time_ms = run;
  const auto at = static_cast<TimeMs>(random.below(60)) * kSecondMs;
  return {at, "j" + std::to_string(number), std::make_shared<const JobSpec>(spec), run};
}

SimInput input(std::uint64_t seed) {
  Rng random(seed);
  SimInput input;
  input.name = "outlook";
  input.models = {t::plain_model("plain", 40'000)};
  for (int q = 0; q < 3; ++q) input.queues.push_back(queue("q" + std::to_string(q), random));
  for (int n = 0; n < 3; ++n) {
    input.nodes.push_back(t::node("n" + std::to_string(n), "plain", 4));
  }
  std::vector<SimJob> jobs;
  for (int j = 0; j < 24; ++j) jobs.push_back(job(j, random));
  input.jobs = std::make_unique<ListedJobs>(std::move(jobs));
  input.settings.planner.debounce_ms = 1;
  return input;
}

std::map<JobId, TimeMs> starts(std::uint64_t seed) {
  journal::MemoryJournal journal;
  control::FitLearner learner;
  Simulation simulation(input(seed), {journal, learner});
  RC_ASSERT(simulation.begin().has_value());
  RC_ASSERT(simulation.run({}).has_value());
  std::map<JobId, TimeMs> starts;
  RC_ASSERT(journal
                .replay(0,
                        [&](const EventBatch& events) -> Status {
                          for (const Event& event : events) {
                            const auto* started = std::get_if<JobStarted>(&event.body);
                            if (started != nullptr) starts.emplace(started->job, event.at);
                          }
                          return {};
                        })
                .has_value());
  return starts;
}

std::size_t starts_between(const std::map<JobId, TimeMs>& started, TimeMs from, TimeMs to) {
  return static_cast<std::size_t>(
      std::count_if(started.begin(), started.end(),
                    [&](const auto& one) { return one.second > from && one.second < to; }));
}

// Also case-077: how many are said to start before it is how many do.
RC_GTEST_PROP(OutlookProperty, AJobStartsWhenItWasToldItWould, (std::uint64_t seed)) {
  const std::map<JobId, TimeMs> started = starts(seed);
  journal::MemoryJournal journal;
  control::FitLearner learner;
  SimInput until = input(seed);
  until.settings.duration_ms = kAsked;
  Simulation simulation(std::move(until), {journal, learner});
  RC_ASSERT(simulation.begin().has_value());
  RC_ASSERT(simulation.run({}).has_value());
  for (const JobId id : simulation.state().jobs().sorted_ids()) {
    if (simulation.state().find_job(id)->phase != JobPhase::kPending) continue;
    const engine::Outlook outlook = simulation.eta(id);
    const auto real = started.find(id);
    RC_ASSERT((outlook.at == kNever) == (real == started.end()));
    if (real == started.end()) continue;
    RC_ASSERT(!outlook.at_earliest);
    const DurationMs off = outlook.at - real->second;
    RC_ASSERT(off <= kSecondMs);
    RC_ASSERT(-off <= kSecondMs);
    RC_ASSERT(outlook.before >= starts_between(started, kAsked, real->second - kSecondMs));
    RC_ASSERT(outlook.before <= starts_between(started, kAsked, real->second + kSecondMs));
  }
}

}  // namespace
}  // namespace berth::sim
