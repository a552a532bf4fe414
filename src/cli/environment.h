// What the program takes from its environment, in one place:
//   BERTH_DATA    folder with gpus, fleets, workloads, policies and mixes
//   BERTH_TRACES  folder of traces (default ../shared/traces)
//   NO_COLOR      no colours (console.h)
#pragma once

#include "base/error.h"
#include "sim/load.h"

namespace berth::cli {

// Data: BERTH_DATA, else `data` in the working directory, else beside the program.
Result<sim::Places> find_places();

}  // namespace berth::cli
