// A cluster to ask: a scenario played to its end, or a simulation up to an instant.
#pragma once

#include <functional>
#include <vector>

#include "cli/command.h"
#include "cli/why_answer.h"

namespace berth::cli {

using Ask = std::function<Status(const AskedPlace& place)>;

// Plays what --scn or --sim name and asks there; the exit code.
int ask_played_place(const Arguments& arguments, Console& console, const Ask& ask);
// The options that say what is played, and --output.
std::vector<OptionSpec> played_place_options();
AnswerFormat answer_format(const Arguments& arguments);

}  // namespace berth::cli
