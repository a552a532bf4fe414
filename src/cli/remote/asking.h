// What the commands that ask a server share: the connection, the ways to print an answer, and
// watching.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/remote/client.h"
#include "cli/remote/contexts.h"
#include "cli/remote/table.h"

namespace berth::cli {

// -o table|wide|json|yaml|name
OptionSpec list_output_option();
// -o text|json|yaml
OptionSpec text_output_option();

// One verb of a command of several; arguments and options are added to it.
CommandSpec subcommand(std::string name, std::string text, CommandSpec::Run run);

// The command's options with --server and its kin behind them.
CommandSpec remote_command(CommandSpec spec);

using AskServer = std::function<Status(Client& client)>;
// Finds the server and asks; the exit code.
int ask_server(const Arguments& arguments, Console& console, const AskServer& ask);

// A list as -o says.
struct Listing {
  std::vector<Column> columns;
  std::string name_field = "name";  // what -o name prints
  std::string empty_text;           // "no jobs"
};
enum class TableHead : std::uint8_t { kShown, kNone };
void print_list(const Listing& listing, const codec::Document& items, std::int64_t now_ms,
                const Arguments& arguments, Console& console, TableHead head = TableHead::kShown);
// A document as YAML, or as -o says.
void print_document(const codec::Document& document, const Arguments& arguments, Console& console);
// `text` of an answer to a question, or its `answer`.
void print_told(const codec::Document& told, const Arguments& arguments, Console& console);

// The time of the server, for ages.
Result<std::int64_t> server_now(Client& client);

std::string encoded(const std::string& name);  // as a part of a path

}  // namespace berth::cli
