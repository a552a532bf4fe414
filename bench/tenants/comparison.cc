#include "bench/tenants/comparison.h"

#include <algorithm>
#include <utility>

#include "bench/common/first_error.h"
#include "bench/common/parallel.h"
#include "bench/tenants/engine_run.h"
#include "bench/tenants/reclaim_run.h"
#include "bench/tenants/reference.h"

namespace berth::bench::tenants {
namespace {

bool runs_engine(const Input& input) {
  return std::find(input.policies.begin(), input.policies.end(), kEngine) != input.policies.end();
}

class Runner {
 public:
  using OnStep = std::function<void(const std::string&)>;

  Runner(const Input& input, const OnStep& step) : input_(input), step_(step) {
    for (const CaseSpec& spec : input.cases) {
      CaseResult result;
      result.name = spec.name;
      for (const std::string& policy : input.policies) result.outcomes[policy].resize(input.orders);
      if (runs_engine(input)) result.costs.resize(input.orders);
      if (runs_engine(input) && spec.saving != Saving::kNone) result.taken.resize(input.orders);
      results_.push_back(std::move(result));
    }
  }

  // The longest runs, those of the last case, begin first.
  Result<std::vector<CaseResult>> run() {
    const std::size_t runs = input_.cases.size() * input_.orders;
    for_each_parallel(runs, [&](std::size_t i) {
      run_order(input_.cases.size() - 1 - i / input_.orders, i % input_.orders);
    });
    if (const auto error = error_.get()) return tl::unexpected(*error);
    return std::move(results_);
  }

 private:
  void run_order(std::size_t c, std::size_t order) {
    const Sample sample = make_sample(input_.trace, input_.cases[c], order);
    for (const Discipline& rule : disciplines()) {
      const auto wanted = results_[c].outcomes.find(rule.name);
      if (wanted == results_[c].outcomes.end()) continue;
      wanted->second[order] = outcome_of(sample, replay(sample, rule));
      step_(input_.cases[c].name + ", " + rule.name);
    }
    if (!runs_engine(input_) || error_.get()) return;
    if (auto done = run_berth(c, order, sample); !done) return error_.note(done.error());
    step_(input_.cases[c].name + ", " + kEngine);
  }

  Status run_berth(std::size_t c, std::size_t order, const Sample& sample) {
    CaseResult& result = results_[c];
    const auto run = starts_of(c, sample, [&](const EngineCost& cost, const Taken& taken) {
      result.costs[order] = cost;
      if (!result.taken.empty()) result.taken[order] = taken;
    });
    if (!run) return tl::unexpected(run.error());
    result.outcomes.at(kEngine)[order] = outcome_of(sample, *run);
    if (order > 0) return {};
    const auto again = starts_of(c, with_other_names(sample), {});
    if (!again) return tl::unexpected(again.error());
    for (std::size_t i = 0; i < run->size(); ++i) {
      result.changed_by_names += (*run)[i] != (*again)[i] ? 1 : 0;
    }
    return {};
  }

  using Note = std::function<void(const EngineCost& cost, const Taken& taken)>;

  Result<Starts> starts_of(std::size_t c, const Sample& sample, const Note& note) {
    const Saving saving = input_.cases[c].saving;
    if (saving == Saving::kNone) {
      auto run = run_engine(sample, input_.policy);
      if (!run) return tl::unexpected(run.error());
      if (note) note(run->cost, {});
      return std::move(run->starts);
    }
    auto run = run_with_reclaim(sample, input_.reclaim_policy, saving);
    if (!run) return tl::unexpected(run.error());
    if (note) {
      note(run->cost,
           {static_cast<double>(run->evictions), run->redone_gpu_h, run->overhead_gpu_h});
    }
    return std::move(run->starts);
  }

  const Input& input_;
  const OnStep& step_;
  std::vector<CaseResult> results_;
  FirstError<Error> error_;
};

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const Discipline& rule : disciplines()) names.push_back(rule.name);
  names.emplace_back(kEngine);
  return names;
}

std::size_t step_count(const Input& input) {
  return input.cases.size() * input.orders * input.policies.size();
}

Result<std::vector<CaseResult>> compare(const Input& input,
                                        const std::function<void(const std::string&)>& step) {
  return Runner(input, step).run();
}

}  // namespace berth::bench::tenants
