#include "cli/output.h"

#include "codec/file.h"
#include "sim/report/csv.h"
#include "sim/report/html.h"
#include "sim/report/json.h"
#include "sim/report/table.h"

namespace berth::cli {
namespace {

std::string formatted(std::span<const sim::RunResult> runs, const std::string& format,
                      const Console& console) {
  if (format == "json") return runs.size() == 1 ? run_json(runs.front()) : comparison_json(runs);
  if (format == "csv") return series_csv(runs);
  return comparison_table(runs,
                          console.out_has_colours() ? sim::Colours::kAnsi : sim::Colours::kOff);
}

}  // namespace

OptionSpec output_option() {
  return {"--output",
          "FORMAT",
          "How the result is written: table, json or csv",
          "table",
          {"table", "json", "csv"}};
}

OptionSpec report_option() {
  return {"--report", "FILE.html", "Also write a self-contained HTML report", {}, {}};
}

Status check_outputs(const Arguments& arguments) {
  for (const char* option : {"--report", "--journal"}) {
    const auto path = arguments.value(option);
    if (!path) continue;
    if (auto s = check_output(option, *path); !s) return s;
  }
  return {};
}

Status check_output(const std::string& option, const std::string& path) {
  auto status = codec::check_writable(path);
  if (!status) status.error().field = option;
  return status;
}

int write_results(std::span<const sim::RunResult> runs, const Arguments& arguments,
                  Console& console) {
  console.out() << formatted(runs, arguments.value_or("--output", "table"), console);
  const auto report_path = arguments.value("--report");
  if (!report_path) return kDone;
  if (auto s = codec::write_file(*report_path, sim::html_report(runs)); !s) {
    return report(console, s.error());
  }
  console.note("report: " + *report_path);
  return kDone;
}

}  // namespace berth::cli
