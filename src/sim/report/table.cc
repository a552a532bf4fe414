#include "sim/report/table.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/format.h"
#include "sim/report/metrics.h"
#include "sim/report/text_grid.h"

namespace berth::sim {
namespace {

constexpr std::size_t kTeamsShown = 20;

std::string title_of(std::span<const RunResult> runs, Colours colours) {
  const RunResult& run = runs.front();
  std::string policies;
  for (const RunResult& each : runs) policies += (policies.empty() ? "" : ", ") + each.policy;
  std::string text = inked(printable(run.name), Ink::kStrong, colours) + "  ·  " +
                     (runs.size() == 1 ? "policy " : "policies ") + printable(policies) +
                     "  ·  seed " + std::to_string(run.seed) + "\n";
  text += count_text(run.fleet.cards) + " cards on " + count_text(run.fleet.nodes) + " nodes, " +
          count_text(run.jobs.submitted) + " jobs submitted in " +
          duration_text(static_cast<double>(run.duration_ms)) + " of virtual time\n";
  return text;
}

// Jobs that the workload cannot get in are most often a mistake in the workload.
std::string refusals_of(std::span<const RunResult> runs) {
  std::string text;
  for (const RunResult& run : runs) {
    if (run.first_refusal.empty()) continue;
    text += printable(run.policy) + " refused " + count_text(run.jobs.refused) +
            " jobs; the first: " + printable(run.first_refusal) + "\n";
  }
  return text;
}

// Nothing was refused for these.
std::string warnings_of(std::span<const RunResult> runs) {
  std::string text;
  for (const RunResult& run : runs) {
    for (const std::string& warning : run.warnings) {
      text += printable(run.policy) + " warns: " + printable(warning) + "\n";
    }
  }
  return text;
}

std::string provenance_of(std::span<const RunResult> runs, Colours colours) {
  TextGrid grid;
  for (const RunResult& run : runs) {
    grid.add({{run.policy, Ink::kFaint},
              {"state " + hash_text(run.state_hash), Ink::kFaint},
              {count_text(static_cast<std::int64_t>(run.events_applied)) + " events", Ink::kFaint},
              {"in " + duration_text(run.wall_s * 1000), Ink::kFaint}});
  }
  return grid.to_text(colours);
}

TextCell difference_cell(const Difference& difference) {
  const std::string arrow = difference.value > 0 ? "▲ " : "▼ ";
  switch (difference.verdict) {
    case Verdict::kSame:
      return {difference.text, Ink::kFaint};
    case Verdict::kBetter:
      return {arrow + difference.text, Ink::kGood};
    case Verdict::kWorse:
      return {arrow + difference.text, Ink::kBad};
    case Verdict::kNeutral:
      return {arrow + difference.text, Ink::kPlain};
  }
  return {};
}

std::string headline_of(std::span<const RunResult> runs, Colours colours) {
  TextGrid grid;
  std::vector<TextCell> header = {std::string()};
  for (const RunResult& run : runs) {
    header.push_back({run.policy, Ink::kStrong});
    if (&run != &runs.front()) header.push_back({"difference", Ink::kFaint});
  }
  if (runs.size() > 1) grid.add(std::move(header));
  for (const Metric& metric : headline(runs)) {
    std::vector<TextCell> row = {std::string(metric.label)};
    for (std::size_t i = 0; i < runs.size(); ++i) {
      row.push_back(value_text(metric.unit, metric.values[i]));
      if (i > 0) row.push_back(difference_cell(difference(metric, i)));
    }
    grid.add(std::move(row));
  }
  return grid.to_text(colours);
}

// Mean over the run, per cause; causes that no run has are left out.
std::string causes_of(std::span<const RunResult> runs, Colours colours) {
  TextGrid grid;
  std::vector<TextCell> header = {{"Free but unschedulable", Ink::kStrong}};
  for (const RunResult& run : runs) header.push_back({run.policy, Ink::kStrong});
  grid.add(std::move(header));
  for (std::size_t cause = 0; cause < kCauseCount; ++cause) {
    std::vector<TextCell> row = {std::string(cause_label(static_cast<Cause>(cause)))};
    bool is_used = false;
    for (const RunResult& run : runs) {
      const double share = unschedulable_share_by_cause(run)[cause];
      is_used = is_used || share > 0;
      row.push_back(percent_text(share, 2));
    }
    if (is_used) grid.add(std::move(row));
  }
  return grid.to_text(colours);
}

std::vector<TextCell> group_row(std::string name, const JobCounts& jobs, const WaitStats& wait,
                                std::string gpu_hours) {
  return {std::move(name),
          count_text(jobs.submitted),
          count_text(jobs.finished),
          count_text(jobs.waiting),
          duration_text(wait.mean_ms),
          duration_text(static_cast<double>(wait.p50_ms)),
          duration_text(static_cast<double>(wait.p90_ms)),
          duration_text(static_cast<double>(wait.p99_ms)),
          duration_text(static_cast<double>(wait.max_ms)),
          std::move(gpu_hours)};
}

// Mean and 99th percentile per class of the first run.
std::string class_waits_of(std::span<const RunResult> runs, Colours colours) {
  TextGrid grid;
  std::vector<TextCell> header = {{"Wait by class", Ink::kStrong}};
  for (const RunResult& run : runs) {
    header.push_back({run.policy, Ink::kStrong});
    header.push_back({"p99", Ink::kFaint});
  }
  grid.add(std::move(header));
  for (std::size_t i = 0; i < runs.front().classes.size(); ++i) {
    std::vector<TextCell> row = {runs.front().classes[i].name};
    for (const RunResult& run : runs) {
      const WaitStats wait = i < run.classes.size() ? run.classes[i].wait : WaitStats{};
      row.push_back(duration_text(wait.mean_ms));
      row.push_back(duration_text(static_cast<double>(wait.p99_ms)));
    }
    grid.add(std::move(row));
  }
  return grid.to_text(colours);
}

void add_section(TextGrid& grid, std::string_view title, const std::vector<JobGroup>& groups) {
  if (groups.empty()) return;
  grid.add({{std::string(title), Ink::kFaint}});
  for (const JobGroup& group : groups) {
    grid.add(group_row("  " + group.name, group.jobs, group.wait,
                       value_text(Unit::kGpuHours, group.gpu_hours)));
  }
}

std::vector<JobGroup> largest(std::vector<JobGroup> groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const JobGroup& a, const JobGroup& b) { return a.gpu_hours > b.gpu_hours; });
  if (groups.size() > kTeamsShown) groups.resize(kTeamsShown);
  return groups;
}

