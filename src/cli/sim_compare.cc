// `berth sim compare A B`: two results, or one simulation file under several policies.
#include <algorithm>

#include "cli/environment.h"
#include "cli/output.h"
#include "cli/same_load.h"
#include "cli/sim_commands.h"
#include "codec/file.h"
#include "sim/result_reader.h"
#include "sim/trace/csv.h"

namespace berth::cli {
namespace {

Result<std::vector<sim::RunResult>> read_results(const std::vector<std::string>& paths) {
  std::vector<sim::RunResult> runs;
  for (const std::string& path : paths) {
    const auto text = codec::read_file(path);
    if (!text) return fail(text.error().code, path + ": " + text.error().message);
    auto run = sim::read_run_json(*text, path);
    if (!run) return tl::unexpected(run.error());
    runs.push_back(std::move(*run));
  }
  if (auto s = check_same_load(paths, runs); !s) return tl::unexpected(s.error());
  return runs;
}

Result<std::vector<sim::RunResult>> play_policies(const std::string& path,
                                                  const std::string& policies,
                                                  const Arguments& arguments, Console& console) {
  const auto places = find_places();
  if (!places) return tl::unexpected(places.error());
  auto overrides = play_overrides(arguments);
  if (!overrides) return tl::unexpected(overrides.error());
  std::vector<sim::RunResult> runs;
  for (const std::string_view policy : sim::split(policies, ',')) {
    const auto known = sim::load_policy(std::string(policy), *places);
    if (!known) return fail(known.error().code, known.error().to_text(), "--policies");
  }
  for (const std::string_view policy : sim::split(policies, ',')) {
    overrides->policy = std::string(policy);
    auto run = play({path, *overrides, {}}, *places, console);
    if (!run) return tl::unexpected(run.error());
    runs.push_back(std::move(*run));
  }
  return runs;
}

int run(const Arguments& arguments, Console& console) {
  if (auto s = check_outputs(arguments); !s) return report(console, s.error());
  const std::vector<std::string> files = arguments.values("FILE");
  const auto policies = arguments.value("--policies");
  if (policies && files.size() != 1) {
    return wrong_value(console, "--policies", "needs one simulation file");
  }
  if (!policies && files.size() < 2) {
    return wrong_value(console, "FILE",
                       "two results (of 'berth sim run --output json') are needed, or one "
                       "simulation file with --policies");
  }
  if (!policies) {
    if (auto s = check_unplayed(arguments, "--policies only; results are of runs played before");
        !s) {
      return report(console, s.error());
    }
  }
  const auto runs =
      policies ? play_policies(files.front(), *policies, arguments, console) : read_results(files);
  if (!runs) return report(console, runs.error());
  return write_results(*runs, arguments, console);
}

}  // namespace

CommandSpec sim_compare_command() {
  CommandSpec spec;
  spec.name = "compare";
  spec.text = "Shows runs side by side, with their differences to the first.";
  spec.arguments = {{"FILE",
                     "Results in JSON, or one simulation file with --policies",
                     ArgumentSpec::Count::kMany,
                     {}}};
  spec.options = play_file_options(
      {"--policies", "A,B", "Play the one file under each of these policies", {}, {}});
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
