// quota: queues that borrow from one another. The generator files of Kueue's scheduler performance
// rig through Berth's engine in virtual time, beside what Kueue's own runs come to and what a plain
// pool without latency would.
//
// Workloads arrive at the generator's intervals and end their run time after their admission;
// nothing is preempted. The published figures are of a whole control plane in real time: its client
// is limited to 50 queries a second, so that they may measure that limit as much as the scheduler,
// and its own figure of usage (`quota_held_pct`) counts quota held while the API catches up. Ours
// are of decisions alone; `engine_cpu_s` is what they cost.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/quota/engine_run.h"
#include "bench/quota/generator.h"
#include "bench/quota/reference.h"
#include "bench/quota/summary.h"
#include "bench/quota/tenants.h"

namespace berth::bench::quota {
namespace {

constexpr std::size_t kRuns = 3;  // of the same; only their cost differs
constexpr const char* kFolder = "kueue-perf";
constexpr const char* kSuffix = "-generator.yaml";
const std::vector<std::string> kCases = {"baseline", "large-scale", "tas"};

Program program() {
  return {"quota",
          "Queues that borrow from one another: Kueue's generator files through Berth's engine\n"
          "in virtual time, beside Kueue's published figures.",
          kRuns,
          Traces::kAny,
          {{"--cases", "A,B", "only these", ExtraOption::Takes::kSomeOf, kCases},
           counted_option(kCases)}};
}

struct Case {
  std::string name;
  std::string path;
};

// "x/tas-generator.yaml" -> "tas"
std::string case_name(const std::string& path) {
  const std::string file = std::filesystem::path(path).filename().string();
  return file.ends_with(kSuffix) ? file.substr(0, file.size() - std::string(kSuffix).size())
                                 : std::filesystem::path(path).stem().string();
}

std::vector<Case> cases_of(const Arguments& arguments, const std::string& folder) {
  std::vector<Case> cases;
  for (const std::string& path : arguments.traces) cases.push_back({case_name(path), path});
  if (!arguments.traces.empty()) return cases;
  for (const std::string& name : kCases) {
    if (!arguments.chosen("--cases", name)) continue;
    const std::string path = folder + "/" + name + kSuffix;
    if (std::filesystem::exists(path)) {
      cases.push_back({name, path});
    } else {
      std::fprintf(stderr, "quota: %s is absent (set BERTH_TRACES), skipped\n", path.c_str());
    }
  }
  return cases;
}

// One run after the other: their cost is measured.
Result<CaseResult> run_case(const Case& which, std::size_t runs, Progress& progress) {
  const auto generator = read_generator(which.path);
  if (!generator) return tl::unexpected(generator.error());
  const auto strict = run_pool(*generator, PoolRule::kStrict);
  if (!strict) return tl::unexpected(strict.error());
  const auto skipping = run_pool(*generator, PoolRule::kSkipping);
  if (!skipping) return tl::unexpected(skipping.error());
  const Workloads workloads = workloads_of(*generator);
  CaseResult result{which.name,
                    work_cpu_s(workloads),
                    static_cast<double>(generator->nominal_milli()) / 1000,
                    workloads.size(),
                    *strict,
                    *skipping,
                    {}};
  for (std::size_t i = 0; i < runs; ++i) {
    auto run = run_engine(*generator);
    if (!run) return tl::unexpected(run.error());
    result.runs.push_back(std::move(*run));
    progress.step(which.name);
  }
  return result;
}

Result<int> count_instructions(const std::string& path) {
  const auto generator = read_generator(path);
  if (!generator) return tl::unexpected(generator.error());
  const auto run = run_engine(*generator);
  if (!run) return tl::unexpected(run.error());
  std::printf("%s: %zu nodes\n", path.c_str(), tenants_of(*generator).nodes.size());
  return 0;
}

Result<int> run(const Arguments& arguments) {
  const std::string folder = (std::filesystem::path(traces_folder()) / kFolder).string();
  const std::string counted = arguments.extra(kCountedOption, "");
  if (!counted.empty()) {
    const std::string path = folder + "/" + counted + kSuffix;
    if (std::filesystem::exists(path)) return count_instructions(path);
    return without_traces(program(), arguments, path, "counted");
  }
  const std::vector<Case> cases = cases_of(arguments, folder);
  if (cases.empty()) return without_traces(program(), arguments, folder, "compared");
  Report report("quota");
  std::vector<CaseResult> results;
  {
    Progress progress("quota", cases.size() * arguments.seeds);
    for (const Case& which : cases) {
      auto result = run_case(which, arguments.seeds, progress);
      if (!result) return tl::unexpected(result.error());
      add_rows(*result, report);
      results.push_back(std::move(*result));
    }
  }
  for (const CaseResult& result : results) std::printf("%s\n", table(result).c_str());
  std::fputs(cost_table(results).c_str(), stdout);
  if (arguments.json_file.empty()) return 0;
  if (auto s = report.write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

}  // namespace
}  // namespace berth::bench::quota

int main(int argc, char** argv) {
  namespace quota = berth::bench::quota;
  return berth::bench::run_program(quota::program(), {argv + 1, argv + argc}, quota::run);
}
