#include "bench/mig/comparison.h"

#include <cstdlib>
#include <utility>

#include "bench/common/parallel.h"
#include "bench/mig/baselines.h"
#include "bench/mig/reference.h"

namespace berth::bench::mig {
namespace {

using PolicyScores = std::map<std::string, Score>;

PolicyScores run_all(const Mix& mix, const Trace& trace, Size size, SharedFits& fits) {
  PolicyScores scores;
  for (const std::string& name : baseline_names()) {
    scores[name] = run_rule(baseline(name, mix), trace, size);
  }
  for (const char* name : {"berth", "berth_migrate"}) {
    scores[name] = run_engine(trace, size, policy_named(name), fits);
  }
  scores["berth_untrained"] = scores["berth"];  // no weight was fitted to the named mixes
  scores["free_migration_ref"] = run_free_migration(trace, size);
  return scores;
}

// The runs of one sequence of arrivals.
struct Unit {
  Mix mix;
  std::uint64_t trace_seed = 0;
  std::vector<std::string> loads;
  std::vector<PolicyScores> results;  // by load
};

// Traces of a mix have the seeds 1000 x (number of the mix + 1), and onwards.
std::vector<Unit> units_of(const Plan& plan) {
  std::vector<Unit> units;
  const std::vector<Mix> named = named_mixes();
  for (std::size_t m = 0; m < named.size(); ++m) {
    for (std::size_t s = 0; s < plan.seeds; ++s) {
      Unit unit{named[m], 1000 * (m + 1) + s, {"1.0"}, {}};
      if (s < plan.seeds_elsewhere) unit.loads.assign(std::begin(kLoads), std::end(kLoads));
      units.push_back(std::move(unit));
    }
  }
  for (std::size_t r = 0; r < plan.random_mixes; ++r) {
    for (std::size_t s = 0; s < plan.random_seeds; ++s) {
      const std::uint64_t seed = kFirstRandomMix + r;
      units.push_back({random_mix(seed), 1000 * seed + s, {"1.0"}, {}});
    }
  }
  return units;
}

void run_unit(Unit& unit, const Plan& plan) {
  SharedFits fits(plan.effort);
  for (const std::string& load : unit.loads) {
    const Trace trace = make_trace(unit.mix, std::atof(load.c_str()), plan.size, unit.trace_seed);
    unit.results.push_back(run_all(unit.mix, trace, plan.size, fits));
  }
}

CaseResult& case_of(std::vector<CaseResult>& cases, const Mix& mix, const std::string& load) {
  const std::string name = mix.name + "/" + load;
  for (CaseResult& c : cases) {
    if (c.name == name) return c;
  }
  return cases.emplace_back(CaseResult{name, mix, {}});
}

}  // namespace

std::size_t step_count(const Plan& plan) { return units_of(plan).size(); }

Comparison compare(const Plan& plan, const std::function<void(const std::string&)>& step) {
  std::vector<Unit> units = units_of(plan);
  for_each_parallel(units.size(), [&](std::size_t i) {
    run_unit(units[i], plan);
    step(units[i].mix.name + ", trace " + std::to_string(units[i].trace_seed));
  });
  Comparison comparison;
  const std::size_t named = named_mixes().size() * plan.seeds;
  for (std::size_t i = 0; i < units.size(); ++i) {
    auto& cases = i < named ? comparison.named : comparison.random;
    for (std::size_t l = 0; l < units[i].loads.size(); ++l) {
      CaseResult& c = case_of(cases, units[i].mix, units[i].loads[l]);
      for (const auto& [policy, score] : units[i].results[l]) c.scores[policy].push_back(score);
    }
  }
  return comparison;
}

}  // namespace berth::bench::mig
