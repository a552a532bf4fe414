// All runs of the comparison: every policy on the same arrivals of each pool, case and seed.
// Owns: which runs there are and their results. Must never judge or print them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench/preempt/outcome.h"
#include "bench/preempt/play.h"
#include "bench/preempt/protocol.h"

namespace berth::bench::preempt {

struct CaseResult {
  std::string name;
  std::map<std::string, std::vector<Figures>> figures;  // by policy, then seed; of all pools
};

struct Input {
  const std::vector<Pool>& pools;
  const std::vector<PoolJob>& jobs;
  std::vector<CaseSpec> cases;
  std::vector<Contestant> policies;
  std::size_t seeds = kSeeds;
};

// `step` is told what has ended, from several threads; it is called step_count() times.
std::size_t step_count(const Input& input);
Result<std::vector<CaseResult>> compare(const Input& input,
                                        const std::function<void(const std::string&)>& step);

}  // namespace berth::bench::preempt
