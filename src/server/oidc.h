// OidcLogin: users of an identity provider, by the JWT that it signed for them: who they are, and
// which role and queue their groups give them here. It never asks the provider about a user; it
// fetches keys, when a token names one that is not known yet. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/schema.h"
#include "control/ports.h"
#include "server/access.h"
#include "server/jwk.h"

namespace berth::server {

// What members of a group may.
struct OidcGrant {
  std::string group;
  Role role = Role::kViewer;
  std::string queue;
  friend bool operator==(const OidcGrant&, const OidcGrant&) = default;
};

struct OidcSettings {
  std::string issuer;
  std::string audience;
  std::string jwks;  // path or URL
  std::string ca;    // path, for the URL
  std::string name_claim = "sub";
  std::string groups_claim = "groups";
  std::vector<OidcGrant> grants;  // the first that the user has counts
  friend bool operator==(const OidcSettings&, const OidcSettings&) = default;
};

// Keys by their id. The fetch is of the thread that asks for a key that is not known, at most once
// a minute and by one thread at a time: whoever makes keys up costs one thread two seconds of that.
class OidcKeys {
 public:
  using Fetch = std::function<Result<std::string>()>;  // the JWKS document; ends soon by itself
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  static constexpr auto kFetchEvery = std::chrono::minutes(1);

  explicit OidcKeys(
      Fetch fetch, Now now = [] { return std::chrono::steady_clock::now(); })
      : fetch_(std::move(fetch)), now_(std::move(now)) {}

  Result<PublicKey> find(const std::string& id);
  // Once at the start, so that what is wrong with the settings is said there.
  Status load();

 private:
  bool begin_fetch();
  Status end_fetch(Result<std::string> fetched);

  Fetch fetch_;
  Now now_;
  std::mutex mutex_;
  std::vector<PublicKey> keys_;
  std::optional<std::chrono::steady_clock::time_point> fetched_at_;
  bool is_fetching_ = false;
};

class OidcLogin {
 public:
  OidcLogin(OidcSettings settings, OidcKeys::Fetch fetch, const control::Clock& clock)
      : settings_(std::move(settings)), keys_(std::move(fetch)), clock_(clock) {}

  Status load() { return keys_.load(); }
  Result<Principal> find(std::string_view token);

 private:
  OidcSettings settings_;
  OidcKeys keys_;
  const control::Clock& clock_;
};

// Of a user whose token holds: the name is "oidc:" and the claim, the role that of the first grant.
Result<Principal> principal_of(const codec::Document& claims, const OidcSettings& settings);

}  // namespace berth::server

namespace berth::codec {
template <>
struct Describe<server::OidcGrant> : Described<server::OidcGrant> {
  static const ObjectSchema<server::OidcGrant>& schema();
};
template <>
struct Describe<server::OidcSettings> : Described<server::OidcSettings> {
  static const ObjectSchema<server::OidcSettings>& schema();
};
}  // namespace berth::codec
