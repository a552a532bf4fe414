// The parts of the page that need no script: headline tiles and tables with bars.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run_result.h"

namespace berth::sim {

// A square in the run's colour followed by its policy; `index` counts from 0.
std::string run_chip(const RunResult& run, std::size_t index);

std::string tiles_html(std::span<const RunResult> runs);

using JobGroups = std::vector<JobGroup> RunResult::*;

// One row per group of any run, matched by name. Empty when no run has a group.
std::string groups_html(std::span<const RunResult> runs, JobGroups groups,
                        std::string_view caption);

std::string models_html(std::span<const RunResult> runs);
// Held against guarantee and fair share, by queue of the first run; empty where it has none.
std::string queue_shares_html(std::span<const RunResult> runs);
// Gangs by number of nodes; empty where no run has any.
std::string gang_spreads_html(std::span<const RunResult> runs);
// What leases were spent on, interruptions, losses by team; empty where nothing was lost.
std::string work_html(std::span<const RunResult> runs);
std::string causes_legend_html(std::span<const RunResult> runs);
std::string causes_html(std::span<const RunResult> runs);

}  // namespace berth::sim
