#include "sim/report/table.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/report/format.h"
#include "sim/report/metrics.h"
#include "sim/report/text_grid.h"
#include "sim/report/work_table.h"

namespace berth::sim {
namespace {

constexpr std::size_t kTeamsShown = 20;
constexpr std::string_view kNothing = "\u2013";

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

using Groups = std::vector<JobGroup> RunResult::*;

// Rows of zeros say nothing.
bool is_empty(const JobGroup& group) { return group.jobs.submitted == 0 && group.gpu_hours == 0; }

template <typename Item>
const Item* find_named(const std::vector<Item>& items, const std::string& name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

// Names in the order of first appearance; of groups only those with jobs.
template <typename Item>
std::vector<std::string> names_of(std::span<const RunResult> runs,
                                  std::vector<Item> RunResult::*items) {
  std::vector<std::string> names;
  for (const RunResult& run : runs) {
    for (const Item& item : run.*items) {
      if constexpr (std::is_same_v<Item, JobGroup>) {
        if (is_empty(item)) continue;
      }
      if (std::find(names.begin(), names.end(), item.name) == names.end()) {
        names.push_back(item.name);
      }
    }
  }
  return names;
}

// Mean and 99th percentile of the wait, by class or by size.
std::string waits_of(std::span<const RunResult> runs, std::string title, Groups groups,
                     Colours colours) {
  TextGrid grid;
  std::vector<TextCell> header = {{std::move(title), Ink::kStrong}};
  for (const RunResult& run : runs) {
    header.push_back({run.policy, Ink::kStrong});
    header.push_back({"p99", Ink::kFaint});
  }
  grid.add(std::move(header));
  for (const std::string& name : names_of(runs, groups)) {
    std::vector<TextCell> row = {name};
    for (const RunResult& run : runs) {
      const JobGroup* group = find_named(run.*groups, name);
      const WaitStats wait = group == nullptr ? WaitStats{} : group->wait;
      row.push_back(duration_text(wait.mean_ms));
      row.push_back(duration_text(static_cast<double>(wait.p99_ms)));
    }
    grid.add(std::move(row));
  }
  return grid.to_text(colours);
}

// With several runs the first column of each is headed by its policy.
TextCell first_column(std::span<const RunResult> runs, const RunResult& run, std::string title) {
  return {runs.size() == 1 ? std::move(title) : run.policy + " " + title, Ink::kStrong};
}

// The wait of jobs that were submitted to the queue itself.
std::string wait_of_queue(const RunResult& run, const std::string& queue) {
  const JobGroup* team = find_named(run.teams, queue);
  return team == nullptr ? std::string(kNothing) : duration_text(team->wait.mean_ms);
}

void add_queue_cells(const RunResult& run, const std::string& name, std::vector<TextCell>& row) {
  const QueueShare* share = find_named(run.queues, name);
  if (share == nullptr) {
    row.insert(row.end(), 3, std::string(kNothing));
    return;
  }
  row.push_back(number_text(share->held_cards, 1));
  row.push_back(number_text(share->fair_cards, 1));
  row.push_back(wait_of_queue(run, name));
}

// What queues held beside what they were entitled to; empty for a fleet with one queue.
std::string queues_of(std::span<const RunResult> runs, Colours colours) {
  const std::vector<std::string> names = names_of(runs, &RunResult::queues);
  if (names.empty()) return {};
  TextGrid grid;
  std::vector<TextCell> header = {{"Cards by queue, mean", Ink::kStrong},
                                  {"guaranteed", Ink::kStrong}};
  for (const RunResult& run : runs) {
    header.push_back(first_column(runs, run, "used"));
    header.push_back({"fair share", Ink::kFaint});
    header.push_back({"wait mean", Ink::kFaint});
  }
  grid.add(std::move(header));
  for (const std::string& name : names) {
    const QueueShare* first = nullptr;
    for (const RunResult& run : runs) {
      if (first == nullptr) first = find_named(run.queues, name);
    }
    std::vector<TextCell> row = {name, number_text(first->guarantee_cards, 1)};
    for (const RunResult& run : runs) add_queue_cells(run, name, row);
    grid.add(std::move(row));
  }
  return "\n" + grid.to_text(colours);
}

// "1.12 / 1.00": leaves in the mean and the fewest possible; then the part in a single one.
void add_gang_cells(const RunResult& run, const std::string& name, std::vector<TextCell>& row) {
  const GangSpread* group = find_named(run.gangs, name);
  if (group == nullptr) {
    row.insert(row.end(), 3, std::string(kNothing));
    return;
  }
  const double part = static_cast<double>(group->in_one) / static_cast<double>(group->gangs);
  row.push_back(number_text(group->domains, 2) + " / " + number_text(group->least, 2));
  row.push_back(percent_text(part, 1));
  row.push_back(count_text(group->gangs));
}

// Over how many of the lowest domains, such as leaf switches, gangs start; empty without gangs.
std::string gangs_of(std::span<const RunResult> runs, Colours colours) {
  const std::vector<std::string> names = names_of(runs, &RunResult::gangs);
  if (names.empty()) return {};
  TextGrid grid;
  std::vector<TextCell> header = {{"Gangs by nodes", Ink::kStrong}};
  for (const RunResult& run : runs) {
    header.push_back(first_column(runs, run, "leaves / fewest"));
    header.push_back({"in one", Ink::kFaint});
    header.push_back({"gangs", Ink::kFaint});
  }
  grid.add(std::move(header));
  for (const std::string& name : names) {
    std::vector<TextCell> row = {name};
    for (const RunResult& run : runs) add_gang_cells(run, name, row);
    grid.add(std::move(row));
  }
  return "\n" + grid.to_text(colours);
}

void add_section(TextGrid& grid, std::string_view title, const std::vector<JobGroup>& groups) {
  if (groups.empty()) return;
  grid.add({{std::string(title), Ink::kFaint}});
  for (const JobGroup& group : groups) {
    if (is_empty(group)) continue;
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
         groups_of(run, colours) + queues_of(runs, colours) + gangs_of(runs, colours) +
         work_table(runs, colours) + "\n" + provenance_of(runs, colours) + refusals_of(runs) +
         warnings_of(runs);
}

std::string comparison_table(std::span<const RunResult> runs, Colours colours) {
  if (runs.empty()) return {};
  if (runs.size() == 1) return run_table(runs.front(), colours);
  return title_of(runs, colours) + "\n" + headline_of(runs, colours) + "\n" +
         waits_of(runs, "Wait by class", &RunResult::classes, colours) + "\n" +
         waits_of(runs, "Wait by size", &RunResult::sizes, colours) + queues_of(runs, colours) +
         gangs_of(runs, colours) + work_table(runs, colours) + "\n" + causes_of(runs, colours) +
         "\n" + provenance_of(runs, colours) + refusals_of(runs) + warnings_of(runs);
}

}  // namespace berth::sim
