// What the runs say: the rows of the report and the tables for people.
// Owns: what a figure is called. Must never run anything.
#pragma once

#include <string>
#include <vector>

#include "bench/common/report.h"
#include "bench/quota/engine_run.h"

namespace berth::bench::quota {

struct CaseResult {
  std::string name;
  double work_cpu_s = 0;  // of all workloads
  double quota_cpus = 0;
  std::size_t workloads = 0;
  Outcome strict;
  Outcome skipping;
  std::vector<EngineRun> runs;  // equal but for their cost
};

void add_rows(const CaseResult& result, Report& report);
std::string table(const CaseResult& result);
std::string cost_table(const std::vector<CaseResult>& results);

}  // namespace berth::bench::quota
