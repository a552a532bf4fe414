#include "sim/report/work_table.h"

#include "sim/report/format.h"
#include "sim/report/metrics.h"
#include "sim/report/text_grid.h"
#include "sim/report/work_rows.h"

namespace berth::sim {
namespace {

std::string share_text(double part, double whole) {
  return percent_text(whole > 0 ? part / whole : 0, 2);
}

std::string spending_table(std::span<const RunResult> runs, Colours colours) {
  TextGrid grid;
  std::vector<TextCell> header = {{"GPU-hours leased, spent on", Ink::kStrong}};
  for (const RunResult& run : runs) {
    header.push_back({run.policy, Ink::kStrong});
    header.push_back({"of all", Ink::kFaint});
  }
  grid.add(std::move(header));
  for (const WorkRow& row : work_rows(runs)) {
    std::vector<TextCell> cells = {row.label};
    for (std::size_t i = 0; i < runs.size(); ++i) {
      cells.push_back(value_text(Unit::kGpuHours, row.hours[i]));
      cells.push_back(share_text(row.hours[i], leased_hours(runs[i])));
    }
    grid.add(std::move(cells));
  }
  return grid.to_text(colours);
}

std::string hit_table(std::span<const RunResult> runs, Colours colours) {
  const std::vector<HitRow> rows = hit_rows(runs);
  if (rows.empty()) return {};
  TextGrid grid;
  std::vector<TextCell> header = {{"Jobs, each time", Ink::kStrong}};
  for (const RunResult& run : runs) header.push_back({run.policy, Ink::kStrong});
  grid.add(std::move(header));
  for (const HitRow& row : rows) {
    std::vector<TextCell> cells = {row.label};
    for (const std::int64_t jobs : row.jobs) cells.push_back(count_text(jobs));
    grid.add(std::move(cells));
  }
  return "\n" + grid.to_text(colours);
}

std::string team_table(std::span<const RunResult> runs, Colours colours) {
  const std::vector<WorkRow> rows = team_loss_rows(runs);
  if (rows.empty()) return {};
  TextGrid grid;
  std::vector<TextCell> header = {{"GPU-hours lost by team", Ink::kStrong}};
  for (const RunResult& run : runs) header.push_back({run.policy, Ink::kStrong});
  grid.add(std::move(header));
  for (const WorkRow& row : rows) {
    std::vector<TextCell> cells = {row.label};
    for (const double hours : row.hours) cells.push_back(value_text(Unit::kGpuHours, hours));
    grid.add(std::move(cells));
  }
  return "\n" + grid.to_text(colours);
}

// Of one run: those that lost most.
std::string job_table(const RunResult& run, Colours colours) {
  if (run.hit_jobs.empty()) return {};
  TextGrid grid;
  grid.add({{"Interrupted jobs, most lost first", Ink::kStrong},
            {"interrupted", Ink::kStrong},
            {"taken back", Ink::kStrong},
            {"done again", Ink::kStrong},
            {"lost in all", Ink::kStrong},
            {"useful", Ink::kStrong}});
  for (const JobWork& job : run.hit_jobs) {
    grid.add({job.name, count_text(job.interruptions), count_text(job.evictions),
              value_text(Unit::kGpuHours, job.work.recomputed_sum()),
              value_text(Unit::kGpuHours, job.work.lost()),
              value_text(Unit::kGpuHours, job.work.useful())});
  }
  return "\n" + grid.to_text(colours);
}

}  // namespace

std::string work_table(std::span<const RunResult> runs, Colours colours) {
  if (!shows_work(runs)) return {};
  std::string text =
      "\n" + spending_table(runs, colours) + hit_table(runs, colours) + team_table(runs, colours);
  if (runs.size() == 1) text += job_table(runs.front(), colours);
  return text;
}

}  // namespace berth::sim
