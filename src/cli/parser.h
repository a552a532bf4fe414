// Command line -> the command that it names, with its arguments.
#pragma once

#include <vector>

#include "cli/command.h"

namespace berth::cli {

// Parses, runs and gives the exit code. --help and mistakes are answered here.
int run_program(const CommandSpec& program, int argc, const char* const* argv, Console& console);

}  // namespace berth::cli
