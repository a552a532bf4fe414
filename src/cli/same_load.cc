#include "cli/same_load.h"

#include <vector>

#include "model/rejection.h"
#include "sim/scenario/wording.h"

namespace berth::cli {
namespace {

struct Trait {
  const char* name;
  std::string value;
};

// "24 cards on 3 nodes (A30: 8 on 1, T4: 16 on 2)"
std::string fleet_text(const sim::FleetSummary& fleet) {
  std::string models;
  for (const sim::FleetModel& model : fleet.models) {
    models += (models.empty() ? "" : ", ") + model.model + ": " + grouped(model.cards) + " on " +
              grouped(model.nodes);
  }
  const std::string text = grouped(fleet.cards) + " cards on " + grouped(fleet.nodes) + " nodes";
  return models.empty() ? text : text + " (" + models + ")";
}

std::vector<Trait> traits_of(const sim::RunResult& run) {
  return {{"workload", "'" + run.name + "'"},
          {"seed", std::to_string(run.seed)},
          {"fleet", fleet_text(run.fleet)},
          {"number of submitted jobs", grouped(run.jobs.submitted)}};
}

std::string difference(const Trait& own, const Trait& other, const std::string& other_file) {
  if (own.value == other.value) return {};
  return std::string(own.name) + " is " + own.value + ", that of " + other_file + " is " +
         other.value;
}

// A run without a duration ends with its last job: how long that took is a result of the policy.
bool may_last_as_it_takes(const sim::RunResult& run) { return run.jobs.running == 0; }

std::string differences(const sim::RunResult& run, const sim::RunResult& first,
                        const std::string& first_file) {
  std::vector<Trait> own = traits_of(run);
  std::vector<Trait> other = traits_of(first);
  if (!may_last_as_it_takes(run) || !may_last_as_it_takes(first)) {
    own.push_back({"duration", sim::duration_text(run.duration_ms)});
    other.push_back({"duration", sim::duration_text(first.duration_ms)});
  }
  std::string text;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::string one = difference(own[i], other[i], first_file);
    if (!one.empty()) text += (text.empty() ? "" : "; ") + one;
  }
  return text;
}

}  // namespace

Status check_same_load(std::span<const std::string> files, std::span<const sim::RunResult> runs) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const std::string text = differences(runs[i], runs.front(), files.front());
    if (!text.empty()) return invalid(files[i] + ": " + text + "; a comparison is of one load");
  }
  return {};
}

}  // namespace berth::cli
