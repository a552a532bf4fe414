// Subcommands of `berth sim`.
#pragma once

#include "cli/command.h"
#include "cli/play.h"

namespace berth::cli {

CommandSpec sim_run_command();
CommandSpec sim_compare_command();
CommandSpec sim_day_command();

// --seed N and --until T: of every subcommand that plays a simulation.
std::vector<OptionSpec> play_options();
// Of every subcommand that plays a file: which policies, the above, --skip-bad-rows, and how the
// result is put out.
std::vector<OptionSpec> play_file_options(OptionSpec policies);
// The same, read.
Result<sim::Overrides> play_overrides(const Arguments& arguments);
// Refuses them where nothing is played; `what_it_needs`: "--sim only".
Status check_unplayed(const Arguments& arguments, const std::string& what_it_needs);

}  // namespace berth::cli
