// A cluster to ask: a server's, a scenario played to its end, or a simulation up to an instant.
#pragma once

#include <functional>
#include <vector>

#include "cli/command.h"
#include "cli/remote/client.h"
#include "server/asked_place.h"

namespace berth::cli {

using Ask = std::function<Result<server::Told>(const server::AskedPlace& place)>;

// Plays what --scn or --sim name and asks there; without them asks the server, by `request`. Prints
// the answer; the exit code.
int ask_place(const Arguments& arguments, Console& console, const Request& request, const Ask& ask);
// The options that say where it is asked, and --output.
std::vector<OptionSpec> place_options();

}  // namespace berth::cli
