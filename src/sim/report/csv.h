// RunResult -> CSV (RFC 4180, LF line ends) for spreadsheets: one header line, then one row per run
// and sample, or per run and group. Shares run from 0 to 1.
#pragma once

#include <span>
#include <string>

#include "sim/run_result.h"

namespace berth::sim {

// policy, seed, at_s, one column per model, waiting, running, pending, one column per cause.
std::string series_csv(std::span<const RunResult> runs);

// One row per run and scope: all, class, team, size, model. Cells that a scope lacks are empty.
std::string summary_csv(std::span<const RunResult> runs);

}  // namespace berth::sim
