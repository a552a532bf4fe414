// ServerSettings: what `berth server` is told, by its file (--config) and by options of the same
// names. Each is declared once, in settings.cc; the file of `berth init`, the options, the help and
// the reference come from there.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "codec/schema.h"
#include "model/token.h"

namespace berth::cli {

struct ServerSettings {
  std::string listen = "127.0.0.1:7700";
  std::string agents = "127.0.0.1:7701";
  std::string journal;
  std::string etcd;
  std::string etcd_prefix = "/berth/default";
  std::string etcd_ca;
  std::string etcd_certificate;
  std::string etcd_key;
  std::string advertise;
  std::string servers_ca;
  std::string certificate;
  std::string key;
  std::string agents_client_ca;
  std::string agents_token_file;
  std::string tokens;
  std::string oidc;
  double requests_per_second = 0;
  std::int64_t snapshot_every = 200'000;
  std::int64_t history_days = 14;
  friend bool operator==(const ServerSettings&, const ServerSettings&) = default;
};

// A token that a journal without any begins with; it never expires.
struct FirstToken {
  std::string id;
  std::string name;
  std::string hash;
  std::string role;
  std::string queue;
  friend bool operator==(const FirstToken&, const FirstToken&) = default;

  Token token() const { return {id, name, hash, role, queue, kNever}; }
};
struct FirstTokens {
  std::vector<FirstToken> tokens;
};

// "--listen" and its kin, one for each setting.
std::vector<OptionSpec> settings_options();

// From the file of --config, where paths are relative to its folder, and the options, which come
// first. Without a file: the defaults.
Result<ServerSettings> settings_of(const Arguments& arguments);

// Every setting with what it means; those that differ from their defaults are set, the others
// commented out.
std::string commented_settings(const ServerSettings& settings);

}  // namespace berth::cli

namespace berth::codec {
template <>
struct Describe<cli::ServerSettings> : Described<cli::ServerSettings> {
  static const ObjectSchema<cli::ServerSettings>& schema();
};
template <>
struct Describe<cli::FirstToken> : Described<cli::FirstToken> {
  static const ObjectSchema<cli::FirstToken>& schema();
};
template <>
struct Describe<cli::FirstTokens> : Described<cli::FirstTokens> {
  static const ObjectSchema<cli::FirstTokens>& schema();
};
}  // namespace berth::codec
