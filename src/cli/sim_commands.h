// Subcommands of `berth sim`.
#pragma once

#include "cli/command.h"
#include "cli/play.h"

namespace berth::cli {

CommandSpec sim_run_command();
CommandSpec sim_compare_command();

// --seed N, --until T, --skip-bad-rows: of every subcommand that plays a file.
std::vector<OptionSpec> play_options();
// The same, read.
Result<sim::Overrides> play_overrides(const Arguments& arguments);

}  // namespace berth::cli
