#include "bench/scale/results.h"

#include <optional>
#include <vector>

#include "bench/common/table.h"

namespace berth::bench::scale {
namespace {

constexpr const char* kOurs = "berth";

// One figure: its row, and what stands beside it in the table.
struct Figure {
  const char* metric;
  const char* text;
  double value;
  const char* unit;
  int decimals;
};

std::vector<Figure> figures_of(const Figures& figures) {
  const FastPath& fast = figures.fast_path;
  return {
      {"memory_bytes", "memory of the process", figures.memory_bytes, "B", 0},
      {"full_cycle_ms", "cycle: nothing remembered, nobody told", figures.first_cycle_ms, "ms", 1},
      {"restart_cycle_ms", "cycle: nothing remembered", figures.restart_cycle_ms, "ms", 1},
      {"freed_cycle_ms", "cycle: 1 % of the jobs ended", figures.freed_cycle_ms, "ms", 1},
      {"one_change_cycle_ms", "cycle after a job ended, median", figures.job_ended_ms.median, "ms",
       3},
      {"one_change_p99_ms", "  p99", figures.job_ended_ms.p99, "ms", 3},
      {"submitted_cycle_ms", "cycle after a job came, median", figures.job_submitted_ms.median,
       "ms", 3},
      {"submitted_p99_ms", "  p99", figures.job_submitted_ms.p99, "ms", 3},
      {"idle_cycle_us", "cycle after nothing", figures.idle_cycle_us, "us", 2},
      {"fast_path_p50_us", "fast path beside the planner, median", fast.wall_us.median, "us", 1},
      {"fast_path_p99_us", "  p99", fast.wall_us.p99, "us", 1},
      {"fast_path_cpu_p99_us", "  p99 of CPU time", fast.cpu_us.p99, "us", 1},
      {"fast_path_plans", "  plans made meanwhile", static_cast<double>(fast.plans), "", 0},
      {"allocated_pct", "cards given out", figures.load.allocated_pct, "%", 2},
      {"tasks_running", "tasks that run", figures.load.tasks, "", 0},
      {"jobs_waiting", "jobs that wait", figures.load.jobs, "", 0},
      {"shapes_waiting", "  shapes of their tasks", figures.load.shapes, "", 0},
      {"lines_waiting", "  lines of equal jobs", figures.load.lines, "", 0},
  };
}

}  // namespace

void add_rows(const std::string& case_name, const Figures& figures, Report& report) {
  for (const Figure& figure : figures_of(figures)) {
    report.add({case_name, kOurs, figure.metric, figure.value, figure.unit, 1, std::nullopt});
  }
}

std::string table(const Figures& figures) {
  Table table({"", "", "unit"});
  for (const Figure& figure : figures_of(figures)) {
    table.add({figure.text, fixed(figure.value, figure.decimals), figure.unit});
  }
  const engine::Effort& most = figures.most_effort;
  return table.to_text() + "\nThe first cycle decided " + fixed(figures.first_decisions, 0) +
         " things, that after 1 % ended " + fixed(figures.freed_decisions, 0) +
         ". After one change a cycle looked at up to " + std::to_string(most.lines) +
         " lines, tried " + std::to_string(most.turns) + " and searched " +
         std::to_string(most.searches) + " times. The fast path placed " +
         std::to_string(figures.fast_path.placed) + " of " +
         std::to_string(figures.fast_path.placed + figures.fast_path.refused) + ".\n";
}

}  // namespace berth::bench::scale
