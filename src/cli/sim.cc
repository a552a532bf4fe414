// `berth sim`: run, compare and day.
#include "cli/commands.h"
#include "cli/sim_commands.h"

namespace berth::cli {

CommandSpec sim_command() {
  CommandSpec spec;
  spec.name = "sim";
  spec.text = "Plays a fleet, a workload and a policy in virtual time.";
  spec.subcommands = {sim_run_command(), sim_compare_command(), sim_day_command()};
  return spec;
}

}  // namespace berth::cli
