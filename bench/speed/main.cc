// speed: how many decisions a second one core makes, and how long one takes. The policy that fills
// the fleet best, through the product's own path: submit, learn and price when due, place, and the
// events of each applied to the state; no journal. Beside it two published packers on a plain scan.
// And how many events a second the simulator takes, which runs the whole controller.
//
// Protocol: the best of --repeat runs after one to warm up, in CPU time of the thread; latencies
// are of one run more. The scans (fgd, bestfit) are timed once and have a tenth of the churn. A
// refused pod is dropped; refusals are counted apart. Ties go to the lowest node name. The whole
// takes about three minutes, half of them berth_exact.
//   openb-fill   the arrivals of the openb fill protocol, seed 42, on 1,213 nodes
//   10k-fill     pods of the default trace, drawn with replacement to 100 % of 10,000 nodes
//   *-churn      at 90 % allocation, or just below where the fleet stops, a random pod ends when
//                one too many runs; 200,000 arrivals
//   10k-shapes   10k-fill with the CPU of each pod moved by up to 10 %: thousands of shapes. There
//                the search takes shapes of similar CPU for equal; berth_exact, a full scan that
//                does not (one run, not timed), says what that costs. Without fgd, which weighs
//                every node state against every type of its mix: more than three minutes for a run.
//   sim-events   data/workloads/sim-events.yaml, half a million jobs on 1,000 GPUs; an event is one
//                that the state applied, six a job; reading the files is not timed
//   sim-events-journal   the same, every batch written with a checksum to a journal in memory
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/speed/cases.h"
#include "bench/speed/measure.h"
#include "bench/speed/results.h"

namespace berth::bench::speed {
namespace {

Program program() {
  using Takes = ExtraOption::Takes;
  return {"speed",
          "How many decisions a second one core makes, how long one takes, and how many events a\n"
          "second the simulator takes. BERTH_DATA names the folder of fleets and workloads.",
          0,
          Traces::kBuiltIn,
          {{"--repeat", "N", "timed runs of each case, the best counts; default 3", Takes::kCount},
           {"--cases", "A,B,...", "only these", Takes::kSomeOf, case_names()},
           {"--policies", "A,B,...", "only these", Takes::kSomeOf, policy_names()},
           counted_option(counted_names())}};
}

// Absent traces are said, and what needs none is measured.
bool present(const std::string& folder) {
  if (std::filesystem::exists(folder)) return true;
  std::fprintf(stderr, "speed: the traces are absent (%s), no placement was measured\n",
               folder.c_str());
  return false;
}

Result<int> count_instructions(const std::string& case_name, const std::string& folder) {
  if (!present(folder)) return 0;
  const auto alloc_pct = run_counted(case_name, folder);
  if (!alloc_pct) return tl::unexpected(alloc_pct.error());
  std::printf("%s: allocated %.4f %%\n", case_name.c_str(), *alloc_pct);
  return 0;
}

Status measure_all(const Arguments& arguments, const std::string& folder, Results& results) {
  const bool has_traces = present(folder);
  Progress progress("speed", case_names().size());
  if (has_traces) {
    if (auto s = run_placement_cases(folder, arguments, results, progress); !s) return s;
  }
  return run_simulator_cases(data_folder(), arguments, results, progress);
}

Result<int> run(const Arguments& arguments) {
  const std::string folder = (std::filesystem::path(traces_folder()) / "openb").string();
  const std::string counted = arguments.extra(kCountedOption, "");
  if (!counted.empty()) return count_instructions(counted, folder);
  Results results;
  if (auto s = measure_all(arguments, folder, results); !s) return tl::unexpected(s.error());
  std::fputs(results.to_text().c_str(), stdout);
  if (machine_load() > 1.0) {
    std::printf("\nThe machine was busy (load %.1f per core): figures are too low.\n",
                machine_load());
  }
  if (arguments.json_file.empty()) return 0;
  if (auto s = results.report().write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

}  // namespace
}  // namespace berth::bench::speed

int main(int argc, char** argv) {
#if defined(__GLIBC__)
  // Memory that is given back to the system and fetched again would be measured, too.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
  namespace speed = berth::bench::speed;
  return berth::bench::run_program(speed::program(), {argv + 1, argv + argc}, speed::run);
}
