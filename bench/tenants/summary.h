// What the runs say: the rows of the report, the tables for people, and the targets.
// Owns: the judgement. Must never run anything.
#pragma once

#include <string>
#include <vector>

#include "bench/common/report.h"
#include "bench/tenants/comparison.h"

namespace berth::bench::tenants {

// Means over the orders; `tenants_worse`, `closest_ratio` and `max_over_private` are the most over
// them.
void add_rows(const std::vector<CaseResult>& results, const std::vector<std::string>& policies,
              Report& report);

std::string tables(const std::vector<CaseResult>& results,
                   const std::vector<std::string>& policies);
// Of each tenant, in order 0.
std::string tenant_table(const CaseResult& result, const std::vector<std::string>& policies,
                         const Trace& trace);
// CPU time of the engine, per case; empty where it has not run.
std::string cost_table(const std::vector<CaseResult>& results);
// Targets of the engine; empty where it has not run.
// What was taken back; empty where nothing ever is.
std::string taken_table(const std::vector<CaseResult>& results);
std::string target_table(const std::vector<CaseResult>& results);

}  // namespace berth::bench::tenants
