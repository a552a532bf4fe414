// The explicit table of subcommands: one declaration each, defined in the file named after it.
#pragma once

#include "cli/command.h"

namespace berth::cli {

CommandSpec completion_command();
CommandSpec demo_command();
CommandSpec docs_command();
CommandSpec gpus_command();
CommandSpec plan_command();
CommandSpec scenario_command();
CommandSpec sim_command();
CommandSpec version_command();
CommandSpec what_if_command();
CommandSpec why_command();

// The whole program.
const CommandSpec& program();

}  // namespace berth::cli
