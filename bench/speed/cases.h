// The cases of this comparison and who plays each.
// Owns: their names, loads and contestants. Must never measure itself or write a file.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"
#include "bench/common/progress.h"
#include "bench/speed/results.h"

namespace berth::bench::speed {

// What is run of it. Lists are names with commas between; an empty one means all.
struct Selection {
  std::string cases;
  std::string policies;
  std::size_t repeat = 3;
};

// An error for a name that is none.
Status validate(const Selection& selection);

std::size_t case_count();

// Jobs of the openb traces that lie in `folder`.
Status run_placement_cases(const std::string& folder, const Selection& selection, Results& results,
                           Progress& progress);
// `data` is the folder of fleets and workloads.
Status run_simulator_cases(const std::string& data, const Selection& selection, Results& results,
                           Progress& progress);

// The fixed run of a placement case whose instructions are counted; percent of the fleet allocated.
Result<double> run_counted(const std::string& case_name, const std::string& folder);

}  // namespace berth::bench::speed
