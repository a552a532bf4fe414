// Fixed short runs of which the instructions of the cycles are counted (tools/instruction_gate.sh).
// Owns: the cases and their size.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "bench/scale/cluster.h"

namespace berth::bench::scale {

std::vector<std::string> counted_names();

// One of them, on a small fleet. Decisions of the cycles that are counted.
Result<std::size_t> run_counted(const std::string& name);

// A cycle that is counted, which nothing else is.
[[gnu::noinline]] Plan counted_cycle(Cluster& cluster);

}  // namespace berth::bench::scale
