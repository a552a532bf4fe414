// `berth sim`: run and compare.
#include "cli/commands.h"
#include "cli/sim_commands.h"

namespace berth::cli {

CommandSpec sim_command() {
  CommandSpec spec;
  spec.name = "sim";
  spec.text = "Plays a fleet, a workload and a policy in virtual time.";
  spec.subcommands = {sim_run_command(), sim_compare_command()};
  return spec;
}

}  // namespace berth::cli
