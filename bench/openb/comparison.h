// All runs of the comparison: every policy on the same arrivals of each trace, and the bounds.
// Owns: which runs there are and their results. Must never judge or print them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/openb/contestants.h"
#include "bench/openb/fill.h"
#include "bench/openb/outcome.h"
#include "bench/openb/published.h"

namespace berth::bench::openb {

struct Case {
  std::string name;
  FillInput input;
};

struct CaseResult {
  std::string name;
  std::vector<std::vector<FillRun>> runs;  // by policy, then seed
  AtPoints lp;
  AtPoints greedy;
};

struct Comparison {
  std::vector<Contestant> policies;
  std::size_t seeds = 0;
  std::vector<CaseResult> cases;
};

// `step` is told what has ended, from several threads; it is called step_count() times.
using OnStep = std::function<void(const std::string&)>;
std::size_t step_count(std::size_t cases, std::size_t policies, std::size_t seeds);
Outcome<Comparison> compare(const std::vector<Case>& cases, std::vector<Contestant> policies,
                            std::size_t seeds, const OnStep& step);

}  // namespace berth::bench::openb
