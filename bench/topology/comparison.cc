#include "bench/topology/comparison.h"

#include <utility>

#include "bench/common/first_error.h"
#include "bench/common/parallel.h"

namespace berth::bench::topology {
namespace {

class Runner {
 public:
  using OnStep = std::function<void(const std::string&)>;

  Runner(const Input& input, const OnStep& step) : input_(input), step_(step) {
    for (const CaseSpec& spec : input.cases) {
      CaseResult result;
      result.name = spec.name;
      for (const Contestant& c : input.policies) {
        result.figures[c.name].resize(input.seeds);
        if (c.is_engine) result.costs[c.name].resize(input.seeds);
      }
      results_.push_back(std::move(result));
    }
  }

  // The longest runs, those of the first case, begin first.
  Result<std::vector<CaseResult>> run() {
    for_each_parallel(input_.cases.size() * input_.seeds,
                      [&](std::size_t i) { run_seed(i / input_.seeds, i % input_.seeds); });
    if (const auto error = error_.get()) return tl::unexpected(*error);
    return std::move(results_);
  }

 private:
  void run_seed(std::size_t c, std::size_t s) {
    const CaseSpec& spec = input_.cases[c];
    const Sample sample = make_sample(input_.pool, spec, input_.fabric.cards(), kFirstSeed + s);
    const Contestant* last = nullptr;  // of the engine
    for (const Contestant& policy : input_.policies) {
      if (error_.get()) return;
      if (policy.is_engine && last != nullptr && same(*last, policy)) {
        results_[c].figures[policy.name][s] = results_[c].figures[last->name][s];
        results_[c].costs[policy.name][s] = results_[c].costs[last->name][s];
      } else if (auto done = run_policy(c, s, policy, sample); !done) {
        return error_.note(done.error());
      }
      if (policy.is_engine) last = &policy;
      step_(spec.name + ", " + policy.name);
    }
  }

  // One run serves two names of one policy.
  static bool same(const Contestant& a, const Contestant& b) {
    PolicySpec renamed = a.policy;
    renamed.name = b.policy.name;
    return renamed == b.policy;
  }

  Status run_policy(std::size_t c, std::size_t s, const Contestant& policy, const Sample& sample) {
    Figures& figures = results_[c].figures[policy.name][s];
    if (!policy.is_engine) {
      const auto run = replay(input_.fabric, sample, policy.rule, kFirstSeed + s);
      if (!run) return tl::unexpected(run.error());
      figures = *run;
      return {};
    }
    const auto run = run_engine(input_.fabric, sample, policy.policy);
    if (!run) return tl::unexpected(run.error());
    figures = run->figures;
    results_[c].costs[policy.name][s] = run->cost;
    return {};
  }

  const Input& input_;
  const OnStep& step_;
  std::vector<CaseResult> results_;
  FirstError<Error> error_;
};

}  // namespace

std::vector<Contestant> contestants(const PolicySpec& berth) {
  std::vector<Contestant> all;
  for (std::size_t i = 0; i < baseline_names().size(); ++i) {
    all.push_back({baseline_names()[i], false, static_cast<Baseline>(i), {}});
  }
  all.push_back({"berth_nohold", true, {}, {}});
  all.push_back({"berth", true, {}, berth});
  return all;
}

std::size_t step_count(const Input& input) {
  return input.cases.size() * input.seeds * input.policies.size();
}

Result<std::vector<CaseResult>> compare(const Input& input,
                                        const std::function<void(const std::string&)>& step) {
  return Runner(input, step).run();
}

}  // namespace berth::bench::topology
