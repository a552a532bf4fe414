// mig: which MIG instances a fleet takes on line. The published rules and Berth's own engine on the
// same arrivals, beside a reference that may repack the whole fleet at will.
//
// Protocol: protocol.h. 20 seeds of each named mix at load 1.0 and a quarter of them at the other
// loads; 30 random mixes with 3 seeds each. Berth learns the mix from the arrivals, the published
// rules that need it (fgd) are given the true one. The rows of `berth_untrained` are those of
// `berth` again, not runs of their own: no weight was fitted to the named mixes, so there is
// nothing to leave out. Figures that carry a target stand beside it.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/mig/comparison.h"
#include "bench/mig/summary.h"

namespace berth::bench::mig {
namespace {

Program program() {
  return {"mig",
          "Online placement of MIG instances: the published rules and Berth on the same\n"
          "arrivals, with a free-migration reference.",
          Plan{}.seeds,
          Traces::kNone,
          {{"--scale",
            "quick|full",
            "quick: a few short runs, to see that it works; default full",
            ExtraOption::Takes::kOneOf,
            {"quick", "full"}},
           {"--effort",
            "light|full",
            "what Berth's trainings may cost; default light",
            ExtraOption::Takes::kOneOf,
            {"light", "full"}}}};
}

Plan plan_of(const Arguments& arguments) {
  Plan plan;
  plan.seeds = arguments.seeds;
  if (arguments.extra("--effort", "light") == "full") plan.effort = learn::MigEffort::kFull;
  if (arguments.extra("--scale", "full") == "quick") {
    plan.size = {4'000, 1'000};
    plan.effort = learn::MigEffort::kQuick;
    plan.seeds = std::min<std::size_t>(plan.seeds, 2);
    plan.random_mixes = 2;
    plan.random_seeds = 1;
  }
  plan.seeds_elsewhere = std::max<std::size_t>(1, plan.seeds / 4);
  return plan;
}

Result<int> run(const Arguments& arguments) {
  const Plan plan = plan_of(arguments);
  Progress progress("mig", step_count(plan));
  const Comparison comparison =
      compare(plan, [&](const std::string& what) { progress.step(what); });
  std::fputs(tables(comparison).c_str(), stdout);
  std::fputs("\nTargets (load 1.0)\n", stdout);
  std::fputs(target_table(targets(comparison)).c_str(), stdout);
  if (arguments.json_file.empty()) return 0;
  Report report("mig");
  add_rows(comparison, report);
  if (auto s = report.write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

}  // namespace
}  // namespace berth::bench::mig

int main(int argc, char** argv) {
  namespace mig = berth::bench::mig;
  return berth::bench::run_program(mig::program(), {argv + 1, argv + argc}, mig::run);
}
