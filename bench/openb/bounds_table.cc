// Prints the two upper bounds of every openb trace beside their reference values, and fails if one
// is off by more than 0.1 points. Usage: bounds_table FOLDER [TRACE ...]
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bounds.h"
#include "trace.h"

namespace berth::bench {
namespace {

constexpr double kTolerancePct = 0.1;

// Values of an independent solution (GLPK; the greedy ones good to about 0.1).
struct Reference {
  std::string_view trace;
  double lp_100;
  double lp_130;
  double greedy_100;
  double greedy_130;
};

constexpr std::array<Reference, 17> kReferences = {{
    {"default", 96.90, 99.89, 96.33, 96.44},
    {"cpu050", 96.90, 99.89, 96.33, 96.44},
    {"cpu100", 96.90, 99.89, 96.33, 96.44},
    {"cpu200", 96.90, 99.89, 96.33, 96.44},
    {"cpu250", 96.90, 99.89, 96.33, 96.44},
    {"gpushare40", 95.65, 99.23, 94.94, 95.12},
    {"gpushare60", 93.35, 97.05, 92.55, 93.08},
    {"gpushare80", 91.40, 94.52, 90.82, 92.11},
    {"gpushare100", 89.16, 91.61, 89.16, 91.61},
    {"gpuspec10", 96.90, 99.89, 96.43, 96.53},
    {"gpuspec20", 96.90, 99.89, 96.52, 96.66},
    {"gpuspec25", 96.90, 99.89, 96.54, 96.78},
    {"gpuspec33", 96.53, 99.79, 95.93, 96.83},
    {"multigpu20", 97.34, 100.00, 96.83, 96.92},
    {"multigpu30", 97.67, 100.00, 97.21, 97.29},
    {"multigpu40", 98.00, 100.00, 97.60, 97.67},
    {"multigpu50", 98.34, 100.00, 98.00, 98.05},
}};

struct Cell {
  double value = NAN;
  double reference = 0;
};

using BoundFunction = Outcome<Bound> (*)(const FillProblem&);

Outcome<double> bound_at(const std::vector<Node>& nodes, const std::vector<Pod>& pods,
                         double arrived_pct, BoundFunction function) {
  const Outcome<FillProblem> problem = fill_problem(nodes, pods, arrived_pct);
  if (!problem) return Failure(problem.error());
  const Outcome<Bound> bound = function(*problem);
  if (!bound) return Failure(bound.error());
  return bound->alloc_pct;
}

Outcome<std::array<Cell, 4>> cells_of(const std::vector<Node>& nodes, const std::vector<Pod>& pods,
                                      const Reference& reference) {
  std::array<Cell, 4> cells = {{{NAN, reference.lp_100},
                                {NAN, reference.lp_130},
                                {NAN, reference.greedy_100},
                                {NAN, reference.greedy_130}}};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Outcome<double> value =
        bound_at(nodes, pods, i % 2 == 0 ? 100 : 130, i < 2 ? lp_bound : greedy_bound);
    if (!value) return Failure(value.error());
    cells[i].value = *value;
  }
  return cells;
}

// True if every cell is within tolerance.
bool print_row(std::string_view name, const std::array<Cell, 4>& cells, double seconds) {
  bool agrees = true;
  std::printf("%-12.*s", static_cast<int>(name.size()), name.data());
  for (const Cell& cell : cells) {
    const bool close = std::abs(cell.value - cell.reference) <= kTolerancePct;
    agrees = agrees && close;
    std::printf("  %7.3f / %6.2f%c", cell.value, cell.reference, close ? ' ' : '!');
  }
  std::printf("  %6.2f s\n", seconds);
  std::fflush(stdout);
  return agrees;
}

int fail(const std::string& error) {
  std::fprintf(stderr, "%s\n", error.c_str());
  return 1;
}

int run(const std::string& folder, const std::vector<std::string_view>& wanted) {
  const Outcome<std::vector<Node>> nodes = read_built_in_nodes(folder);
  if (!nodes) return fail(nodes.error());
  std::printf("%-12s  %-17s  %-17s  %-17s  %-17s  (ours / reference)\n", "trace", "LP 100 %",
              "LP 130 %", "greedy 100 %", "greedy 130 %");
  bool agrees = true;
  for (const BuiltInTrace& trace : built_in_traces()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), trace.name) == wanted.end()) {
      continue;
    }
    const Outcome<std::vector<Pod>> pods = read_built_in_pods(folder, trace);
    if (!pods) return fail(pods.error());
    const auto reference =
        std::find_if(kReferences.begin(), kReferences.end(),
                     [&](const Reference& candidate) { return candidate.trace == trace.name; });
    const auto start = std::chrono::steady_clock::now();
    const Outcome<std::array<Cell, 4>> cells = cells_of(*nodes, *pods, *reference);
    if (!cells) return fail(std::string(trace.name) + ": " + cells.error());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    agrees = print_row(trace.name, *cells, taken.count()) && agrees;
  }
  return agrees ? 0 : fail("values marked '!' are off by more than 0.1 points");
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) == "--help") {
    std::fprintf(stderr, "usage: bounds_table FOLDER [TRACE ...]\n");
    return argc < 2 ? 2 : 0;
  }
  return berth::bench::run(argv[1], {argv + 2, argv + argc});
}
