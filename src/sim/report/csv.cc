#include "sim/report/csv.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/format.h"
#include "sim/report/metrics.h"

namespace berth::sim {
namespace {

constexpr int kDecimals = 6;

// Quoted where RFC 4180 asks for it. A name that a spreadsheet would take for a formula gets a
// leading apostrophe: names are the user's, and the file is opened by others.
std::string text_cell(std::string_view text) {
  std::string cell;
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
    cell += '\'';
  }
  cell += text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string number_cell(double value) { return plain_number(value, kDecimals); }
std::string number_cell(std::int64_t value) { return std::to_string(value); }
std::string seconds_cell(double ms) { return plain_number(ms / 1000, kDecimals); }

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    line += cell;
  }
  return line + '\n';
}

// Models of all runs, each once, in the order of first appearance.
std::vector<std::string> models_of(std::span<const RunResult> runs) {
  std::vector<std::string> models;
  for (const RunResult& run : runs) {
    for (const FleetModel& model : run.fleet.models) {
      if (std::find(models.begin(), models.end(), model.model) == models.end()) {
        models.push_back(model.model);
      }
    }
  }
  return models;
}

std::string allocated_cell(const RunResult& run, const Sample& sample, const std::string& model) {
  for (std::size_t i = 0; i < run.fleet.models.size() && i < sample.allocated_cards.size(); ++i) {
    if (run.fleet.models[i].model == model) return number_cell(sample.allocated_cards[i]);
  }
  return {};
}

std::string sample_line(const RunResult& run, const Sample& sample,
                        const std::vector<std::string>& models) {
  double allocated = 0;
  for (const double cards : sample.allocated_cards) allocated += cards;
  const double cards = static_cast<double>(run.fleet.cards);
  std::vector<std::string> cells = {text_cell(run.policy), std::to_string(run.seed),
                                    seconds_cell(static_cast<double>(sample.at_ms)),
                                    number_cell(cards > 0 ? allocated / cards : 0),
                                    number_cell(allocated)};
  for (const std::string& model : models) cells.push_back(allocated_cell(run, sample, model));
  cells.push_back(number_cell(sample.waiting_cards));
  cells.push_back(number_cell(sample.running_jobs));
  cells.push_back(number_cell(sample.pending_jobs));
  for (const double cause : sample.unschedulable_cards) cells.push_back(number_cell(cause));
  return line_of(cells);
}

// Policy to GPU-hours: what all scopes but `model` have in common.
std::vector<std::string> group_cells(const RunResult& run, std::string_view scope,
                                     const JobGroup& group) {
  return {text_cell(run.policy),
          std::to_string(run.seed),
          std::string(scope),
          text_cell(group.name),
          number_cell(group.jobs.submitted),
          number_cell(group.jobs.refused),
          number_cell(group.jobs.finished),
          number_cell(group.jobs.running),
          number_cell(group.jobs.waiting),
          seconds_cell(group.wait.mean_ms),
          seconds_cell(static_cast<double>(group.wait.p50_ms)),
          seconds_cell(static_cast<double>(group.wait.p90_ms)),
          seconds_cell(static_cast<double>(group.wait.p99_ms)),
          seconds_cell(static_cast<double>(group.wait.max_ms)),
          number_cell(group.gpu_hours)};
}
constexpr std::size_t kGroupCells = 15;
constexpr std::size_t kNameCells = 4;
constexpr std::size_t kSummaryCells = 17;

std::string group_line(const RunResult& run, std::string_view scope, const JobGroup& group) {
  std::vector<std::string> cells = group_cells(run, scope, group);
  cells.resize(kSummaryCells);
  return line_of(cells);
}

std::string capacity_line(std::vector<std::string> cells, const ModelUse& use) {
  const double share = use.capacity_gpu_hours > 0 ? use.used_gpu_hours / use.capacity_gpu_hours : 0;
  cells.resize(kGroupCells - 1);
  cells.insert(cells.end(), {number_cell(use.used_gpu_hours), number_cell(use.capacity_gpu_hours),
                             number_cell(share)});
  return line_of(cells);
}

std::string model_line(const RunResult& run, const ModelUse& use) {
  std::vector<std::string> cells = group_cells(run, "model", JobGroup{use.model, {}, {}, 0});
  cells.resize(kNameCells);
  return capacity_line(std::move(cells), use);
}

std::string work_line(const RunResult& run, std::string_view what, double hours) {
  std::vector<std::string> cells = group_cells(run, "work", JobGroup{std::string(what), {}, {}, 0});
  std::fill(cells.begin() + kNameCells, cells.end(), "");
  cells.back() = number_cell(hours);
  cells.resize(kSummaryCells);
  return line_of(cells);
}

// By what leases were spent on; work that was done again by its cause.
std::string work_lines(const RunResult& run) {
  if (run.work.lost() <= 0) return {};
  std::string text;
  for (std::size_t i = 0; i < kSpendingCount; ++i) {
    text += work_line(run, word(static_cast<Spending>(i)), run.work.spent[i]);
  }
  for (std::size_t i = 0; i < kInterruptionCount; ++i) {
    const std::string cause(word(static_cast<Interruption>(i)));
    text += work_line(run, "redone-after-" + cause, run.work.recomputed[i]);
  }
  return text;
}

std::string whole_run_line(const RunResult& run) {
  ModelUse all;
  for (const ModelUse& use : run.models) {
    all.used_gpu_hours += use.used_gpu_hours;
    all.capacity_gpu_hours += use.capacity_gpu_hours;
  }
  return capacity_line(group_cells(run, "all", JobGroup{run.name, run.jobs, run.wait, 0}), all);
}

}  // namespace

std::string series_csv(std::span<const RunResult> runs) {
  const std::vector<std::string> models = models_of(runs);
  std::vector<std::string> header = {"policy", "seed", "at_s", "allocated_share",
                                     "allocated_cards"};
  for (const std::string& model : models) header.push_back(text_cell("allocated_cards_" + model));
  header.insert(header.end(), {"waiting_cards", "running_jobs", "pending_jobs"});
  for (const std::string_view cause : words_of<Cause>()) {
    header.push_back("unschedulable_cards_" + std::string(cause));
  }
  std::string text = line_of(header);
  for (const RunResult& run : runs) {
    for (const Sample& sample : run.samples) text += sample_line(run, sample, models);
  }
  return text;
}

std::string summary_csv(std::span<const RunResult> runs) {
  std::string text =
      "policy,seed,scope,name,submitted,refused,finished,running,waiting,wait_mean_s,wait_p50_s,"
      "wait_p90_s,wait_p99_s,wait_max_s,gpu_hours,capacity_gpu_hours,allocated_share\n";
  for (const RunResult& run : runs) {
    text += whole_run_line(run);
    for (const JobGroup& group : run.classes) text += group_line(run, "class", group);
    for (const JobGroup& group : run.teams) text += group_line(run, "team", group);
    for (const JobGroup& group : run.sizes) text += group_line(run, "size", group);
    for (const ModelUse& use : run.models) text += model_line(run, use);
    text += work_lines(run);
  }
  return text;
}

}  // namespace berth::sim
