// Contexts: the servers that a user speaks to, by name, in ~/.config/berth/contexts.yaml (or the
// file that BERTH_CONFIG names), readable by its owner only.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/remote/client.h"

namespace berth::cli {

struct Context {
  std::string name;
  std::string url;
  std::string token;
  std::string ca;
  friend bool operator==(const Context&, const Context&) = default;
};

struct Contexts {
  std::string current;
  std::vector<Context> contexts;
  friend bool operator==(const Contexts&, const Contexts&) = default;

  const Context* find(const std::string& name) const;
};

std::string contexts_path();
// None where there is no such file yet.
Result<Contexts> load_contexts();
// What can be kept and found again: a name, an http or https URL, a CA's file that is there.
Status check_context(const Context& context);
Status save_contexts(const Contexts& contexts);

// --server, --token and --context, which every command that asks a server has.
std::vector<OptionSpec> server_options(std::vector<OptionSpec> more);
// By the options, else BERTH_SERVER and BERTH_TOKEN, else the current context, else that of
// `berth server --dev`. A context's token and CA are for its own URL only, and no token goes over
// the network in clear text.
Result<Server> find_server(const Arguments& arguments);

}  // namespace berth::cli
