#include "cli/commands.h"

namespace berth::cli {
namespace {

int run(const Arguments& /*arguments*/, Console& console) {
  console.out() << "berth " << console.version() << " (" << __VERSION__ << ")\n";
  return kDone;
}

}  // namespace

CommandSpec version_command() {
  CommandSpec spec;
  spec.name = "version";
  spec.text = "Says what was built.";
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
