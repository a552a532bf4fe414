// What the runs say: the rows of the report, the tables for people, and the targets.
// Owns: the judgement. Must never run anything.
#pragma once

#include <string>
#include <vector>

#include "bench/common/report.h"
#include "bench/preempt/comparison.h"

namespace berth::bench::preempt {

inline constexpr const char* kOurs = "berth";

// Means over the seeds. A row `lead_<policy>` of Berth says by how much it loses less than that
// policy on the same arrivals.
void add_rows(const std::vector<CaseResult>& results, const std::vector<Contestant>& policies,
              Report& report);

std::string tables(const std::vector<CaseResult>& results, const std::vector<Contestant>& policies);

// Targets of Berth under the measured costs; empty where it, or that case, has not run.
std::string target_table(const std::vector<CaseResult>& results,
                         const std::vector<Contestant>& policies);

}  // namespace berth::bench::preempt
