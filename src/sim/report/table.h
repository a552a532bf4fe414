// A run, or several runs of one workload, as aligned text for a terminal.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sim/run_result.h"

namespace berth::sim {

enum class Colours : std::uint8_t { kOff, kAnsi };

std::string run_table(const RunResult& run, Colours colours);

// The first run is the reference: every other one is shown with its difference to it. With one run
// the same as run_table.
std::string comparison_table(std::span<const RunResult> runs, Colours colours);

}  // namespace berth::sim
