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

bool chosen(const std::string& list, std::string_view name) {
  return list.empty() ||
         ("," + list + ",").find("," + std::string(name) + ",") != std::string::npos;
}

Status validate_list(const std::string& list, const std::vector<std::string_view>& names,
                     const char* option) {
  for (std::size_t from = 0; from < list.size();) {
    const std::size_t end = std::min(list.find(',', from), list.size());
    const std::string_view part = std::string_view(list).substr(from, end - from);
    from = end + 1;
    if (std::find(names.begin(), names.end(), part) != names.end()) continue;
    std::string accepted;
    for (const std::string_view name : names) {
      accepted += (accepted.empty() ? "" : ", ") + std::string(name);
    }
    return invalid("has '" + std::string(part) + "'; accepted are " + accepted, option);
  }
  return {};
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

Status run_case(const PlacementCase& a_case, const Selection& selection, const Workload& workload,
                Results& results) {
  std::optional<double> ours;
  for (const Contestant& contestant : kContestants) {
    if (!chosen(a_case.policies, contestant.name)) continue;
    if (!chosen(selection.policies, contestant.name)) continue;
    const auto alloc_pct = run_contestant(a_case, workload, contestant, selection.repeat, results);
    if (!alloc_pct) return tl::unexpected(alloc_pct.error());
    if (contestant.name == kBerth.name) ours = *alloc_pct;
    if (contestant.name == kExact.name && ours) {
      results.add_minus_exact({a_case.name, kBerth.name, 1}, *ours - *alloc_pct);
    }
  }
  return {};
}

}  // namespace

Status validate(const Selection& selection) {
  std::vector<std::string_view> cases;
  for (const PlacementCase& a_case : kPlacementCases) cases.emplace_back(a_case.name);
  for (const SimulatorCase& a_case : kSimulatorCases) cases.emplace_back(a_case.name);
  if (auto s = validate_list(selection.cases, cases, "--cases"); !s) return s;
  std::vector<std::string_view> policies;
  for (const Contestant& contestant : kContestants) policies.push_back(contestant.name);
  return validate_list(selection.policies, policies, "--policies");
}

std::size_t case_count() { return std::size(kPlacementCases) + std::size(kSimulatorCases); }

Status run_placement_cases(const std::string& folder, const Selection& selection, Results& results,
                           Progress& progress) {
  for (const PlacementCase& a_case : kPlacementCases) {
    if (chosen(selection.cases, a_case.name)) {
      const auto workload = a_case.workload(folder);
      if (!workload) return tl::unexpected(workload.error());
      if (auto s = run_case(a_case, selection, *workload, results); !s) return s;
    }
    progress.step(a_case.name);
  }
  return {};
}

Status run_simulator_cases(const std::string& data, const Selection& selection, Results& results,
                           Progress& progress) {
  for (const SimulatorCase& a_case : kSimulatorCases) {
    if (chosen(selection.cases, a_case.name) && chosen(selection.policies, kBerth.name)) {
      const auto per_s = simulator_events_per_s(data, a_case.journal, selection.repeat);
      if (!per_s) return tl::unexpected(per_s.error());
      results.add_simulator({a_case.name, kBerth.name, selection.repeat}, *per_s);
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
