#include "cli/remote/asking.h"

#include "codec/writer.h"
#include "server/http.h"
#include "server/timestamp.h"

namespace berth::cli {

using codec::Document;

OptionSpec list_output_option() {
  OptionSpec option{
      "--output", "FORMAT", "How to print it", "table", {"table", "wide", "json", "yaml", "name"}};
  option.letter = "-o";
  return option;
}

OptionSpec text_output_option() {
  OptionSpec option{"--output", "FORMAT", "How to print it", "text", {"text", "json", "yaml"}};
  option.letter = "-o";
  return option;
}

CommandSpec subcommand(std::string name, std::string text, CommandSpec::Run run) {
  CommandSpec spec;
  spec.name = std::move(name);
  spec.text = std::move(text);
  spec.run = run;
  return spec;
}

CommandSpec remote_command(CommandSpec spec) {
  spec.options = server_options(std::move(spec.options));
  return spec;
}

int ask_server(const Arguments& arguments, Console& console, const AskServer& ask) {
  auto server = find_server(arguments);
  if (!server) return report(console, server.error());
  Client client(std::move(*server));
  if (auto s = ask(client); !s) return report(console, s.error());
  return kDone;
}

void print_document(const Document& document, const Arguments& arguments, Console& console) {
  const bool as_json = arguments.value_or("--output", "yaml") == "json";
  console.out() << (as_json ? codec::write_json(document) : codec::write_yaml(document));
}

void print_list(const Listing& listing, const Document& items, std::int64_t now_ms,
                const Arguments& arguments, Console& console, TableHead head) {
  const std::string format = arguments.value_or("--output", "table");
  if (format == "json" || format == "yaml") return print_document(items, arguments, console);
  if (format == "name") {
    for (const Document& item : items.items()) {
      console.out() << text_of(item, listing.name_field) << "\n";
    }
    return;
  }
  if (items.items().empty()) return console.note(listing.empty_text);
  const Width width = format == "wide" ? Width::kWide : Width::kNarrow;
  auto lines = table_lines(listing.columns, items.items(), width, now_ms);
  if (head == TableHead::kNone) lines.erase(lines.begin());
  for (const std::string& line : lines) console.out() << coloured(line, console) << "\n";
}

void print_told(const Document& told, const Arguments& arguments, Console& console) {
  if (arguments.value_or("--output", "text") == "text") {
    console.out() << text_of(told, "text");
  } else {
    print_document(*told.find("answer"), arguments, console);
  }
}

Result<std::int64_t> server_now(Client& client) {
  const auto cluster = client.get("/v1/cluster");
  if (!cluster) return tl::unexpected(cluster.error());
  const auto now = server::parse_timestamp(text_of(*cluster, "now"));
  if (!now) return invalid("the server does not say what time it is");
  return *now;
}

std::string encoded(const std::string& name) { return server::percent_encoded(name); }

}  // namespace berth::cli
