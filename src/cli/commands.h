// The explicit table of subcommands: one declaration each, defined in the file named after it.
#pragma once

#include <vector>

#include "cli/command.h"

namespace berth::cli {

CommandSpec completion_command();
CommandSpec context_command();
CommandSpec demo_command();
CommandSpec describe_command();
CommandSpec docs_command();
CommandSpec events_command();
CommandSpec explain_schema_command();
CommandSpec get_command();
CommandSpec gpus_command();
CommandSpec init_command();
CommandSpec plan_command();
CommandSpec queue_command();
CommandSpec scenario_command();
CommandSpec server_command();
CommandSpec sim_command();
CommandSpec simulate_nodes_command();
CommandSpec submit_command();
CommandSpec policy_command();
CommandSpec replay_command();
CommandSpec token_command();
CommandSpec top_command();
CommandSpec usage_command();
CommandSpec version_command();
CommandSpec what_if_command();
CommandSpec why_command();
// cancel, hold, release, resize; cordon, drain, uncordon; apply.
std::vector<CommandSpec> work_commands();

// The whole program.
const CommandSpec& program();

}  // namespace berth::cli
