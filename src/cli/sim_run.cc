// `berth sim run FILE`
#include <utility>

#include "cli/environment.h"
#include "cli/output.h"
#include "cli/sim_commands.h"

namespace berth::cli {
namespace {

int run(const Arguments& arguments, Console& console) {
  if (auto s = check_outputs(arguments); !s) return report(console, s.error());
  const auto places = find_places();
  if (!places) return report(console, places.error());
  auto overrides = play_overrides(arguments);
  if (!overrides) return report(console, overrides.error());
  overrides->policy = arguments.value("--policy");
  const Play what{*arguments.value("FILE"), *overrides, arguments.value("--journal")};
  const auto result = play(what, *places, console);
  if (!result) return report(console, result.error());
  return write_results({&*result, 1}, arguments, console);
}

}  // namespace

std::vector<OptionSpec> play_options() {
  return {{"--seed", "N", "Seed of all draws", "the file's", {}},
          {"--until", "TIME", "Virtual time to play, such as 12h", "the file's", {}}};
}

std::vector<OptionSpec> play_file_options(OptionSpec policies) {
  std::vector<OptionSpec> options = play_options();
  options.insert(options.begin(), std::move(policies));
  options.push_back(
      {"--mix", "NAME|FILE", "Demand mix known before the first job", "the file's", {}});
  options.push_back({"--skip-bad-rows",
                     "",
                     "Leave out rows of traces that cannot be used, and count them",
                     {},
                     {}});
  options.push_back(output_option());
  options.push_back(report_option());
  return options;
}

Result<sim::Overrides> play_overrides(const Arguments& arguments) {
  sim::Overrides overrides;
  if (const auto text = arguments.value("--seed")) {
    const auto seed = seed_of(*text);
    if (!seed) return invalid(seed.error().message, "--seed");
    overrides.seed = *seed;
  }
  if (const auto text = arguments.value("--until")) {
    const auto until = duration_of(*text);
    if (!until) return invalid(until.error().message, "--until");
    if (*until <= 0) return invalid("is '" + *text + "'; a time above 0 is accepted", "--until");
    overrides.duration_ms = *until;
  }
  overrides.mix = arguments.value("--mix");
  if (arguments.has("--skip-bad-rows")) overrides.bad_rows = sim::BadRows::kSkip;
  return overrides;
}

Status check_unplayed(const Arguments& arguments, const std::string& what_it_needs) {
  for (const char* option : {"--seed", "--until", "--mix", "--skip-bad-rows"}) {
    if (arguments.has(option)) return invalid(std::string(option) + " applies to " + what_it_needs);
  }
  return {};
}

CommandSpec sim_run_command() {
  CommandSpec spec;
  spec.name = "run";
  spec.text = "Plays one simulation file and prints what came of it.";
  spec.arguments = {{"FILE",
                     "Simulation: fleet, workload, policy, duration, seed",
                     ArgumentSpec::Count::kOne,
                     {}}};
  spec.options =
      play_file_options({"--policy", "NAME|FILE", "Policy to decide by", "the file's", {}});
  spec.options.push_back(
      {"--journal", "FILE", "Also write the journal: every event of the run", {}, {}});
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
