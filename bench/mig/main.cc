// mig: which MIG instances a fleet takes on line. The published rules and Berth's own engine on the
// same arrivals, beside a reference that may repack the whole fleet at will.
//
// Protocol: protocol.h. 20 seeds of each named mix at load 1.0 and a quarter of them at the other
// loads; 30 random mixes with 3 seeds each. Berth learns the mix from the arrivals, the published
// rules that need it (fgd) are given the true one. Figures that carry a target stand beside it.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/common/arguments.h"
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
          false,
          {{"--scale", "quick|full", "quick: a few short runs, to see that it works"},
           {"--effort", "light|full", "what Berth's trainings may cost; default light"}}};
}

int fail_with(const std::string& message) {
  std::fprintf(stderr, "mig: %s\n", message.c_str());
  return 2;
}

Result<Plan> plan_of(const Arguments& arguments) {
  Plan plan;
  plan.seeds = arguments.seeds;
  const std::string effort = arguments.extra("--effort", "light");
  if (effort != "light" && effort != "full") {
    return invalid("is '" + effort + "'; light and full are accepted", "--effort");
  }
  if (effort == "full") plan.effort = learn::MigEffort::kFull;
  const std::string scale = arguments.extra("--scale", "full");
  if (scale == "quick") {
    plan.size = {4'000, 1'000};
    plan.effort = learn::MigEffort::kQuick;
    plan.seeds = std::min<std::size_t>(plan.seeds, 2);
    plan.random_mixes = 2;
    plan.random_seeds = 1;
  } else if (scale != "full") {
    return invalid("is '" + scale + "'; quick and full are accepted", "--scale");
  }
  plan.seeds_elsewhere = std::max<std::size_t>(1, plan.seeds / 4);
  return plan;
}

int run(const std::vector<std::string>& words) {
  const auto arguments = parse_arguments(program(), words);
  if (!arguments) return fail_with(arguments.error().to_text());
  if (arguments->help) {
    std::fputs(help_text(program()).c_str(), stdout);
    return 0;
  }
  const auto plan = plan_of(*arguments);
  if (!plan) return fail_with(plan.error().to_text());
  Progress progress("mig", step_count(*plan));
  const Comparison comparison =
      compare(*plan, [&](const std::string& what) { progress.step(what); });
  std::fputs(tables(comparison).c_str(), stdout);
  std::fputs("\nTargets (load 1.0)\n", stdout);
  std::fputs(target_table(targets(comparison)).c_str(), stdout);
  if (arguments->json_file.empty()) return 0;
  Report report("mig");
  add_rows(comparison, report);
  if (auto s = report.write(arguments->json_file); !s) return fail_with(s.error().to_text());
  return 0;
}

}  // namespace
}  // namespace berth::bench::mig

int main(int argc, char** argv) { return berth::bench::mig::run({argv + 1, argv + argc}); }
