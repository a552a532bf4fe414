#include <exception>

#include "cli/commands.h"
#include "cli/parser.h"

int main(int argc, char** argv) {
  using namespace berth::cli;
  Console console = process_console(BERTH_VERSION);
  try {
    const int code = run_program(program(), argc, argv, console);
    if (console.out().flush()) return code;
    console.error("standard output cannot be written");
    return kFailed;
  } catch (const std::exception& failure) {
    console.error(failure.what());
    return kFailed;
  }
}
