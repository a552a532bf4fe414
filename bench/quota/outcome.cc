#include "bench/quota/outcome.h"

#include <algorithm>

namespace berth::bench::quota {

double work_cpu_s(const Workloads& workloads) {
  double sum = 0;
  for (const Workload& w : workloads) {
    sum += static_cast<double>(w.kind->total_milli()) / 1000 *
           static_cast<double>(w.kind->runtime_ms) / kSecondMs;
  }
  return sum;
}

Result<Outcome> outcome_of(const Generator& generator, const Workloads& workloads,
                           const std::vector<TimeMs>& admitted_at) {
  Outcome outcome;
  std::map<std::string, double> counts;
  TimeMs last = 0;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const Workload& w = workloads[i];
    if (admitted_at[i] == kNever) {
      return fail(ErrorCode::kConflict, "a workload of class " + w.kind->class_name +
                                            " created at " + std::to_string(w.at) +
                                            " ms was never admitted");
    }
    last = std::max(last, admitted_at[i] + w.kind->runtime_ms);
    outcome.admit_mean_s[w.kind->class_name] +=
        static_cast<double>(admitted_at[i] - w.at) / kSecondMs;
    ++counts[w.kind->class_name];
  }
  for (auto& [name, sum] : outcome.admit_mean_s) sum /= counts[name];
  outcome.makespan_s = static_cast<double>(last) / kSecondMs;
  const double quota = static_cast<double>(generator.nominal_milli()) / 1000;
  outcome.usage_pct = 100 * work_cpu_s(workloads) / (quota * outcome.makespan_s);
  return outcome;
}

}  // namespace berth::bench::quota
