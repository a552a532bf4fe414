// What the runs say: the rows of the report, the tables for people, and the targets.
// Owns: the judgement. Must never run anything.
#pragma once

#include <string>
#include <vector>

#include "bench/common/report.h"
#include "bench/topology/comparison.h"

namespace berth::bench::topology {

// Means over the seeds. A row `lead_<policy>` says by how much Berth is better than that policy on
// the same samples, in leaves over the least; `lead_<policy>_<metric>` in another metric. It is
// positive where Berth is better, whether more or less of the metric is.
void add_rows(const std::vector<CaseResult>& results, const std::vector<Contestant>& policies,
              Report& report);

std::string tables(const std::vector<CaseResult>& results, const std::vector<Contestant>& policies);

// CPU time of the engine, per case; empty where it has not run.
std::string cost_table(const std::vector<CaseResult>& results);

// Targets of `berth`; without it, or without the rule it is held against, there are none.
std::string target_table(const std::vector<CaseResult>& results);

}  // namespace berth::bench::topology
