// `berth init`: what a server with TLS and tokens begins with: a CA, its certificate, the secret of
// agents, a first token, and its settings. Nothing that is there is overwritten.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/commands.h"
#include "cli/private_file.h"
#include "cli/remote/contexts.h"
#include "cli/serve/settings.h"
#include "cli/setup/certificates.h"
#include "codec/file.h"
#include "codec/writer.h"
#include "server/access.h"
#include "server/token_secret.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "berth-server";
constexpr const char* kFirstAdmin = "first-admin";
constexpr const char* kUsualContext = "berth";
constexpr std::uint16_t kApiPort = 7700;
constexpr std::uint16_t kAgentsPort = 7701;

struct Plan {
  fs::path folder;
  std::vector<std::string> hosts;  // of the certificate; this machine's own addresses are the last
  bool is_reached_by_others = false;
  std::string context;

  std::string file(const char* name) const { return (folder / name).string(); }
};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// With --name others are meant to reach it; without, this machine only.
Plan plan_of(const Arguments& arguments) {
  Plan plan;
  plan.folder = fs::absolute(arguments.value_or("--dir", kFolder));
  plan.hosts = arguments.values("--name");
  plan.is_reached_by_others = !plan.hosts.empty();
  plan.context = arguments.value_or("--context", kUsualContext);
  std::vector<std::string> own = {"localhost", "127.0.0.1", "::1"};
  if (const std::string name = host_name(); !name.empty()) own.push_back(name);
  for (const std::string& host : own) {
    if (std::find(plan.hosts.begin(), plan.hosts.end(), host) == plan.hosts.end()) {
      plan.hosts.push_back(host);
    }
  }
  return plan;
}

Status make_folder(const fs::path& folder) {
  std::error_code status;
  if (fs::exists(folder, status) && !fs::is_empty(folder, status)) {
    return fail(ErrorCode::kConflict,
                "'" + folder.string() + "' has files already; an empty or a new folder is accepted",
                "--dir");
  }
  fs::create_directories(folder, status);
  if (!status) fs::permissions(folder, fs::perms::owner_all, status);
  if (!status) return {};
  return fail(ErrorCode::kUnavailable,
              "'" + folder.string() + "' cannot be made: " + status.message(), "--dir");
}

std::string settings_text(const Plan& plan) {
  const std::string address = plan.is_reached_by_others ? "0.0.0.0" : "127.0.0.1";
  ServerSettings settings;
  settings.listen = address + ":" + std::to_string(kApiPort);
  settings.agents = address + ":" + std::to_string(kAgentsPort);
  settings.journal = "journal.sqlite";
  settings.certificate = "server.crt";
  settings.key = "server.key";
  settings.agents_token_file = "agents.token";
  settings.tokens = "tokens.yaml";
  return commented_settings(settings);
}

std::string first_tokens_text(const server::NewSecret& secret) {
  const std::string role(word(server::Role::kAdmin));
  const FirstTokens tokens{{{secret.id, kFirstAdmin, secret.hash, role, {}}}};
  return "# Taken in by a server whose journal never had a token. Hashes, no secrets.\n" +
         codec::write_yaml(codec::to_document(tokens));
}

Status write_all(const Plan& plan, const server::NewSecret& secret) {
  const auto ca = make_ca("Berth CA of " + plan.hosts.front());
  if (!ca) return tl::unexpected(ca.error());
  const auto server = make_server_identity(*ca, plan.hosts);
  if (!server) return tl::unexpected(server.error());
  const auto agents = server::random_letters();
  if (!agents) return tl::unexpected(agents.error());
  if (auto s = make_folder(plan.folder); !s) return s;
  const std::pair<const char*, std::string> files[] = {
      {"ca.crt", ca->certificate},         {"ca.key", ca->key},
      {"server.crt", server->certificate}, {"server.key", server->key},
      {"agents.token", *agents + "\n"},    {"tokens.yaml", first_tokens_text(secret)},
      {"server.yaml", settings_text(plan)}};
  for (const auto& [name, text] : files) {
    if (auto s = create_private_file(plan.file(name), text); !s) return s;
  }
  return {};
}

Status check_context(const Contexts& contexts, const std::string& name) {
  if (contexts.find(name) == nullptr) return {};
  return fail(ErrorCode::kConflict,
              "there is a context '" + name + "' already; another name is accepted", "--context");
}

Status add_context(Contexts contexts, const Plan& plan, const std::string& secret) {
  const std::string& host = plan.hosts.front();
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  contexts.contexts.push_back({plan.context, "https://" + shown + ":" + std::to_string(kApiPort),
                               secret, plan.file("ca.crt")});
  contexts.current = plan.context;
  return save_contexts(contexts);
}

// Another server certificate of the same CA, beside the one that runs out.
int renew(const Plan& plan, Console& console) {
  auto certificate = codec::read_file(plan.file("ca.crt"));
  if (!certificate) return report(console, certificate.error());
  auto key = codec::read_file(plan.file("ca.key"));
  if (!key) return report(console, key.error());
  const auto server = make_server_identity({*certificate, *key}, plan.hosts);
  if (!server) return report(console, server.error());
  for (const auto& [name, text] :
       {std::pair("server.key", &server->key), std::pair("server.crt", &server->certificate)}) {
    if (auto s = replace_private_file(plan.file(name), *text); !s)
      return report(console, s.error());
  }
  console.note("a new server.crt for " + plan.hosts.front() + " is in " + plan.folder.string() +
               "; restart the server");
  return kDone;
}

int run(const Arguments& arguments, Console& console) {
  const Plan plan = plan_of(arguments);
  if (arguments.has("--renew")) return renew(plan, console);
  auto contexts = load_contexts();
  if (!contexts) return report(console, contexts.error());
  if (auto s = check_context(*contexts, plan.context); !s) return report(console, s.error());
  const auto secret = server::make_secret();
  if (!secret) return report(console, secret.error());
  if (auto s = write_all(plan, *secret); !s) return report(console, s.error());
  if (auto s = add_context(std::move(*contexts), plan, secret->secret); !s) {
    return report(console, s.error());
  }
  std::string names;
  for (const std::string& host : plan.hosts) names += (names.empty() ? "" : ", ") + host;
  console.note("CA, certificate for " + names +
               ", agents' secret and settings: " + plan.folder.string());
  console.note("context " + plan.context + " is the current one, with the token of " +
               std::string(kFirstAdmin) + ", which is shown once:");
  console.out() << secret->secret << "\n";
  console.note("start it: berth server --config " + plan.file("server.yaml"));
  return kDone;
}

}  // namespace

CommandSpec init_command() {
  CommandSpec spec;
  spec.name = "init";
  spec.text = "Makes a CA, a certificate, a first token and the settings of a server.";
  spec.options = {
      {"--dir", "DIR", "Where they are written", kFolder, {}},
      {"--name",
       "HOST",
       "Name or address by which others reach the server; several times",
       "this machine only",
       {}},
      {"--context", "NAME", "The context that it is put into", kUsualContext, {}},
      {"--renew", "", "Makes a new server certificate with the CA of --dir, nothing else", {}, {}}};
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
