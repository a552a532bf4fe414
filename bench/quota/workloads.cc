#include "bench/quota/workloads.h"

#include <algorithm>

namespace berth::bench::quota {
namespace {

void add_queue(const QueueSet& set, std::size_t cohort, std::size_t queue, Workloads& all) {
  for (const WorkloadSet& workloads : set.workload_sets) {
    for (std::uint32_t i = 1; i <= workloads.count; ++i) {
      for (const WorkloadTemplate& kind : workloads.workloads) {
        all.push_back({&kind, cohort, queue, i * workloads.interval_ms, kind.runtime_ms});
      }
    }
  }
}

}  // namespace

Workloads workloads_of(const Generator& generator) {
  Workloads all;
  std::size_t cohort = 0;
  std::size_t queue = 0;
  for (const CohortSet& cohorts : generator.cohorts) {
    for (std::uint32_t c = 0; c < cohorts.count; ++c, ++cohort) {
      for (const QueueSet& queues : cohorts.queue_sets) {
        for (std::uint32_t q = 0; q < queues.count; ++q) add_queue(queues, cohort, queue++, all);
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Workload& a, const Workload& b) { return a.at < b.at; });
  return all;
}

}  // namespace berth::bench::quota
