#include "bench/reclaim/measure.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/check.h"
#include "bench/common/cpu_clock.h"

namespace berth::bench::reclaim {
namespace {

const Reclaim& reclaim_of(const Plan& plan) {
  const auto found =
      std::find_if(plan.decisions.begin(), plan.decisions.end(),
                   [](const Decision& d) { return std::holds_alternative<Reclaim>(d); });
  BERTH_CHECK(found != plan.decisions.end());
  return std::get<Reclaim>(*found);
}

}  // namespace

Outcome measure(const CaseSpec& spec, std::uint64_t seed) {
  const engine::ClusterState fleet = full_fleet(spec, seed);
  Outcome outcome;
  const double start = cpu_seconds();
  engine::Engine engine{engine::ClusterState(fleet)};
  const double built = cpu_seconds();
  const Plan plan = engine.plan(kNow);
  outcome.plan_ms = 1e3 * (cpu_seconds() - built);
  outcome.build_ms = 1e3 * (built - start);
  const Reclaim& reclaim = reclaim_of(plan);
  std::set<JobId> jobs;
  for (const Victim& victim : reclaim.victims) {
    jobs.insert(victim.job);
    outcome.cards += static_cast<std::size_t>(victim.cards / kCard);
  }
  outcome.victims = jobs.size();
  outcome.tasks = reclaim.placement.size();
  outcome.price = static_cast<double>(reclaim.price) / 1e6;
  return outcome;
}

}  // namespace berth::bench::reclaim
