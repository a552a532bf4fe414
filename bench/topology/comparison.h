// All runs of the comparison: every policy on the same sample of each case and seed.
// Owns: which runs there are and their results. Must never judge or print them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench/topology/engine_run.h"
#include "bench/topology/protocol.h"
#include "bench/topology/replay.h"

namespace berth::bench::topology {

struct Contestant {
  std::string name;
  bool is_engine = false;
  Baseline rule = Baseline::kRandom;  // else
  PolicySpec policy = {};             // of the engine
};

// The plain rules, then the engine without holds and with the policy it is given.
std::vector<Contestant> contestants(const PolicySpec& berth);

struct CaseResult {
  std::string name;
  // By policy, then seed.
  std::map<std::string, std::vector<Figures>> figures;
  std::map<std::string, std::vector<EngineCost>> costs;  // of the engine's policies
};

struct Input {
  const Fabric& fabric;
  const std::vector<PoolJob>& pool;
  std::vector<CaseSpec> cases;
  std::vector<Contestant> policies;
  std::size_t seeds = kSeeds;
};

// `step` is told what has ended, from several threads; it is called step_count() times.
std::size_t step_count(const Input& input);
Result<std::vector<CaseResult>> compare(const Input& input,
                                        const std::function<void(const std::string&)>& step);

}  // namespace berth::bench::topology
