#include "bench/preempt/comparison.h"

#include <utility>

#include "bench/common/first_error.h"
#include "bench/common/parallel.h"

namespace berth::bench::preempt {
namespace {

class Runner {
 public:
  using OnStep = std::function<void(const std::string&)>;

  Runner(const Input& input, const OnStep& step)
      : input_(input), step_(step), outcomes_(step_count(input)) {}

  Result<std::vector<CaseResult>> run() {
    for_each_parallel(outcomes_.size(), [&](std::size_t i) { run_one(i); });
    if (const auto error = error_.get()) return tl::unexpected(*error);
    std::vector<CaseResult> results;
    for (std::size_t c = 0; c < input_.cases.size(); ++c) results.push_back(result_of(c));
    return results;
  }

 private:
  // Runs are numbered so that those of one pool and seed follow one another.
  std::size_t number(std::size_t seed, std::size_t pool, std::size_t c, std::size_t policy) const {
    const std::size_t cases = input_.cases.size();
    const std::size_t policies = input_.policies.size();
    return ((seed * input_.pools.size() + pool) * cases + c) * policies + policy;
  }

  void run_one(std::size_t i) {
    if (error_.get()) return;
    const std::size_t policies = input_.policies.size();
    const Contestant& policy = input_.policies[i % policies];
    const CaseSpec& spec = input_.cases[i / policies % input_.cases.size()];
    const std::size_t rest = i / policies / input_.cases.size();
    const Pool& pool = input_.pools[rest % input_.pools.size()];
    const std::uint64_t seed = kFirstSeed + rest / input_.pools.size();
    auto outcome = play(pool, make_load(input_.jobs, pool, kCountedTo, seed), spec.cost, policy);
    if (!outcome) return error_.note(outcome.error());
    outcomes_[i] = std::move(*outcome);
    step_(pool.model + ", " + spec.name + ", " + policy.name);
  }

  CaseResult result_of(std::size_t c) const {
    CaseResult result;
    result.name = input_.cases[c].name;
    for (std::size_t p = 0; p < input_.policies.size(); ++p) {
      for (std::size_t s = 0; s < input_.seeds; ++s) {
        Outcome fleet;
        for (std::size_t pool = 0; pool < input_.pools.size(); ++pool) {
          fleet.add(outcomes_[number(s, pool, c, p)]);
        }
        result.figures[input_.policies[p].name].push_back(figures_of(fleet));
      }
    }
    return result;
  }

  const Input& input_;
  const OnStep& step_;
  std::vector<Outcome> outcomes_;
  FirstError<Error> error_;
};

}  // namespace

std::size_t step_count(const Input& input) {
  return input.seeds * input.pools.size() * input.cases.size() * input.policies.size();
}

Result<std::vector<CaseResult>> compare(const Input& input,
                                        const std::function<void(const std::string&)>& step) {
  return Runner(input, step).run();
}

}  // namespace berth::bench::preempt
