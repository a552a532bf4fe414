// `berth what-if COMMAND... --scn FILE`: what commands would change, against the same time without
// them.
#include <iostream>
#include <iterator>

#include "cli/commands.h"
#include "cli/play.h"
#include "cli/played_place.h"
#include "codec/file.h"
#include "codec/writer.h"
#include "server/what_if_answer.h"

namespace berth::cli {
namespace {

Result<std::string> text_of(const std::string& file) {
  if (file == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  auto text = codec::read_file(file);
  if (!text) text.error().message = file + ": " + text.error().message;
  return text;
}

// Those of the file first.
Result<std::vector<sim::WhatIfCommand>> commands_of(const Arguments& arguments) {
  std::vector<sim::WhatIfCommand> commands;
  if (const auto file = arguments.value("--file")) {
    const auto text = text_of(*file);
    if (!text) return tl::unexpected(text.error());
    commands = sim::what_if_commands(*file == "-" ? "standard input" : *file, *text);
  }
  int number = 0;
  for (const std::string& text : arguments.values("COMMAND")) {
    commands.push_back({"COMMAND " + std::to_string(++number), text});
  }
  if (commands.empty()) {
    return invalid("none is given; one such as 'drain n1', or --file FILE, is needed", "COMMAND");
  }
  return commands;
}

Result<std::optional<DurationMs>> horizon_of(const Arguments& arguments) {
  const auto text = arguments.value("--for");
  if (!text) return std::optional<DurationMs>();
  const auto horizon = duration_of(*text);
  if (!horizon) return invalid(horizon.error().message, "--for");
  if (*horizon < 0) return invalid("is '" + *text + "'; a time from 0 is accepted", "--for");
  return std::optional<DurationMs>(*horizon);
}

Request request_of(const std::vector<sim::WhatIfCommand>& commands,
                   const std::optional<DurationMs>& horizon) {
  codec::Document list = codec::Document::list();
  for (const sim::WhatIfCommand& one : commands) list.append(codec::Document::string(one.text));
  codec::Document body = codec::Document::map();
  body.add("commands", std::move(list));
  if (horizon) body.add("for", codec::Document::string(std::to_string(*horizon) + "ms"));
  return {"POST", "/v1/what-if", codec::write_json_line(body), "application/json", {}};
}

int run(const Arguments& arguments, Console& console) {
  const auto commands = commands_of(arguments);
  if (!commands) return report(console, commands.error());
  if (auto s = sim::check_what_if(*commands); !s) return report(console, s.error());
  const auto horizon = horizon_of(arguments);
  if (!horizon) return report(console, horizon.error());
  return ask_place(arguments, console, request_of(*commands, *horizon),
                   [&](const server::AskedPlace& place) -> Result<server::Told> {
                     const auto answer =
                         sim::what_if(place.catalog, place.moment, *commands, *horizon);
                     if (!answer) return tl::unexpected(answer.error());
                     return server::told(*answer);
                   });
}

}  // namespace

CommandSpec what_if_command() {
  CommandSpec spec;
  spec.name = "what-if";
  spec.text =
      "What commands would change: who starts, waits or gives, against the same time without them. "
      "Nothing is changed.";
  spec.arguments = {{"COMMAND",
                     "One of a scenario in quotes, such as 'submit x gpus=8' or 'drain n1'; see "
                     "'berth scenario verbs'",
                     ArgumentSpec::Count::kAny,
                     {}}};
  spec.options = place_options();
  spec.options.insert(spec.options.begin() + 2,
                      {{"--file", "FILE", "Commands, one a line; - is standard input", {}, {}},
                       {"--for",
                        "TIME",
                        "How long it is played after the commands",
                        "until nothing is on its way, at most 1h",
                        {}}});
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
