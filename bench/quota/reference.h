// What an engine without latency comes to under a simple rule: the quota of a cohort is one pool,
// workloads go by priority and then by creation, nothing is preempted and nobody asks where.
// What ends and what is created in one ms is taken together, as in a cycle of the engine.
// References, no bounds: another order may admit some class sooner.
#pragma once

#include "bench/quota/outcome.h"

namespace berth::bench::quota {

enum class PoolRule : std::uint8_t {
  kStrict,    // the first that does not fit stops all behind it
  kSkipping,  // what does not fit is passed over
};

// An error where a workload is larger than its cohort.
Result<Outcome> run_pool(const Generator& generator, PoolRule rule);

}  // namespace berth::bench::quota
