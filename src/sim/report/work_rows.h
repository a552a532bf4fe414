// What leases were spent on as rows for the table and the page, without rows of zeros.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/run_result.h"

namespace berth::sim {

// Whether anything was lost, or any job interrupted, in any of the runs.
bool shows_work(std::span<const RunResult> runs);

// "done again after a node failure", with the GPU-hours of each run.
struct WorkRow {
  std::string label;
  std::vector<double> hours;
};
std::vector<WorkRow> work_rows(std::span<const RunResult> runs);

// "interrupted by a node failure", with the number of jobs of each run; a job counts each time.
struct HitRow {
  std::string label;
  std::vector<std::int64_t> jobs;
};
std::vector<HitRow> hit_rows(std::span<const RunResult> runs);

// Teams with work, in the order of first appearance; what one lost in each run.
std::vector<WorkRow> team_loss_rows(std::span<const RunResult> runs);

std::string spending_text(Spending spending);       // "started again"
std::string interruption_text(Interruption cause);  // "a node failure"

// GPU-hours that were leased.
double leased_hours(const RunResult& run);

}  // namespace berth::sim
