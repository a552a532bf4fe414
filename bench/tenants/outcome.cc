#include "bench/tenants/outcome.h"

#include <algorithm>

namespace berth::bench::tenants {

Outcome outcome_of(const Sample& sample, const Starts& starts) {
  Outcome outcome;
  std::vector<double> waits;
  std::vector<std::size_t> jobs(sample.names.size(), 0);
  outcome.tenant_mean_s.assign(sample.names.size(), 0);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t tenant = sample.jobs[i].tenant;
    waits.push_back(static_cast<double>(starts[i] - sample.jobs[i].at) / kSecondMs);
    outcome.tenant_mean_s[tenant] += waits.back();
    outcome.mean_s += waits.back();
    ++jobs[tenant];
  }
  for (std::size_t t = 0; t < jobs.size(); ++t) {
    outcome.tenant_mean_s[t] /= static_cast<double>(std::max<std::size_t>(1, jobs[t]));
  }
  if (waits.empty()) return outcome;
  std::sort(waits.begin(), waits.end());
  outcome.mean_s /= static_cast<double>(waits.size());
  outcome.p99_s = waits[(waits.size() - 1) * 99 / 100];
  outcome.max_s = waits.back();
  return outcome;
}

std::size_t tenants_worse(const Outcome& outcome, const Outcome& alone) {
  std::size_t worse = 0;
  for (std::size_t t = 0; t < alone.tenant_mean_s.size(); ++t) {
    worse += outcome.tenant_mean_s[t] > alone.tenant_mean_s[t] ? 1 : 0;
  }
  return worse;
}

// Below a second a ratio says nothing.
double closest_ratio(const Outcome& outcome, const Outcome& alone) {
  double most = 0;
  for (std::size_t t = 0; t < alone.tenant_mean_s.size(); ++t) {
    most = std::max(most, outcome.tenant_mean_s[t] / std::max(1.0, alone.tenant_mean_s[t]));
  }
  return most;
}

}  // namespace berth::bench::tenants
