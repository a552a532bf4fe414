#include "cli/commands.h"

namespace berth::cli {

const CommandSpec& program() {
  static const CommandSpec kProgram = [] {
    CommandSpec spec;
    spec.name = "berth";
    spec.text = "Control plane for GPU fleets.";
    spec.subcommands = {server_command(), submit_command(),  get_command(),   describe_command(),
                        why_command(),    what_if_command(), queue_command(), top_command(),
                        plan_command(),   usage_command(),   events_command()};
    for (CommandSpec& command : work_commands()) spec.subcommands.push_back(std::move(command));
    for (CommandSpec& command : std::vector<CommandSpec>{
             sim_command(), simulate_nodes_command(), scenario_command(), gpus_command(),
             replay_command(), demo_command(), policy_command(), init_command(), token_command(),
             context_command(), explain_schema_command(), docs_command(), completion_command(),
             version_command()}) {
      spec.subcommands.push_back(std::move(command));
    }
    return spec;
  }();
  return kProgram;
}

}  // namespace berth::cli
