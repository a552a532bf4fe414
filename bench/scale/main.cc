// scale: what a large fleet costs. 16,384 nodes of 8 cards (H100, A100, L40S; some A100 cut into
// MIG instances) in leaves of 16 nodes and 32 pods; 1,000 queues of projects below teams below
// organisations, with guarantees, weights and limits; 100,000 running tasks that leave hardly a
// card free; 50,000 waiting jobs of some 350 shapes, one in ten a gang of 16 to 512 cards that must
// lie in one leaf or one pod.
//
// Protocol: seed 42. The fleet is filled by the product's own engine: gangs by its cycle, the
// others by the fast path. The state is saved and loaded, as after a take-over; all cycles are
// those of engines that were loaded. Cycles in CPU time of their thread:
//   full      of an engine that remembers nothing, on jobs at which no cycle has looked: each is
//             placed or told why it waits
//   restart   the same once nothing is left to do
//   freed     after the end of 1 % of the running jobs
//   ended     after the end of one running job, drawn evenly, on an engine that has caught up; what
//             it leaves undone is done before the next (500 of them)
//   came      after the submission of one job (500)
//   idle      after nothing but time (mean of 1,000)
// Memory is the resident set of the process with one such engine after all of these. The fast path:
// 20,000 replicas of services, each placed at once on the live state, wall time from its submission
// until its events are handed over, while a second thread plans on its own replica without pause
// and its plans are committed between two arrivals. Every twentieth arrival a running job ends.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/scale/counted.h"
#include "bench/scale/load.h"
#include "bench/scale/measure.h"
#include "bench/scale/results.h"

namespace berth::bench::scale {
namespace {

Program program() {
  using Takes = ExtraOption::Takes;
  return {"scale",
          "What a fleet of 131,072 cards costs: memory, cycles, the fast path beside the planner.\n"
          "BERTH_DATA names the folder of GPU models.",
          0,
          Traces::kNone,
          {{"--part",
            "N",
            "one Nth of nodes, tasks and jobs: 1, 2, 4, 8, 16 or 32",
            Takes::kOneOf,
            {"1", "2", "4", "8", "16", "32"}},
           counted_option(counted_names())}};
}

Size size_of(const Arguments& arguments) {
  Size size;
  size.nodes /= arguments.count("--part", 1);
  return size;
}

// The bytes of the state of a fleet at work.
std::string filled(const Tenants& tenants, const Size& size, Draws& draws) {
  Progress progress("scale", kFillSteps);
  Cluster cluster;
  fill(cluster, tenants, size, draws, progress);
  return cluster.state().save();
}

Result<int> count_instructions(const std::string& name) {
  const auto decisions = run_counted(name);
  if (!decisions) return tl::unexpected(decisions.error());
  std::printf("%s: %zu decisions\n", name.c_str(), *decisions);
  return 0;
}

Result<int> run(const Arguments& arguments) {
  const std::string counted = arguments.extra(kCountedOption, "");
  if (!counted.empty()) return count_instructions(counted);
  const Size size = size_of(arguments);
  const auto tenants = tenants_of(size);
  if (!tenants) return tl::unexpected(tenants.error());
  Draws draws(*tenants);
  const std::string bytes = filled(*tenants, size, draws);
  const Figures figures = measure(bytes, draws);
  std::fputs(table(figures).c_str(), stdout);
  if (arguments.json_file.empty()) return 0;
  Report report("scale");
  add_rows(std::to_string(size.cards()), figures, report);
  if (auto s = report.write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

}  // namespace
}  // namespace berth::bench::scale

int main(int argc, char** argv) {
  namespace scale = berth::bench::scale;
  return berth::bench::run_program(scale::program(), {argv + 1, argv + argc}, scale::run);
}
