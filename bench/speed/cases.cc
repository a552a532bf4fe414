#include "bench/speed/cases.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/speed/measure.h"
#include "bench/speed/simulator_case.h"

namespace berth::bench::speed {
namespace {

constexpr const char* kTimed = "berth,fgd,bestfit";
// FGD weighs every node state against every type of its mix; with thousands of types one fill
// takes more than three minutes.
constexpr const char* kManyShapes = "berth,berth_exact,bestfit";

struct PlacementCase {
  const char* name;
  Result<Workload> (*workload)(const std::string& folder);
  Load load;
  const char* policies;  // that play it
};

constexpr PlacementCase kPlacementCases[] = {
    {"openb-fill", openb_workload, Load::kFill, kTimed},
    {"openb-churn", openb_workload, Load::kChurn, kTimed},
    {"10k-fill", large_workload, Load::kFill, kTimed},
    {"10k-churn", large_workload, Load::kChurn, kTimed},
    {"10k-shapes", many_shapes_workload, Load::kFill, kManyShapes},
};

struct SimulatorCase {
  const char* name;
  KeptJournal journal;
};

constexpr SimulatorCase kSimulatorCases[] = {
    {"sim-events", KeptJournal::kNone},
    {"sim-events-journal", KeptJournal::kMemory},
};

constexpr Contestant kBerth = {"berth", ""};
constexpr Contestant kExact = {"berth_exact", "", Search::kExact};
constexpr Contestant kContestants[] = {kBerth, kExact, {"fgd", "fgd"}, {"bestfit", "bestfit_fgd"}};

constexpr std::size_t kCountedFill = 6000;
constexpr std::size_t kCountedChurn = 6000;

std::vector<std::string> names_of(const auto& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.emplace_back(item.name);
  return names;
}

std::size_t repeat_of(const Arguments& arguments) { return arguments.count("--repeat", 3); }

// Whether a case has this contestant; `policies` are names with commas between.
bool has(const std::string& policies, std::string_view name) {
  return ("," + policies + ",").find("," + std::string(name) + ",") != std::string::npos;
}

// Percent of the fleet that the contestant allocates; its figures are in the results.
Result<double> run_contestant(const PlacementCase& a_case, const Workload& workload,
                              const Contestant& contestant, std::size_t repeat, Results& results) {
  // a scan takes seconds on a large fleet, and its repeats differ by little
  const bool scans = !contestant.score.empty();
  const std::size_t runs = scans ? 1 : repeat;
  const std::size_t arrivals = scans ? kChurnArrivals / 10 : kChurnArrivals;
  if (contestant.search == Search::kExact) {
    const auto alloc_pct = run_once(workload, contestant, a_case.load, arrivals);
    if (alloc_pct) results.add_allocation({a_case.name, contestant.name, 1}, *alloc_pct);
    return alloc_pct;
  }
  const auto figures = measure(workload, contestant, a_case.load, arrivals, runs);
  if (!figures) return tl::unexpected(figures.error());
  results.add_placements({a_case.name, contestant.name, runs}, *figures);
  return figures->alloc_pct;
}

Status run_case(const PlacementCase& a_case, const Arguments& arguments, const Workload& workload,
                Results& results) {
  std::optional<double> ours;
  for (const Contestant& contestant : kContestants) {
    if (!has(a_case.policies, contestant.name)) continue;
    if (!arguments.chosen("--policies", std::string(contestant.name))) continue;
    const auto alloc_pct =
        run_contestant(a_case, workload, contestant, repeat_of(arguments), results);
    if (!alloc_pct) return tl::unexpected(alloc_pct.error());
    if (contestant.name == kBerth.name) ours = *alloc_pct;
    if (contestant.name == kExact.name && ours) {
      results.add_minus_exact({a_case.name, kBerth.name, 1}, *ours - *alloc_pct);
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> case_names() {
  std::vector<std::string> names = counted_names();
  for (std::string& name : names_of(kSimulatorCases)) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> policy_names() { return names_of(kContestants); }

std::vector<std::string> counted_names() { return names_of(kPlacementCases); }

Status run_placement_cases(const std::string& folder, const Arguments& arguments, Results& results,
                           Progress& progress) {
  for (const PlacementCase& a_case : kPlacementCases) {
    if (arguments.chosen("--cases", std::string(a_case.name))) {
      const auto workload = a_case.workload(folder);
      if (!workload) return tl::unexpected(workload.error());
      if (auto s = run_case(a_case, arguments, *workload, results); !s) return s;
    }
    progress.step(a_case.name);
  }
  return {};
}

Status run_simulator_cases(const std::string& data, const Arguments& arguments, Results& results,
                           Progress& progress) {
  for (const SimulatorCase& a_case : kSimulatorCases) {
    if (arguments.chosen("--cases", std::string(a_case.name)) &&
        arguments.chosen("--policies", std::string(kBerth.name))) {
      const auto per_s = simulator_events_per_s(data, a_case.journal, repeat_of(arguments));
      if (!per_s) return tl::unexpected(per_s.error());
      results.add_simulator({a_case.name, kBerth.name, repeat_of(arguments)}, *per_s);
    }
    progress.step(a_case.name);
  }
  return {};
}

Result<double> run_counted(const std::string& case_name, const std::string& folder) {
  for (const PlacementCase& a_case : kPlacementCases) {
    if (case_name != a_case.name) continue;
    auto workload = a_case.workload(folder);
    if (!workload) return tl::unexpected(workload.error());
    if (a_case.load == Load::kFill) *workload = head_of(std::move(*workload), kCountedFill);
    return run_once(*workload, kBerth, a_case.load, kCountedChurn);
  }
  return invalid("is '" + case_name + "', which is no placement case", "--instructions");
}

}  // namespace berth::bench::speed
