#include "cli/serve/secure_options.h"

#include <filesystem>
#include <iterator>
#include <sstream>

#include "cli/private_file.h"
#include "cli/serve/jwks_fetch.h"
#include "cli/serve/log.h"
#include "cli/setup/certificates.h"
#include "codec/file.h"

namespace berth::cli {
namespace {

constexpr std::size_t kLeastSecret = 20;  // letters of a secret of agents
constexpr std::size_t kMostSecrets = 8;   // at a time

Status needed(const std::string& value, const char* field) {
  if (!value.empty()) return {};
  return invalid(
      "is missing; without --dev a server has TLS and tokens, and 'berth init' makes what they "
      "need",
      field);
}

bool is_loopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  return host == "127.0.0.1" || host == "localhost" || host == "::1" || host == "[::1]";
}
// For the API the address may be left out, and is this one then; gRPC would take any.
bool has_no_address(const std::string& listen) {
  return listen.find(':') == std::string::npos || listen.starts_with(':');
}

// Without the space around them, and without empty ones.
std::vector<std::string> lines_of(const std::string& text) {
  constexpr const char* kSpace = " \t\r";
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line.erase(line.find_last_not_of(kSpace) + 1);
    line.erase(0, line.find_first_not_of(kSpace));
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

void look_at_secret(const std::string& path) {
  if (is_open_to_all(path)) {
    log_line(LogLevel::kWarning, path + " can be read by everybody on this machine; chmod 600 it");
  }
}

}  // namespace

Result<std::vector<std::string>> agents_secrets(const std::string& path) {
  const auto text = codec::read_file(path);
  if (!text) return tl::unexpected(text.error());
  look_at_secret(path);
  std::vector<std::string> secrets = lines_of(*text);
  if (secrets.empty()) secrets.emplace_back();
  const auto refuse = [&](const std::string& what) {
    return invalid("'" + path + "' has " + what + " are accepted", "agents_token_file");
  };
  for (const std::string& secret : secrets) {
    if (secret.size() >= kLeastSecret) continue;
    return refuse("a secret of " + std::to_string(secret.size()) + " letters; at least " +
                  std::to_string(kLeastSecret));
  }
  if (secrets.size() <= kMostSecrets) return secrets;
  return refuse(std::to_string(secrets.size()) + " secrets; at most " +
                std::to_string(kMostSecrets));
}

Result<std::string> agents_secret(const std::string& path) {
  auto secrets = agents_secrets(path);
  if (!secrets) return tl::unexpected(secrets.error());
  return std::move(secrets->front());
}

namespace {

Status add_agents_secrets(ServeOptions& options, const std::string& path) {
  auto secrets = agents_secrets(path);
  if (!secrets) return tl::unexpected(secrets.error());
  options.agents_token = std::move(secrets->front());
  options.other_agents_tokens.assign(std::next(secrets->begin()), secrets->end());
  return {};
}

Status add_tls(ServeOptions& options, const ServerSettings& settings) {
  options.tls = server::TlsFiles{settings.certificate, settings.key};
  server::ServerTls agents;
  for (const auto& [path, to] : {std::pair(&settings.certificate, &agents.certificate),
                                 std::pair(&settings.key, &agents.key),
                                 std::pair(&settings.agents_client_ca, &agents.client_ca)}) {
    if (path->empty()) continue;
    auto text = codec::read_file(*path);
    if (!text) return tl::unexpected(text.error());
    *to = std::move(*text);
  }
  look_at_secret(settings.key);
  const auto until = expiry_of(agents.certificate);
  if (!until) return tl::unexpected(until.error());
  options.certificate_expires_at = *until;
  options.agents_tls = std::move(agents);
  return {};
}

Status add_first_tokens(ServeOptions& options, const std::string& path) {
  if (path.empty()) return {};
  const auto read = codec::load<FirstTokens>(path);
  if (!read) return tl::unexpected(read.error().to_error());
  for (const FirstToken& one : read->tokens) options.first_tokens.push_back(one.token());
  return {};
}

// Paths of it are relative to its folder.
Status add_oidc(ServeOptions& options, const std::string& path) {
  if (path.empty()) return {};
  auto read = codec::load<server::OidcSettings>(path);
  if (!read) return tl::unexpected(read.error().to_error());
  if (auto s = check_jwks(*read); !s) return s;
  const auto folder = std::filesystem::absolute(path).parent_path();
  if (!is_url(read->jwks)) read->jwks = (folder / read->jwks).string();
  if (!read->ca.empty()) read->ca = (folder / read->ca).string();
  options.oidc = std::move(*read);
  return {};
}

// "a,b,c"
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    if (end > from) parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

// Of etcd, where it asks for TLS.
Status add_etcd_tls(journal::EtcdSettings& etcd, const ServerSettings& settings) {
  if (settings.etcd_ca.empty()) return {};
  journal::EtcdTls tls;
  for (const auto& [path, to] : {std::pair(&settings.etcd_ca, &tls.ca),
                                 std::pair(&settings.etcd_certificate, &tls.certificate),
                                 std::pair(&settings.etcd_key, &tls.key)}) {
    if (path->empty()) continue;
    auto text = codec::read_file(*path);
    if (!text) return tl::unexpected(text.error());
    *to = std::move(*text);
  }
  etcd.tls = std::move(tls);
  return {};
}

}  // namespace

Status share_journal(ServeOptions& options, const ServerSettings& settings) {
  if (settings.etcd.empty()) return {};
  if (!settings.journal.empty()) {
    return invalid("is given, and journal too; one of them is accepted", "etcd");
  }
  ReplicatedOptions replicated;
  replicated.etcd.endpoints = split_list(settings.etcd);
  replicated.prefix = settings.etcd_prefix;
  replicated.address = settings.advertise;
  replicated.servers_ca = settings.servers_ca;
  if (auto s = add_etcd_tls(replicated.etcd, settings); !s) return s;
  options.replicated = std::move(replicated);
  return {};
}

Result<ServeOptions> secured(ServeOptions options, const ServerSettings& settings) {
  for (const auto& [value, field] :
       {std::pair(&settings.certificate, "certificate"), std::pair(&settings.key, "key"),
        std::pair(&settings.agents_token_file, "agents_token_file")}) {
    if (auto s = needed(*value, field); !s) return tl::unexpected(s.error());
  }
  if (auto s = add_agents_secrets(options, settings.agents_token_file); !s) {
    return tl::unexpected(s.error());
  }
  if (auto s = add_tls(options, settings); !s) return tl::unexpected(s.error());
  if (auto s = add_first_tokens(options, settings.tokens); !s) return tl::unexpected(s.error());
  if (auto s = add_oidc(options, settings.oidc); !s) return tl::unexpected(s.error());
  return options;
}

Status open_to_all(ServeOptions& options, const ServerSettings& settings) {
  for (const auto& [value, field] :
       {std::pair(&settings.certificate, "certificate"), std::pair(&settings.key, "key"),
        std::pair(&settings.agents_client_ca, "agents_client_ca"),
        std::pair(&settings.tokens, "tokens"), std::pair(&settings.oidc, "oidc")}) {
    if (!value->empty()) return invalid("is set; --dev has no TLS and no tokens", field);
  }
  const auto only_local = [](const std::string& value, const char* field) {
    return invalid("is '" + value + "'; without tokens and TLS only 127.0.0.1 is accepted", field);
  };
  if (!has_no_address(settings.listen) && !is_loopback(settings.listen)) {
    return only_local(settings.listen, "listen");
  }
  if (!is_loopback(settings.agents)) return only_local(settings.agents, "agents");
  if (settings.agents_token_file.empty()) return {};
  return add_agents_secrets(options, settings.agents_token_file);
}

}  // namespace berth::cli
