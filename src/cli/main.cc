#include <exception>

#include "cli/commands.h"
#include "cli/parser.h"

int main(int argc, char** argv) {
  using namespace berth::cli;
  Console console = process_console(BERTH_VERSION);
  try {
    return run_program(program(), argc, argv, console);
  } catch (const std::exception& failure) {
    console.error(failure.what());
    return kFailed;
  }
}
