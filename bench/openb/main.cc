// openb: how full a fleet gets. The fill protocol of FGD (USENIX ATC'23) on the seventeen openb
// traces of Alibaba, or on any list of the same format: the published baselines and Berth on the
// same arrivals, beside the published figures and two upper bounds.
//
// Protocol: protocol.h and the artifact, hkust-adsl/kubernetes-scheduler-simulator commit 8f3d641.
// Seeds 42, 43, ...; ties go to the lowest node name; nothing is preempted or moved, and whatever
// fits is placed. Figures: protocol.h, AllocationCurve.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/common/arguments.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/openb/comparison.h"
#include "bench/openb/protocol.h"
#include "bench/openb/summary.h"

namespace berth::bench::openb {
namespace {

Program program() {
  return {"openb",
          "How full a fleet gets: the published packers and Berth on the openb traces, with\n"
          "upper bounds.",
          kSeeds,
          true,
          {{"--nodes", "FILE", "the fleet; default: the openb list of 1,213 GPU nodes"},
           {"--policies", "A,B,...", "only these"}}};
}

int fail_with(const std::string& message) {
  std::fprintf(stderr, "openb: %s\n", message.c_str());
  return 1;
}

std::string case_name(const std::string& file) {
  constexpr std::string_view kPrefix = "openb_pod_list_";
  std::string name = std::filesystem::path(file).stem().string();
  if (name.rfind(kPrefix, 0) == 0) name.erase(0, kPrefix.size());
  return name;
}

Outcome<std::vector<Contestant>> chosen_policies(const std::string& list) {
  std::vector<Contestant> chosen;
  std::string known;
  for (const Contestant& contestant : contestants()) {
    const std::string name(contestant.name);
    known += (known.empty() ? "" : ", ") + name;
    if (list.empty() || ("," + list + ",").find("," + name + ",") != std::string::npos) {
      chosen.push_back(contestant);
    }
  }
  const auto asked = static_cast<std::size_t>(std::count(list.begin(), list.end(), ',')) + 1;
  if (list.empty() || chosen.size() == asked) return chosen;
  return Failure("--policies: is '" + list + "'; accepted are " + known);
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
int finish(const Comparison& comparison, const std::string& json_file) {
  Report report("openb");
  add_rows(comparison, report);
  std::fputs(tables(comparison).c_str(), stdout);
  const Findings findings = check(comparison);
  std::fputs("\nChecks\n", stdout);
  for (const std::string& note : findings.notes) std::printf("  note   %s\n", note.c_str());
  for (const std::string& error : findings.errors) std::printf("  ERROR  %s\n", error.c_str());
  if (findings.errors.empty()) std::fputs("  no result above its bound\n", stdout);
  if (!json_file.empty()) {
    if (auto s = report.write(json_file); !s) return fail_with(s.error().to_text());
  }
  return findings.errors.empty() ? 0 : 1;
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
  auto policies = chosen_policies(arguments->extra("--policies", ""));
  if (!policies) return fail_with(policies.error());
  const std::string folder = (std::filesystem::path(traces_folder()) / "openb").string();
  const bool needs_folder = arguments->traces.empty() || arguments->extra("--nodes", "").empty();
  if (needs_folder && !std::filesystem::exists(folder)) {
    std::fprintf(stderr, "openb: the traces are absent (%s), nothing was compared\n",
                 folder.c_str());
    if (arguments->json_file.empty()) return 0;
    const auto written = Report("openb").write(arguments->json_file);
    return written ? 0 : fail_with(written.error().to_text());
  }
  const auto cases = load_cases(*arguments, folder);
  if (!cases) return fail_with(cases.error());
  const auto comparison = [&] {
    Progress progress("openb", step_count(cases->size(), policies->size(), arguments->seeds));
    return compare(*cases, std::move(*policies), arguments->seeds,
                   [&](const std::string& what) { progress.step(what); });
  }();
  if (!comparison) return fail_with(comparison.error());
  return finish(*comparison, arguments->json_file);
}

}  // namespace
}  // namespace berth::bench::openb

int main(int argc, char** argv) { return berth::bench::openb::run({argv + 1, argv + argc}); }
