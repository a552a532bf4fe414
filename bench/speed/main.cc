// speed: how many decisions a second one core makes, and how long one takes. The policy that fills
// the fleet best, through the product's own path: submit, learn and price when due, place, and the
// events of each applied to the state; no journal. Beside it two published packers on a plain scan.
//
// Protocol: after one warm-up run, the best of --repeat runs in CPU time of the thread. Fill: the
// arrivals of the openb fill protocol, seed 42 (1,213 nodes), and pods of the default trace drawn
// with replacement to 100 % of 10,000 nodes. Churn: at 90 % allocation, or where the fleet stops,
// a random pod ends whenever one too many runs. 10k-shapes: CPU moved by up to 10 %, thousands of
// shapes. A refused pod is dropped; refusals are counted apart. Ties go to the lowest node name.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "bench/common/arguments.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/common/table.h"
#include "bench/speed/measure.h"

namespace berth::bench::speed {
namespace {

struct Case {
  const char* name;
  Result<Workload> (*workload)(const std::string& folder);
  Load load;
};

constexpr Case kCases[] = {
    {"openb-fill", openb_workload, Load::kFill},
    {"openb-churn", openb_workload, Load::kChurn},
    {"10k-fill", large_workload, Load::kFill},
    {"10k-churn", large_workload, Load::kChurn},
    {"10k-shapes", many_shapes_workload, Load::kFill},
};

constexpr Contestant kContestants[] = {{"berth", ""}, {"fgd", "fgd"}, {"bestfit", "bestfit_fgd"}};

// The fixed run whose instructions are counted.
constexpr std::size_t kCountedFill = 6000;
constexpr std::size_t kCountedChurn = 6000;

Program program() {
  return {"speed",
          "How many decisions a second one core makes, and how long one takes.",
          1,
          false,
          {{"--repeat", "N", "timed runs of each case, the best counts; default 3"},
           {"--cases", "A,B,...", "only these"},
           {"--policies", "A,B,...", "only these"},
           {"--instructions", "CASE",
            "run CASE once at a small fixed size, to count its instructions"}}};
}

int fail_with(const std::string& message) {
  std::fprintf(stderr, "speed: %s\n", message.c_str());
  return 1;
}

bool chosen(const std::string& list, const std::string& name) {
  return list.empty() || ("," + list + ",").find("," + name + ",") != std::string::npos;
}

void add_rows(Report& report, Table& table, const Case& a_case, const Contestant& contestant,
              const Figures& f, std::size_t runs) {
  const std::string policy(contestant.name);
  const auto add = [&](const char* metric, double value, const char* unit) {
    report.add({a_case.name, policy, metric, value, unit, runs, std::nullopt});
  };
  add("placements_per_s", f.placements_per_s, "1/s");
  add("refusals_per_s", f.refusals_per_s, "1/s");
  add("alloc_pct", f.alloc_pct, "%");
  add("p50_us", f.p50_us, "us");
  add("p99_us", f.p99_us, "us");
  add("p999_us", f.p999_us, "us");
  table.add({a_case.name, policy, fixed(f.placements_per_s / 1e3, 1),
             fixed(f.refusals_per_s / 1e3, 1), fixed(f.alloc_pct, 2), fixed(f.p50_us, 2),
             fixed(f.p99_us, 1), fixed(f.p999_us, 1)});
}

Status run_case(const Case& a_case, const Workload& workload, const std::string& policies,
                std::size_t repeat, Report& report, Table& table) {
  for (const Contestant& contestant : kContestants) {
    if (!chosen(policies, std::string(contestant.name))) continue;
    // a scan takes seconds on a large fleet, and its repeats differ by little
    const bool scans = !contestant.score.empty();
    const std::size_t runs = scans ? 1 : repeat;
    const std::size_t arrivals = scans ? kChurnArrivals / 10 : kChurnArrivals;
    const auto figures = measure(workload, contestant, a_case.load, arrivals, runs);
    if (!figures) return tl::unexpected(figures.error());
    add_rows(report, table, a_case, contestant, *figures, runs);
  }
  return {};
}

int count_instructions(const std::string& name, const std::string& folder) {
  for (const Case& a_case : kCases) {
    if (name != a_case.name) continue;
    auto workload = a_case.workload(folder);
    if (!workload) return fail_with(workload.error().to_text());
    const Workload small =
        a_case.load == Load::kFill ? head_of(std::move(*workload), kCountedFill) : *workload;
    const auto alloc = run_once(small, kContestants[0], a_case.load, kCountedChurn);
    if (!alloc) return fail_with(alloc.error().to_text());
    std::printf("%s: allocated %.4f %%\n", a_case.name, *alloc);
    return 0;
  }
  return fail_with("--instructions: is '" + name + "', which is not a case");
}

int measure_all(const Arguments& arguments, const std::string& folder) {
  const std::size_t repeat =
      std::max<std::size_t>(1, std::strtoul(arguments.extra("--repeat", "3").c_str(), nullptr, 10));
  Report report("speed");
  Table table({"case", "policy", "k placements/s", "k refusals/s", "alloc %", "p50 us", "p99 us",
               "p99.9 us"});
  {
    Progress progress("speed", std::size(kCases));
    for (const Case& a_case : kCases) {
      if (chosen(arguments.extra("--cases", ""), a_case.name)) {
        const auto workload = a_case.workload(folder);
        if (!workload) return fail_with(workload.error().to_text());
        if (auto s = run_case(a_case, *workload, arguments.extra("--policies", ""), repeat, report,
                              table);
            !s) {
          return fail_with(s.error().to_text());
        }
      }
      progress.step(a_case.name);
    }
  }
  std::fputs(table.to_text().c_str(), stdout);
  if (machine_load() > 1.0) {
    std::printf("\nThe machine was busy (load %.1f per core): figures are too low.\n",
                machine_load());
  }
  if (arguments.json_file.empty()) return 0;
  const auto written = report.write(arguments.json_file);
  return written ? 0 : fail_with(written.error().to_text());
}

int run(const std::vector<std::string>& words) {
  const auto arguments = parse_arguments(program(), words);
  if (!arguments) {
    fail_with(arguments.error().to_text());
    return 2;
  }
  if (arguments->help) {
    std::fputs(help_text(program()).c_str(), stdout);
    return 0;
  }
  const std::string folder = (std::filesystem::path(traces_folder()) / "openb").string();
  if (!std::filesystem::exists(folder)) {
    std::fprintf(stderr, "speed: the traces are absent (%s), nothing was measured\n",
                 folder.c_str());
    if (arguments->json_file.empty()) return 0;
    const auto written = Report("speed").write(arguments->json_file);
    return written ? 0 : fail_with(written.error().to_text());
  }
  const std::string counted = arguments->extra("--instructions", "");
  return counted.empty() ? measure_all(*arguments, folder) : count_instructions(counted, folder);
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
  return berth::bench::speed::run({argv + 1, argv + argc});
}
