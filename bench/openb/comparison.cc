#include "bench/openb/comparison.h"

#include <utility>

#include "bench/common/first_error.h"
#include "bench/common/parallel.h"
#include "bench/openb/bounds.h"
#include "bench/openb/protocol.h"

namespace berth::bench::openb {
namespace {

constexpr std::size_t kBoundsPerCase = 4;

Outcome<double> bound_of(const FillInput& input, std::size_t which) {
  const auto problem = fill_problem(input.nodes, input.pods, which % 2 == 0 ? 100 : 130);
  if (!problem) return Failure(problem.error());
  const auto bound = which < 2 ? lp_bound(*problem) : greedy_bound(*problem);
  if (!bound) return Failure(bound.error());
  return bound->alloc_pct;
}

// Steps are numbered case by case: the bounds, then for each seed all policies on its arrivals.
class Runner {
 public:
  Runner(const std::vector<Case>& cases, Comparison& result, const OnStep& step)
      : cases_(cases), result_(result), step_(step) {}

  Outcome<std::size_t> run() {
    const std::size_t per_case = kBoundsPerCase + result_.seeds;
    for_each_parallel(cases_.size() * per_case, [&](std::size_t i) {
      const std::size_t c = i / per_case;
      if (error_.get()) return;
      if (i % per_case < kBoundsPerCase) {
        bound(c, i % per_case);
      } else {
        fill_seed(c, i % per_case - kBoundsPerCase);
      }
    });
    if (const auto error = error_.get()) return Failure(*error);
    return cases_.size();
  }

 private:
  void bound(std::size_t c, std::size_t which) {
    const auto value = bound_of(cases_[c].input, which);
    if (!value) return fail(c, value.error());
    AtPoints& points = which < 2 ? result_.cases[c].lp : result_.cases[c].greedy;
    (which % 2 == 0 ? points.at_100 : points.at_130) = *value;
    step_(cases_[c].name + ", bound");
  }

  void fill_seed(std::size_t c, std::size_t seed) {
    const FillInput& input = cases_[c].input;
    const auto order = arrivals(input.pods, input.capacity_milli, kFirstSeed + seed);
    if (!order) return fail(c, order.error());
    for (std::size_t p = 0; p < result_.policies.size(); ++p) {
      const auto run = fill(input, result_.policies[p], *order);
      if (!run) return fail(c, run.error());
      result_.cases[c].runs[p][seed] = *run;
      step_(cases_[c].name + ", " + std::string(result_.policies[p].name));
    }
  }

  void fail(std::size_t c, const std::string& message) {
    error_.note(cases_[c].name + ": " + message);
  }

  const std::vector<Case>& cases_;
  Comparison& result_;
  const OnStep& step_;
  FirstError<std::string> error_;
};

}  // namespace

std::size_t step_count(std::size_t cases, std::size_t policies, std::size_t seeds) {
  return cases * (kBoundsPerCase + policies * seeds);
}

Outcome<Comparison> compare(const std::vector<Case>& cases, std::vector<Contestant> policies,
                            std::size_t seeds, const OnStep& step) {
  Comparison result;
  result.policies = std::move(policies);
  result.seeds = seeds;
  for (const Case& c : cases) {
    CaseResult empty;
    empty.name = c.name;
    empty.runs.assign(result.policies.size(), std::vector<FillRun>(seeds));
    result.cases.push_back(std::move(empty));
  }
  const auto done = Runner(cases, result, step).run();
  if (!done) return Failure(done.error());
  return result;
}

}  // namespace berth::bench::openb
