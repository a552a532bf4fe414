// What a generator file creates, spelled out: every workload with its queue and its moment.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/quota/generator.h"

namespace berth::bench::quota {

struct Workload {
  const WorkloadTemplate* kind = nullptr;
  std::size_t cohort = 0;  // over all cohort sets
  std::size_t queue = 0;   // over all queues of all cohorts
  TimeMs at = 0;
  DurationMs run_ms = 0;
};

// By time, then by queue, in the order of the file. They point into the generator.
using Workloads = std::vector<Workload>;
Workloads workloads_of(const Generator& generator);

}  // namespace berth::bench::quota
