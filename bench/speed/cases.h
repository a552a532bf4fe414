// The cases of this comparison and who plays each.
// Owns: their names, loads and contestants. Must never measure itself or write a file.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "bench/common/arguments.h"
#include "bench/common/progress.h"
#include "bench/speed/results.h"

namespace berth::bench::speed {

std::vector<std::string> case_names();
std::vector<std::string> policy_names();
std::vector<std::string> counted_names();  // cases that run_counted takes

// What --cases, --policies and --repeat choose of the jobs of the openb traces that lie in
// `folder`.
Status run_placement_cases(const std::string& folder, const Arguments& arguments, Results& results,
                           Progress& progress);
// `data` is the folder of fleets and workloads.
Status run_simulator_cases(const std::string& data, const Arguments& arguments, Results& results,
                           Progress& progress);

// The fixed run of a placement case whose instructions are counted; percent of the fleet allocated.
Result<double> run_counted(const std::string& case_name, const std::string& folder);

}  // namespace berth::bench::speed
