// The verb that asks what commands would change.
#include "codec/quantity.h"
#include "sim/scenario/verbs.h"
#include "sim/scenario/what_if.h"

namespace berth::sim {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "for=2h" at the front, which is cut off.
std::optional<DurationMs> read_horizon(std::string& text, Arguments& arguments) {
  constexpr std::string_view kFor = "for=";
  if (!text.starts_with(kFor)) return std::nullopt;
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string value = text.substr(kFor.size(), end - kFor.size());
  text = trimmed(text.substr(end));
  const auto horizon = codec::parse_duration(codec::Document::string(value));
  if (horizon && *horizon >= 0) return *horizon;
  arguments.refuse("'" + value + "' is not a duration; 90s, 10m or 1h30m is accepted", "for");
  return std::nullopt;
}

std::vector<WhatIfCommand> split_commands(const std::string& text) {
  std::vector<WhatIfCommand> commands;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(';', from), text.size());
    const std::string command = trimmed(text.substr(from, end - from));
    if (!command.empty()) {
      commands.push_back({"command " + std::to_string(commands.size() + 1), command});
    }
    from = end + 1;
  }
  return commands;
}

Step read_what_if(Arguments& arguments) {
  std::string text = trimmed(arguments.rest_of_line());
  const auto horizon = read_horizon(text, arguments);
  const std::vector<WhatIfCommand> commands = split_commands(text);
  if (commands.empty()) arguments.refuse("what-if needs a command, or several with ';' between");
  arguments.check(check_what_if(commands));
  Step step;
  step.run = [commands, horizon](Session& session) -> Status {
    const auto answer = what_if(session.catalog(), session.moment(), commands, horizon);
    if (!answer) {
      session.refuse(answer.error());
      return {};
    }
    for (std::string& line : what_if_lines(*answer)) session.say(std::move(line));
    return {};
  };
  return step;
}

constexpr Verb kVerbs[] = {
    {"what-if", "what-if [for=DURATION] COMMAND[; COMMAND ...]",
     "What the commands would change, against the same time without them; nothing is changed.",
     &read_what_if},
};

}  // namespace

std::span<const Verb> what_if_verbs() { return kVerbs; }

}  // namespace berth::sim
