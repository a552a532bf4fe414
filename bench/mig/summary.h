// What the runs say: the rows of the report, the tables for people, and the targets.
// Owns: the judgement. Must never run anything.
#pragma once

#include <string>
#include <vector>

#include "bench/common/report.h"
#include "bench/mig/comparison.h"

namespace berth::bench::mig {

void add_rows(const Comparison& comparison, Report& report);

// Acceptance and memory-time of every policy, a line a case; and the random mixes with their seeds.
std::string tables(const Comparison& comparison);

struct Target {
  std::string what;
  double value = 0;
  double bound = 0;
  bool at_most = false;  // else at least

  bool met() const { return at_most ? value <= bound : value >= bound; }
};
std::vector<Target> targets(const Comparison& comparison);
std::string target_table(const std::vector<Target>& targets);

}  // namespace berth::bench::mig
