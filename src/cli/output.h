// How results are put out: as a table for people, or as JSON or CSV for programs.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"
#include "sim/run_result.h"

namespace berth::cli {

// --output table|json|csv and --report FILE.html
OptionSpec output_option();
OptionSpec report_option();

// Whether the files of --report and --journal can be written: asked before anything is played.
Status check_outputs(const Arguments& arguments);
Status check_output(const std::string& option, const std::string& path);

// Writes the results as the arguments ask: one run, or several side by side. The exit code.
int write_results(std::span<const sim::RunResult> runs, const Arguments& arguments,
                  Console& console);

}  // namespace berth::cli
