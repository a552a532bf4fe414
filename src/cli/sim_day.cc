// `berth sim day`: a day of a fleet under two policies, with the comparison and the report.
#include <filesystem>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/output.h"
#include "cli/sim_commands.h"
#include "codec/file.h"
#include "model/rejection.h"
#include "sim/report/html.h"
#include "sim/report/table.h"

namespace berth::cli {
namespace {

constexpr const char* kReportFile = "berth-day.html";

std::string seconds_text(double seconds) {
  const auto tenths = static_cast<long long>(seconds * 10 + 0.5);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

int run(const Arguments& arguments, Console& console) {
  const std::string path = arguments.value_or("--report", kReportFile);
  if (auto s = check_output("--report", path); !s) return report(console, s.error());
  const auto places = find_places();
  if (!places) return report(console, places.error());
  auto overrides = play_overrides(arguments);
  if (!overrides) return report(console, overrides.error());
  std::vector<sim::RunResult> runs;
  console.note("A day of a fleet, played twice: plain best-fit, then Berth's own policy.");
  for (const char* policy : {"bestfit", "berth"}) {
    overrides->policy = policy;
    auto result =
        play({places->data + "/workloads/demo-day.yaml", *overrides, {}}, *places, console);
    if (!result) return report(console, result.error());
    console.note(std::string("  ") + policy + ": " + grouped(result->jobs.submitted) + " jobs, " +
                 grouped(static_cast<std::int64_t>(result->events_applied)) + " events in " +
                 seconds_text(result->wall_s));
    runs.push_back(std::move(*result));
  }
  const auto colours = console.out_has_colours() ? sim::Colours::kAnsi : sim::Colours::kOff;
  console.out() << comparison_table(runs, colours);
  if (auto s = codec::write_file(path, sim::html_report(runs)); !s) {
    return report(console, s.error());
  }
  console.out() << "\nReport: " << std::filesystem::absolute(path).string() << '\n';
  return kDone;
}

}  // namespace

CommandSpec sim_day_command() {
  CommandSpec spec;
  spec.name = "day";
  spec.text = "Plays a day of a 1,000-GPU fleet under two policies and compares them.";
  spec.options = play_options();
  spec.options.push_back(report_option());
  spec.options.back().fallback = kReportFile;
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
