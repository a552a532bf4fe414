#include "cli/serve/settings.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "codec/file.h"
#include "codec/writer.h"
#include "codec/yaml_reader.h"
#include "server/token_book.h"

namespace berth::codec {

const ObjectSchema<cli::ServerSettings>& Describe<cli::ServerSettings>::schema() {
  static const ObjectSchema<cli::ServerSettings> kSchema = [] {
    using S = cli::ServerSettings;
    constexpr std::size_t kPath = 4096;
    ObjectSchema<S> s("server", "Settings of a server.");
    s.field("listen", &S::listen, text(256)).text("Where the API listens; port 0 is any.");
    s.field("agents", &S::agents, text(256)).text("Where agents connect; port 0 is any.");
    s.field("journal", &S::journal, text(kPath))
        .when_absent("in memory")
        .text("SQLite file of the journal.");
    s.field("etcd", &S::etcd, text(kPath))
        .when_absent("none: alone, with the journal above")
        .text("Members of etcd, HOST:PORT,...: one of several servers, whose journal is there.");
    s.field("etcd_prefix", &S::etcd_prefix, text(256)).text("Where in etcd; one for each cluster.");
    s.field("etcd_ca", &S::etcd_ca, text(kPath))
        .when_absent("plain text")
        .text("CA of etcd's certificates, in PEM form.");
    s.field("etcd_certificate", &S::etcd_certificate, text(kPath))
        .when_absent("none")
        .text("Certificate that etcd is shown, in PEM form.");
    s.field("etcd_key", &S::etcd_key, text(kPath))
        .when_absent("none")
        .text("Its key, in PEM form.");
    s.field("advertise", &S::advertise, text(kPath))
        .when_absent("where it listens")
        .text("URL by which the other servers reach this one.");
    s.field("servers_ca", &S::servers_ca, text(kPath))
        .when_absent("those of the system")
        .text("CA of the other servers' certificates, in PEM form.");
    s.field("certificate", &S::certificate, text(kPath))
        .when_absent("none")
        .text("Certificate of the server with its chain, in PEM form; for the API and for agents.");
    s.field("key", &S::key, text(kPath)).when_absent("none").text("Its key, in PEM form.");
    s.field("agents_client_ca", &S::agents_client_ca, text(kPath))
        .when_absent("any agent with the token")
        .text("CA whose certificates agents must have as well, in PEM form.");
    s.field("agents_token_file", &S::agents_token_file, text(kPath))
        .when_absent("none")
        .text(
            "File with the secret that agents present; of several, one a line, all are accepted.");
    s.field("tokens", &S::tokens, text(kPath))
        .when_absent("none")
        .text("Tokens that a journal without any begins with; hashes, no secrets.");
    s.field("oidc", &S::oidc, text(kPath))
        .when_absent("none")
        .text("Identity provider whose users are accepted: see its page.");
    s.field("requests_per_second", &S::requests_per_second, number(0, 1'000'000))
        .when_absent("no limit")
        .text("Requests of one caller, with bursts of twice as many; 0: no limit.");
    s.field("snapshot_every", &S::snapshot_every, integer(1'000, 1'000'000'000))
        .text("Events between two snapshots.");
    s.field("history_days", &S::history_days, integer(0, 3'650))
        .text(
            "Days that the journal in SQLite goes back, for `berth replay`; with 0 only what a "
            "start needs is kept.");
    return s;
  }();
  return kSchema;
}

const ObjectSchema<cli::FirstToken>& Describe<cli::FirstToken>::schema() {
  static const ObjectSchema<cli::FirstToken> kSchema = [] {
    using F = cli::FirstToken;
    ObjectSchema<F> s("first_token", "A token by the hash of its secret.");
    s.field("id", &F::id, name()).required().text("Its id, a part of the secret.");
    s.field("name", &F::name, name()).required().text("Who it is for.");
    s.field("hash", &F::hash, text(64)).required().text("SHA-256 of the secret, in hex.");
    s.field("role", &F::role, name())
        .required()
        .text("What it may do: admin, operator, tenant or viewer.");
    s.field("queue", &F::queue, optional_name())
        .when_absent("the whole tree")
        .text("Root of what it may see and use; a tenant and a viewer need one.");
    s.rule([](const F& first) { return validate(first.token()); });
    s.rule([](const F& first) { return server::check_role(first.role, first.queue); });
    return s;
  }();
  return kSchema;
}

const ObjectSchema<cli::FirstTokens>& Describe<cli::FirstTokens>::schema() {
  static const ObjectSchema<cli::FirstTokens> kSchema = [] {
    using F = cli::FirstTokens;
    ObjectSchema<F> s("first_tokens", "Tokens that a journal without any begins with.");
    s.field("tokens", &F::tokens, list_of(object()).sized(0, 100)).text("All of them.");
    return s;
  }();
  return kSchema;
}

}  // namespace berth::codec

namespace berth::cli {
namespace {

using codec::Document;
using codec::FieldInfo;

std::string option_of(const FieldInfo& field) {
  std::string name = "--" + field.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string value_word(const FieldInfo& field) {
  static const std::map<std::string, std::string> kWords = {{"listen", "ADDRESS:PORT"},
                                                            {"agents", "ADDRESS:PORT"},
                                                            {"etcd", "HOST:PORT,..."},
                                                            {"etcd_prefix", "PATH"},
                                                            {"advertise", "URL"}};
  const auto known = kWords.find(field.name);
  if (known != kWords.end()) return known->second;
  return field.type.name == "text" ? "FILE" : "N";
}

std::string fallback_of(const FieldInfo& field) {
  if (!field.fallback_text.empty()) return field.fallback_text;
  return field.fallback.is(Document::Kind::kString) ? field.fallback.as_string()
                                                    : codec::write_json_line(field.fallback);
}

std::string in_folder(const std::string& path, const std::filesystem::path& folder) {
  return path.empty() ? path : (folder / path).string();
}

Result<ServerSettings> read_file(const std::string& path) {
  auto read = codec::load<ServerSettings>(path);
  if (!read) return tl::unexpected(read.error().to_error());
  const auto folder = std::filesystem::absolute(path).parent_path();
  for (std::string ServerSettings::*one :
       {&ServerSettings::journal, &ServerSettings::certificate, &ServerSettings::key,
        &ServerSettings::agents_client_ca, &ServerSettings::agents_token_file,
        &ServerSettings::tokens, &ServerSettings::oidc, &ServerSettings::etcd_ca,
        &ServerSettings::etcd_certificate, &ServerSettings::etcd_key,
        &ServerSettings::servers_ca}) {
    (*read).*one = in_folder((*read).*one, folder);
  }
  return std::move(*read);
}

// An option's text as its field takes it: a number where the field is one.
Result<Document> value_of(const FieldInfo& field, const std::string& text) {
  if (field.type.name == "text") return Document::string(text);
  auto read = codec::read_yaml(text);
  if (!read || !read->is_scalar()) {
    return invalid("is '" + text + "'; a number is accepted", option_of(field));
  }
  return std::move(*read);
}

}  // namespace

std::vector<OptionSpec> settings_options() {
  std::vector<OptionSpec> options;
  for (const FieldInfo& field : codec::Describe<ServerSettings>::info().fields) {
    std::string text = field.text;
    if (text.ends_with('.')) text.pop_back();
    options.push_back({option_of(field), value_word(field), text, fallback_of(field), {}});
  }
  return options;
}

Result<ServerSettings> settings_of(const Arguments& arguments) {
  ServerSettings settings;
  if (const auto path = arguments.value("--config")) {
    auto read = read_file(*path);
    if (!read) return read;
    settings = std::move(*read);
  }
  const Document given = codec::to_document(settings, codec::WriteStyle::kFull);
  Document merged = Document::map();
  for (const FieldInfo& field : codec::Describe<ServerSettings>::info().fields) {
    const auto option = arguments.value(option_of(field));
    const Document* known = given.find(field.name);
    if (option) {
      auto value = value_of(field, *option);
      if (!value) return tl::unexpected(value.error());
      merged.add(field.name, std::move(*value));
    } else if (known != nullptr) {
      merged.add(field.name, *known);
    }
  }
  auto made = codec::from_document<ServerSettings>(merged, "");
  if (!made) return tl::unexpected(made.error().to_error());
  return std::move(*made);
}

std::string commented_settings(const ServerSettings& settings) {
  std::string text =
      "# Settings of `berth server --config`. Paths are relative to this file's folder.\n";
  const Document set = codec::to_document(settings);
  for (const FieldInfo& field : codec::Describe<ServerSettings>::info().fields) {
    text += "\n# " + field.text + " Default: " + fallback_of(field) + ".\n";
    const Document* value = set.find(field.name);
    Document line = Document::map();
    line.add(field.name, value == nullptr ? field.fallback : *value);
    text += (value == nullptr ? "# " : "") + codec::write_yaml(line);
  }
  return text;
}

}  // namespace berth::cli
