// `berth init`: what a server with TLS and tokens begins with: a CA, its certificate, the secret of
// agents, a first token, and its settings. Nothing that is there is overwritten.
#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

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
constexpr const char* kJournal = "journal.sqlite";
constexpr std::uint16_t kApiPort = 7700;
constexpr std::uint16_t kAgentsPort = 7701;

struct Plan {
  fs::path folder;
  std::vector<std::string> hosts;  // of the certificate; this machine's own addresses are the last
  bool is_reached_by_others = false;
  std::string context;
  std::string journal;
  std::optional<gid_t> group;  // that the server's user is in; none: it is this user

  std::string file(const char* name) const { return (folder / name).string(); }
};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Result<std::optional<gid_t>> group_of(const Arguments& arguments) {
  const auto name = arguments.value("--group");
  if (!name) return std::optional<gid_t>();
  const group* found = getgrnam(name->c_str());
  if (found != nullptr) return std::optional(found->gr_gid);
  return invalid("is '" + *name + "'; a group of this machine is accepted", "--group");
}

// With --name others are meant to reach it; without, this machine only.
Result<Plan> plan_of(const Arguments& arguments) {
  Plan plan;
  const auto group = group_of(arguments);
  if (!group) return tl::unexpected(group.error());
  plan.group = *group;
  // one that is named is where it is seen from here; else it is beside the settings
  const auto journal = arguments.value("--journal");
  plan.journal = journal ? fs::absolute(*journal).string() : kJournal;
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

// The folder of a server that runs as another user can be entered by all: the CA's certificate is
// there. The files in it have modes of their own.
Status make_folder(const Plan& plan) {
  const fs::path& folder = plan.folder;
  std::error_code status;
  if (fs::exists(folder, status) && !fs::is_empty(folder, status)) {
    return fail(ErrorCode::kConflict,
                "'" + folder.string() + "' has files already; an empty or a new folder is accepted",
                "--dir");
  }
  fs::create_directories(folder, status);
  constexpr fs::perms kSeenByAll = fs::perms::owner_all | fs::perms::group_read |
                                   fs::perms::group_exec | fs::perms::others_read |
                                   fs::perms::others_exec;
  const fs::perms wanted = plan.group ? kSeenByAll : fs::perms::owner_all;
  if (!status) fs::permissions(folder, wanted, status);
  if (!status) return {};
  return fail(ErrorCode::kUnavailable,
              "'" + folder.string() + "' cannot be made: " + status.message(), "--dir");
}

std::string settings_text(const Plan& plan) {
  const std::string address = plan.is_reached_by_others ? "0.0.0.0" : "127.0.0.1";
  ServerSettings settings;
  settings.listen = address + ":" + std::to_string(kApiPort);
  settings.agents = address + ":" + std::to_string(kAgentsPort);
  settings.journal = plan.journal;
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

// The server reads what it needs, everybody the CA's certificate, nobody else the CA's key.
Status let_in(const Plan& plan) {
  for (const char* name :
       {"server.crt", "server.key", "agents.token", "tokens.yaml", "server.yaml", "ca.crt"}) {
    if (auto s = share_file(plan.file(name), *plan.group); !s) return s;
  }
  std::error_code status;
  fs::permissions(plan.file("ca.crt"), fs::perms::others_read, fs::perm_options::add, status);
  if (!status) return {};
  return fail(ErrorCode::kUnavailable, "'" + plan.file("ca.crt") + "': " + status.message());
}

Status write_all(const Plan& plan, const server::NewSecret& secret) {
  const auto ca = make_ca("Berth CA of " + plan.hosts.front());
  if (!ca) return tl::unexpected(ca.error());
  const auto server = make_server_identity(*ca, plan.hosts);
  if (!server) return tl::unexpected(server.error());
  const auto agents = server::random_letters();
  if (!agents) return tl::unexpected(agents.error());
  if (auto s = make_folder(plan); !s) return s;
  const std::pair<const char*, std::string> files[] = {
      {"ca.crt", ca->certificate},         {"ca.key", ca->key},
      {"server.crt", server->certificate}, {"server.key", server->key},
      {"agents.token", *agents + "\n"},    {"tokens.yaml", first_tokens_text(secret)},
      {"server.yaml", settings_text(plan)}};
  for (const auto& [name, text] : files) {
    if (auto s = create_private_file(plan.file(name), text); !s) return s;
  }
  return plan.group ? let_in(plan) : Status{};
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
    const std::string file = plan.file(name);
    Status done =
        fs::exists(file) ? renew_private_file(file, *text) : create_private_file(file, *text);
    if (done && plan.group) done = share_file(file, *plan.group);
    if (!done) return report(console, done.error());
  }
  console.note("a new server.crt for " + plan.hosts.front() + " is in " + plan.folder.string() +
               "; restart the server");
  return kDone;
}

int run(const Arguments& arguments, Console& console) {
  const auto planned = plan_of(arguments);
  if (!planned) return report(console, planned.error());
  const Plan& plan = *planned;
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
  if (!plan.group) {
    console.note("start it: berth server --config " + plan.file("server.yaml"));
  } else if (geteuid() == 0) {
    console.note("start it as a user of that group, such as 'systemctl start berth-server' does");
  }
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
       {},
       {},
       OptionSpec::Times::kMany},
      {"--journal", "FILE", "Where the server keeps its journal", kJournal, {}},
      {"--group",
       "NAME",
       "Lets a group read what the server needs, for one that runs as another user",
       "the owner only",
       {}},
      {"--context", "NAME", "The context that it is put into", kUsualContext, {}},
      {"--renew", "", "Makes a new server certificate with the CA of --dir, nothing else", {}, {}}};
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
