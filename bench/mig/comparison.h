// All runs of the comparison: every policy on the same arrivals of each mix, load and seed.
// Owns: which runs there are and their results. Must never judge or print them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/mig/engine_run.h"
#include "bench/mig/protocol.h"

namespace berth::bench::mig {

struct Plan {
  Size size;
  learn::MigEffort effort = learn::MigEffort::kLight;
  std::size_t seeds = 20;           // of each named mix at load 1.0
  std::size_t seeds_elsewhere = 5;  // at the other loads
  std::size_t random_mixes = 30;
  std::size_t random_seeds = 3;  // of each random mix, at load 1.0
};

inline constexpr const char* kLoads[] = {"0.8", "0.9", "1.0", "1.2"};
inline constexpr std::uint64_t kFirstRandomMix = 700;  // its seed

// Scores by seed.
using Scores = std::map<std::string, std::vector<Score>>;  // by policy

struct CaseResult {
  std::string name;  // "uniform/1.0"
  Mix mix;
  Scores scores;
};

struct Comparison {
  std::vector<CaseResult> named;   // by mix, then load
  std::vector<CaseResult> random;  // by mix
};

// `step` is told what has ended, from several threads; it is called step_count() times.
std::size_t step_count(const Plan& plan);
Comparison compare(const Plan& plan, const std::function<void(const std::string&)>& step);

}  // namespace berth::bench::mig
