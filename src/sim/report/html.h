// One self-contained HTML page for a run or for several runs of one workload side by side. It loads
// nothing from anywhere, and the same results give the same bytes.
#pragma once

#include <span>
#include <string>

#include "sim/run_result.h"

namespace berth::sim {

// The first run is the reference that differences refer to. `runs` must not be empty.
std::string html_report(std::span<const RunResult> runs);

}  // namespace berth::sim
