// openb: how full a fleet gets. The fill protocol of FGD (USENIX ATC'23) on the seventeen openb
// traces of Alibaba, or on any list of the same format: the published baselines and Berth on the
// same arrivals, beside the published figures and two upper bounds.
//
// Protocol: protocol.h and the artifact, hkust-adsl/kubernetes-scheduler-simulator commit 8f3d641.
// Seeds 42, 43, ...; ties go to the lowest node name; nothing is preempted or moved, and whatever
// fits is placed. Figures: protocol.h, AllocationCurve.
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/openb/comparison.h"
#include "bench/openb/protocol.h"
#include "bench/openb/summary.h"

namespace berth::bench::openb {
namespace {

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const Contestant& contestant : contestants()) names.emplace_back(contestant.name);
  return names;
}

Program program() {
  return {"openb",
          "How full a fleet gets: the published packers and Berth on the openb traces, with\n"
          "upper bounds.",
          kSeeds,
          Traces::kAny,
          {{"--nodes", "FILE", "the fleet; default: the openb list of 1,213 GPU nodes"},
           {"--policies", "A,B,...", "only these", ExtraOption::Takes::kSomeOf, policy_names()}}};
}

std::string case_name(const std::string& file) {
  constexpr std::string_view kPrefix = "openb_pod_list_";
  std::string name = std::filesystem::path(file).stem().string();
  if (name.rfind(kPrefix, 0) == 0) name.erase(0, kPrefix.size());
  return name;
}

std::vector<Contestant> chosen_policies(const Arguments& arguments) {
  std::vector<Contestant> chosen;
  for (const Contestant& contestant : contestants()) {
    if (arguments.chosen("--policies", std::string(contestant.name))) chosen.push_back(contestant);
  }
  return chosen;
}

Outcome<std::vector<Node>> load_nodes(const Arguments& arguments, const std::string& folder) {
  const std::string file = arguments.extra("--nodes", "");
  return file.empty() ? read_built_in_nodes(folder) : read_nodes(file);
}

Outcome<std::vector<Case>> load_cases(const Arguments& arguments, const std::string& folder) {
  const auto nodes = load_nodes(arguments, folder);
  if (!nodes) return Failure(nodes.error());
  std::vector<Case> cases;
  for (const std::string& file : arguments.traces) {
    auto pods = read_pods(file);
    if (!pods) return Failure(pods.error());
    cases.push_back({case_name(file), prepare(*nodes, std::move(*pods))});
  }
  if (!arguments.traces.empty()) return cases;
  for (const BuiltInTrace& trace : built_in_traces()) {
    if (!std::filesystem::exists(std::filesystem::path(folder) / trace.file)) {
      std::fprintf(stderr, "openb: %s is absent in %s, skipped\n", std::string(trace.name).c_str(),
                   folder.c_str());
      continue;
    }
    auto pods = read_built_in_pods(folder, trace);
    if (!pods) return Failure(pods.error());
    cases.push_back({std::string(trace.name), prepare(*nodes, std::move(*pods))});
  }
  return cases;
}

// Prints the result and writes the file; the exit code.
Result<int> finish(const Comparison& comparison, const std::string& json_file) {
  Report report("openb");
  add_rows(comparison, report);
  std::fputs(tables(comparison).c_str(), stdout);
  const Findings findings = check(comparison);
  std::fputs("\nChecks\n", stdout);
  for (const std::string& note : findings.notes) std::printf("  note   %s\n", note.c_str());
  for (const std::string& error : findings.errors) std::printf("  ERROR  %s\n", error.c_str());
  if (findings.errors.empty()) std::fputs("  no result above its bound\n", stdout);
  if (!json_file.empty()) {
    if (auto s = report.write(json_file); !s) return tl::unexpected(s.error());
  }
  return findings.errors.empty() ? 0 : 1;
}

Result<int> run(const Arguments& arguments) {
  std::vector<Contestant> policies = chosen_policies(arguments);
  const std::string folder = (std::filesystem::path(traces_folder()) / "openb").string();
  const bool needs_folder = arguments.traces.empty() || arguments.extra("--nodes", "").empty();
  if (needs_folder && !std::filesystem::exists(folder)) {
    return without_traces(program(), arguments, folder, "compared");
  }
  const auto cases = load_cases(arguments, folder);
  if (!cases) return invalid(cases.error());
  const auto comparison = [&] {
    Progress progress("openb", step_count(cases->size(), policies.size(), arguments.seeds));
    return compare(*cases, std::move(policies), arguments.seeds,
                   [&](const std::string& what) { progress.step(what); });
  }();
  if (!comparison) return invalid(comparison.error());
  return finish(*comparison, arguments.json_file);
}

}  // namespace
}  // namespace berth::bench::openb

int main(int argc, char** argv) {
  namespace openb = berth::bench::openb;
  return berth::bench::run_program(openb::program(), {argv + 1, argv + argc}, openb::run);
}
