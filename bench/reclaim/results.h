// The table and the rows of the comparison.
#pragma once

#include <string>
#include <vector>

#include "bench/common/report.h"
#include "bench/reclaim/measure.h"

namespace berth::bench::reclaim {

struct CaseResult {
  CaseSpec spec;
  std::vector<Outcome> runs;
};

std::string table(const std::vector<CaseResult>& results);
void add_rows(const std::vector<CaseResult>& results, Report& report);

}  // namespace berth::bench::reclaim
