#include "bench/tenants/protocol.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/rng.h"

namespace berth::bench::tenants {
namespace {

constexpr DurationMs kJitter = kMinuteMs;

void by_time(std::vector<TraceJob>& jobs) {
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.at < b.at; });
}

void jitter(std::vector<TraceJob>& jobs, std::uint64_t order) {
  Rng random(order);
  for (std::size_t i = jobs.size(); i > 1; --i) std::swap(jobs[i - 1], jobs[random.below(i)]);
  const auto steps = static_cast<std::uint64_t>(2 * kJitter / kSecondMs + 1);
  for (TraceJob& job : jobs) job.at += static_cast<TimeMs>(random.below(steps)) * kSecondMs;
  by_time(jobs);
}

}  // namespace

int Sample::all_nodes() const { return std::accumulate(nodes.begin(), nodes.end(), 0); }

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> all;
  const auto add = [&](const std::string& suffix, Saving saving) {
    for (int s = 4; s <= 8; ++s) all.push_back({"s" + std::to_string(s) + suffix, s, saving});
  };
  add("", Saving::kNone);
  add("-reclaim", Saving::kOnRequest);
  add("-hourly", Saving::kHourly);
  return all;
}

Sample make_sample(const Trace& trace, const CaseSpec& spec, std::uint64_t order) {
  Sample sample{trace.names, {}, trace.jobs};
  for (const int nodes : trace.nodes) {
    sample.nodes.push_back(std::max(1, (nodes + spec.divide - 1) / spec.divide));
  }
  std::erase_if(sample.jobs, [&](const TraceJob& job) {
    return job.gpus > kGpusPerNode * sample.nodes[job.tenant];
  });
  if (order > 0) jitter(sample.jobs, order);
  return sample;
}

Sample with_other_names(Sample sample) {
  std::reverse(sample.names.begin(), sample.names.end());
  return sample;
}

}  // namespace berth::bench::tenants
