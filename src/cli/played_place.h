// A cluster to ask: a scenario played to its end, or a simulation up to an instant.
#pragma once

#include <functional>
#include <vector>

#include "cli/command.h"
#include "server/asked_place.h"

namespace berth::cli {

using Ask = std::function<Result<server::Told>(const server::AskedPlace& place)>;

// Plays what --scn or --sim name, asks there and prints the answer; the exit code.
int ask_played_place(const Arguments& arguments, Console& console, const Ask& ask);
// The options that say what is played, and --output.
std::vector<OptionSpec> played_place_options();

}  // namespace berth::cli