std::string groups_of(const RunResult& run, Colours colours) {
  TextGrid grid;
  std::vector<TextCell> header;
  for (const char* name : {"", "jobs", "finished", "waiting", "wait mean", "p50", "p90", "p99",
                           "longest", "GPU-hours"}) {
    header.push_back({name, Ink::kStrong});
  }
  grid.add(std::move(header));
  add_section(grid, "class", run.classes);
  add_section(grid, "size", run.sizes);
  const std::string shown = run.teams.size() > kTeamsShown
                                ? "team (the largest " + std::to_string(kTeamsShown) + " of " +
                                      count_text(static_cast<std::int64_t>(run.teams.size())) + ")"
                                : "team";
  add_section(grid, shown, largest(run.teams));
  return grid.to_text(colours);
}

std::string models_of(const RunResult& run, Colours colours) {
  TextGrid grid;
  grid.add({{"Model", Ink::kStrong},
            {"nodes", Ink::kStrong},
            {"cards", Ink::kStrong},
            {"GPU-hours", Ink::kStrong},
            {"allocated", Ink::kStrong}});
  for (std::size_t i = 0; i < run.models.size() && i < run.fleet.models.size(); ++i) {
    const ModelUse& use = run.models[i];
    const double share =
        use.capacity_gpu_hours > 0 ? use.used_gpu_hours / use.capacity_gpu_hours : 0;
    grid.add({use.model, count_text(run.fleet.models[i].nodes),
              count_text(run.fleet.models[i].cards),
              value_text(Unit::kGpuHours, use.used_gpu_hours), percent_text(share, 1)});
  }
  return grid.to_text(colours);
}

}  // namespace

std::string run_table(const RunResult& run, Colours colours) {
  const std::span<const RunResult> runs(&run, 1);
  return title_of(runs, colours) + "\n" + headline_of(runs, colours) + "\n" +
         causes_of(runs, colours) + "\n" + models_of(run, colours) + "\n" +
         groups_of(run, colours) + "\n" + provenance_of(runs, colours) + refusals_of(runs) +
         warnings_of(runs);
}

std::string comparison_table(std::span<const RunResult> runs, Colours colours) {
  if (runs.empty()) return {};
  if (runs.size() == 1) return run_table(runs.front(), colours);
  return title_of(runs, colours) + "\n" + headline_of(runs, colours) + "\n" +
         class_waits_of(runs, colours) + "\n" + causes_of(runs, colours) + "\n" +
         provenance_of(runs, colours) + refusals_of(runs) + warnings_of(runs);
}

}  // namespace berth::sim
