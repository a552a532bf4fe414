// What is measured of one run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench/quota/workloads.h"

namespace berth::bench::quota {

struct Outcome {
  double makespan_s = 0;                       // to the last end
  double usage_pct = 0;                        // work / (quota of all queues x makespan)
  std::map<std::string, double> admit_mean_s;  // by class: from creation to admission
};

// `admitted_at` by workload; kNever: never, which is an error.
Result<Outcome> outcome_of(const Generator& generator, const Workloads& workloads,
                           const std::vector<TimeMs>& admitted_at);

// CPU seconds of run time of all workloads.
double work_cpu_s(const Workloads& workloads);

}  // namespace berth::bench::quota
