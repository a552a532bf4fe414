#include "server/oidc.h"

#include <algorithm>
#include <utility>

#include "server/jwt.h"
#include "server/token_book.h"

namespace berth::codec {

const ObjectSchema<server::OidcGrant>& Describe<server::OidcGrant>::schema() {
  static const ObjectSchema<server::OidcGrant> kSchema = [] {
    using G = server::OidcGrant;
    ObjectSchema<G> s("oidc_grant", "What the members of a group may.");
    s.field("group", &G::group, text(256)).required().text("Group, as the token names it.");
    s.field("role", &G::role, words()).required().text("What they may do.");
    s.field("queue", &G::queue, optional_name())
        .when_absent("the whole tree")
        .text("Root of what they may see and use; a tenant and a viewer need one.");
    s.rule([](const G& grant) { return server::check_role(grant.role, grant.queue); });
    return s;
  }();
  return kSchema;
}

const ObjectSchema<server::OidcSettings>& Describe<server::OidcSettings>::schema() {
  static const ObjectSchema<server::OidcSettings> kSchema = [] {
    using S = server::OidcSettings;
    ObjectSchema<S> s("oidc", "An identity provider whose users are accepted.");
    s.field("issuer", &S::issuer, text(1024)).required().text("Its 'iss', exactly.");
    s.field("audience", &S::audience, text(1024)).required().text("Among 'aud' of each token.");
    s.field("jwks", &S::jwks, text(4096))
        .required()
        .text("Its public keys: the https URL of its JWKS document, or a file with it.");
    s.field("ca", &S::ca, text(4096))
        .when_absent("those of the system")
        .text("Certificate of the CA of that URL, in PEM form.");
    s.field("name_claim", &S::name_claim, text(256))
        .text("Claim that names the user in the audit trail.");
    s.field("groups_claim", &S::groups_claim, text(256)).text("Claim that lists the groups.");
    s.field("grants", &S::grants, list_of(object()).sized(1, 10'000))
        .required()
        .text("What groups may; the first one of which a user is counts.");
    return s;
  }();
  return kSchema;
}

}  // namespace berth::codec

namespace berth::server {
namespace {

using codec::Document;

constexpr std::size_t kMostNameBytes = 200;  // the journal keeps it with each command

bool is_member(const Document& claims, const OidcSettings& settings, const std::string& group) {
  const Document* found = claims.find(settings.groups_claim);
  if (found == nullptr) return false;
  const auto is_it = [&](const Document& one) {
    return one.is(Document::Kind::kString) && one.as_string() == group;
  };
  if (!found->is(Document::Kind::kList)) return is_it(*found);
  return std::any_of(found->items().begin(), found->items().end(), is_it);
}

// It stands in the audit trail, on one line.
Result<std::string> name_of(const Document& claims, const OidcSettings& settings) {
  const Document* found = claims.find(settings.name_claim);
  const bool is_text = found != nullptr && found->is(Document::Kind::kString);
  const std::string name = is_text ? found->as_string() : "";
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (!name.empty() && name.size() <= kMostNameBytes &&
      std::none_of(name.begin(), name.end(), is_control)) {
    return "oidc:" + name;
  }
  return invalid("the token's claim '" + settings.name_claim + "' is no name of 1 to " +
                 std::to_string(kMostNameBytes) + " letters");
}

}  // namespace

Result<Principal> principal_of(const Document& claims, const OidcSettings& settings) {
  auto name = name_of(claims, settings);
  if (!name) return tl::unexpected(name.error());
  for (const OidcGrant& grant : settings.grants) {
    if (is_member(claims, settings, grant.group)) {
      return Principal{std::move(*name), grant.role, grant.queue};
    }
  }
  return invalid("'" + *name + "' is in no group that has a role here");
}

Result<PublicKey> OidcKeys::find(const std::string& id) {
  const auto known = [&]() -> std::optional<PublicKey> {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(keys_.begin(), keys_.end(),
                                    [&](const PublicKey& key) { return key.id == id; });
    return found == keys_.end() ? std::nullopt : std::optional(*found);
  };
  if (auto key = known()) return *key;
  if (begin_fetch()) {
    // why is for the log, which the fetch writes, and not for whoever presents a token
    if (!end_fetch(fetch_())) {
      return invalid("the token's key is not known, and the identity provider shows none now");
    }
    if (auto key = known()) return *key;
  }
  return invalid("the token is signed with a key that the identity provider does not show");
}

Status OidcKeys::load() {
  begin_fetch();
  return end_fetch(fetch_());
}

bool OidcKeys::begin_fetch() {
  const std::lock_guard lock(mutex_);
  if (is_fetching_ || (fetched_at_ && now_() - *fetched_at_ < kFetchEvery)) return false;
  is_fetching_ = true;
  fetched_at_ = now_();
  return true;
}

// What was known stays when nothing new could be had.
Status OidcKeys::end_fetch(Result<std::string> fetched) {
  Result<std::vector<PublicKey>> keys = fetched.and_then(parse_jwks);
  const std::lock_guard lock(mutex_);
  is_fetching_ = false;
  if (!keys) return tl::unexpected(keys.error());
  keys_ = std::move(*keys);
  return {};
}

Result<Principal> OidcLogin::find(std::string_view token) {
  const auto jwt = read_jwt(token);
  if (!jwt) return tl::unexpected(jwt.error());
  const auto key = keys_.find(jwt->key_id);
  if (!key) return tl::unexpected(key.error());
  if (auto s = check_signature(*jwt, *key); !s) return tl::unexpected(s.error());
  const ExpectedClaims expected{settings_.issuer, settings_.audience};
  if (auto s = check_claims(jwt->claims, expected, clock_.now()); !s) {
    return tl::unexpected(s.error());
  }
  auto who = principal_of(jwt->claims, settings_);
  if (who) who->expires_at = accepted_until(jwt->claims);
  return who;
}

}  // namespace berth::server
