#include "bench/quota/reference.h"

#include <set>
#include <tuple>

#include "bench/drive/timeline.h"

namespace berth::bench::quota {
namespace {

// (-priority, number of the workload): workloads are numbered in the order of creation.
using Waiting = std::set<std::pair<std::int64_t, std::size_t>>;

struct Pool {
  CpuMilli free_milli = 0;
  Waiting waiting;
};

std::vector<Pool> pools_of(const Generator& generator) {
  std::vector<Pool> pools;
  for (const CohortSet& set : generator.cohorts) {
    for (std::uint32_t c = 0; c < set.count; ++c) pools.push_back({set.nominal_milli(), {}});
  }
  return pools;
}

void admit_from(Pool& pool, PoolRule rule, const Workloads& workloads, Timeline<Workload>& instants,
                std::vector<TimeMs>& admitted_at) {
  for (auto it = pool.waiting.begin(); it != pool.waiting.end() && pool.free_milli > 0;) {
    const std::size_t i = it->second;
    const CpuMilli asked = workloads[i].kind->total_milli();
    if (asked <= pool.free_milli) {
      pool.free_milli -= asked;
      instants.start(i);
      admitted_at[i] = instants.now();
      it = pool.waiting.erase(it);
    } else if (rule == PoolRule::kStrict) {
      return;
    } else {
      ++it;
    }
  }
}

}  // namespace

Result<Outcome> run_pool(const Generator& generator, PoolRule rule) {
  const Workloads workloads = workloads_of(generator);
  std::vector<Pool> pools = pools_of(generator);
  std::vector<TimeMs> admitted_at(workloads.size(), kNever);
  Timeline<Workload> instants(workloads);
  while (instants.advance()) {
    for (const std::size_t i : instants.ended()) {
      pools[workloads[i].cohort].free_milli += workloads[i].kind->total_milli();
    }
    for (const std::size_t i : instants.arrived()) {
      pools[workloads[i].cohort].waiting.emplace(-std::int64_t{workloads[i].kind->priority}, i);
    }
    for (Pool& pool : pools) admit_from(pool, rule, workloads, instants, admitted_at);
  }
  return outcome_of(generator, workloads, admitted_at);
}

}  // namespace berth::bench::quota
