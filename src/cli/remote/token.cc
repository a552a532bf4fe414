// `berth token issue|list|revoke`: the tokens of a server.
#include "cli/commands.h"
#include "cli/remote/asking.h"
#include "codec/writer.h"

namespace berth::cli {
namespace {

using codec::Document;

Listing token_listing() {
  return {{{"NAME", field("name")},
           {"ID", field("id")},
           {"ROLE", field("role")},
           {"QUEUE", field("queue")},
           {"EXPIRES", field("expires_at")},
           {"ISSUED", field("issued_at"), true}},
          "id",
          "no tokens"};
}

Document request_of(const Arguments& arguments) {
  Document body = Document::map();
  body.add("name", Document::string(arguments.value_or("NAME", "")));
  body.add("role", Document::string(arguments.value_or("--role", "")));
  if (const auto queue = arguments.value("--queue")) body.add("queue", Document::string(*queue));
  if (const auto time = arguments.value("--expires-in")) {
    body.add("expires_in", Document::string(*time));
  }
  return body;
}

// The secret alone goes to standard output, for `TOKEN=$(berth token issue ...)`.
int run_issue(const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    Request request;
    request.method = "POST";
    request.path = "/v1/tokens";
    request.body = codec::write_json_line(request_of(arguments));
    const auto issued = client.send(request);
    if (!issued) return tl::unexpected(issued.error());
    console.note("token " + text_of(*issued, "id") + " of " + text_of(*issued, "name") +
                 ", until " + text_of(*issued, "expires_at") + "; its secret is shown once:");
    console.out() << text_of(*issued, "secret") << "\n";
    return {};
  });
}

int run_list(const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    const auto tokens = client.list("/v1/tokens");
    if (!tokens) return tl::unexpected(tokens.error());
    print_list(token_listing(), *tokens, 0, arguments, console);
    return {};
  });
}

int run_revoke(const Arguments& arguments, Console& console) {
  const std::string id = arguments.value_or("ID", "");
  return ask_server(arguments, console, [&](Client& client) -> Status {
    Request request;
    request.method = "DELETE";
    request.path = "/v1/tokens/" + encoded(id);
    const auto revoked = client.send(request);
    if (!revoked) return tl::unexpected(revoked.error());
    console.note("token " + id + " opens nothing any more");
    return {};
  });
}

}  // namespace

CommandSpec token_command() {
  using Count = ArgumentSpec::Count;
  CommandSpec issue = subcommand("issue", "Issues a token and prints its secret, once.", run_issue);
  issue.arguments = {{"NAME", "Who it is for", Count::kOne, {}}};
  issue.options = {
      {"--role", "ROLE", "What it may do", {}, {"admin", "operator", "tenant", "viewer"}},
      {"--queue", "QUEUE", "Root of what a tenant or a viewer may see and use", {}, {}},
      {"--expires-in", "TIME", "How long it opens anything", "90d", {}}};
  CommandSpec list = subcommand("list", "Lists the tokens, without secrets.", run_list);
  list.options = {list_output_option()};
  CommandSpec revoke = subcommand("revoke", "Ends a token at once.", run_revoke);
  revoke.arguments = {{"ID", "Its id, as 'berth token list' shows it", Count::kOne, {}}};
  CommandSpec spec;
  spec.name = "token";
  spec.text = "The tokens that open a server.";
  spec.subcommands = {remote_command(std::move(issue)), remote_command(std::move(list)),
                      remote_command(std::move(revoke))};
  return spec;
}

}  // namespace berth::cli
