// `berth events`: what happened; with -f it goes on, through broken connections, without gap.
#include <chrono>
#include <thread>

#include "cli/commands.h"
#include "cli/remote/asking.h"
#include "codec/json_reader.h"
#include "codec/writer.h"

namespace berth::cli {
namespace {

using codec::Document;

std::vector<std::pair<std::string, std::optional<std::string>>> filters(
    const Arguments& arguments) {
  return {{"queue", arguments.value("--queue")},
          {"job", arguments.value("--job")},
          {"node", arguments.value("--node")}};
}

std::string event_line(const Document& event) {
  std::string at = text_of(event, "at");
  if (at.size() > 19) at = at.substr(11, 8);
  std::string about = text_of(event, "job");
  const std::string node = text_of(event, "node");
  if (!node.empty()) about += (about.empty() ? "" : " ") + ("on " + node);
  return at + "  " + (about.empty() ? "" : about + ": ") + text_of(event, "message");
}

void print_event(const Document& event, const Arguments& arguments, Console& console) {
  if (arguments.value_or("--output", "text") == "json") {
    console.out() << codec::write_json_line(event) << "\n";
  } else {
    console.out() << event_line(event) << "\n";
  }
  console.out().flush();
}

// Connects again where the stream breaks, from the last event that was shown; ends where the server
// refuses.
Status follow(Client& client, const Arguments& arguments, std::string last, Console& console) {
  constexpr auto kPause = std::chrono::seconds(1);
  while (true) {
    const std::string path = "/v1/events/stream" + query_text(filters(arguments));
    const Status done = client.stream(path, last, [&](const std::string& line) {
      if (line.starts_with("id: ")) last = line.substr(4);
      if (!line.starts_with("data: ")) return true;
      if (const auto event = codec::read_json(line.substr(6))) {
        print_event(*event, arguments, console);
      }
      return true;
    });
    if (!done && done.error().code != ErrorCode::kUnavailable) return done;
    console.note("the connection ended; connecting again");
    std::this_thread::sleep_for(kPause);
  }
}

int run(const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    const auto events = client.listed("/v1/events" + query_text(filters(arguments)));
    if (!events) return tl::unexpected(events.error());
    for (const Document& event : events->items.items()) print_event(event, arguments, console);
    if (!arguments.has("--follow")) return {};
    return follow(client, arguments, std::to_string(events->revision), console);
  });
}

}  // namespace

CommandSpec events_command() {
  CommandSpec spec;
  spec.name = "events";
  spec.text = "What happened lately, the oldest first.";
  OptionSpec output{"--output", "FORMAT", "How to print it", "text", {"text", "json"}};
  output.letter = "-o";
  spec.options = {{"--follow", "", "Goes on with what happens; Ctrl-C ends it", {}, {}},
                  {"--queue", "NAME", "Only of jobs of this queue and those below it", {}, {}},
                  {"--job", "NAME", "Only of this job", {}, {}},
                  {"--node", "NAME", "Only of this node", {}, {}},
                  output};
  spec.options[0].letter = "-f";
  spec.run = run;
  return remote_command(std::move(spec));
}

}  // namespace berth::cli
