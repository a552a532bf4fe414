// What the runs say: the rows of the report, the tables for people, and the checks.
// Owns: the judgement. Must never run anything.
#pragma once

#include <string>
#include <vector>

#include "bench/common/report.h"
#include "bench/openb/comparison.h"

namespace berth::bench::openb {

// Adds all rows: figures, paired leads of ours, bounds, publications, and the mean of the
// seventeen traces where all are there.
void add_rows(const Comparison& comparison, Report& report);

std::string tables(const Comparison& comparison);

// What is off: our FGD against the published one, bounds against their known values, and results
// above a bound.
struct Findings {
  std::vector<std::string> notes;
  std::vector<std::string> errors;  // the comparison cannot be trusted
};
Findings check(const Comparison& comparison);

}  // namespace berth::bench::openb
