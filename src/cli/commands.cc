#include "cli/commands.h"

namespace berth::cli {

const CommandSpec& program() {
  static const CommandSpec kProgram = [] {
    CommandSpec spec;
    spec.name = "berth";
    spec.text = "Control plane for GPU fleets.";
    spec.subcommands = {sim_command(),        scenario_command(), gpus_command(), demo_command(),
                        why_command(),        what_if_command(),  plan_command(), docs_command(),
                        completion_command(), version_command()};
    return spec;
  }();
  return kProgram;
}

}  // namespace berth::cli
