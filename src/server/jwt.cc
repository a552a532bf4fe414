#include "server/jwt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "codec/json_reader.h"

namespace berth::server {
namespace {

using codec::Document;

tl::unexpected<Error> no_jwt(const std::string& why) {
  return invalid("the token is no JWT of an identity provider: " + why);
}

Result<Document> read_part(std::string_view part, const char* name) {
  const auto json = base64url_decoded(part);
  if (!json) return no_jwt(std::string("its ") + name + " is no base64url");
  auto document = codec::read_json(*json);
  if (!document || !document->is(Document::Kind::kMap)) {
    return no_jwt(std::string("its ") + name + " is no JSON object");
  }
  return document;
}

std::optional<std::string> text_in(const Document& map, const char* name) {
  const Document* found = map.find(name);
  if (found == nullptr || !found->is(Document::Kind::kString)) return std::nullopt;
  return found->as_string();
}

// A NumericDate, in seconds, may have a fraction.
std::optional<double> seconds_in(const Document& map, const char* name) {
  const Document* found = map.find(name);
  if (found == nullptr) return std::nullopt;
  const bool is_number = found->is(Document::Kind::kInteger) || found->is(Document::Kind::kDecimal);
  return is_number ? std::optional(found->as_number()) : std::nullopt;
}

bool is_for(const Document& claims, const std::string& audience) {
  const Document* found = claims.find("aud");
  if (found == nullptr) return false;
  const auto is_it = [&](const Document& one) {
    return one.is(Document::Kind::kString) && one.as_string() == audience;
  };
  if (!found->is(Document::Kind::kList)) return is_it(*found);
  return std::any_of(found->items().begin(), found->items().end(), is_it);
}

}  // namespace

Result<Jwt> read_jwt(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) {
    return no_jwt("it has not three parts");
  }
  const auto header = read_part(token.substr(0, first), "header");
  if (!header) return tl::unexpected(header.error());
  Jwt jwt;
  const auto algorithm = from_word<JwtAlgorithm>(text_in(*header, "alg").value_or(""));
  if (!algorithm) return no_jwt("its algorithm is not accepted; RS256 and ES256 are");
  jwt.algorithm = *algorithm;
  if (header->find("crit") != nullptr) return no_jwt("it needs an extension that is not known");
  jwt.key_id = text_in(*header, "kid").value_or("");
  if (jwt.key_id.empty()) return no_jwt("it does not name the key that signed it ('kid')");
  auto claims = read_part(token.substr(first + 1, second - first - 1), "payload");
  if (!claims) return tl::unexpected(claims.error());
  jwt.claims = std::move(*claims);
  jwt.signed_text = std::string(token.substr(0, second));
  auto signature = base64url_decoded(token.substr(second + 1));
  if (!signature) return no_jwt("its signature is no base64url");
  jwt.signature = std::move(*signature);
  return jwt;
}

Status check_signature(const Jwt& token, const PublicKey& key) {
  const bool is_good =
      token.algorithm == key.algorithm && key.verifies(token.signed_text, token.signature);
  if (is_good) return {};
  return invalid("the token's signature is not of the key that it names");
}

Status check_claims(const Document& claims, const ExpectedClaims& expected, TimeMs now) {
  const double now_s = static_cast<double>(now) / 1000;
  const double leeway_s = static_cast<double>(kClockLeewayMs) / 1000;
  if (text_in(claims, "iss") != expected.issuer) {
    return invalid("the token is of another issuer than '" + expected.issuer + "'");
  }
  if (!is_for(claims, expected.audience)) {
    return invalid("the token is for another audience than '" + expected.audience + "'");
  }
  const auto ends = seconds_in(claims, "exp");
  if (!ends) return invalid("the token does not say when it expires");
  if (*ends + leeway_s <= now_s) return invalid("the token has expired");
  const auto begins = seconds_in(claims, "nbf");
  if (!begins && claims.find("nbf") != nullptr) return invalid("the token's 'nbf' is no time");
  if (begins && *begins - leeway_s > now_s) return invalid("the token is not valid yet");
  return {};
}

TimeMs accepted_until(const Document& claims) {
  constexpr double kFarAway = 1e15;  // of which a double still knows the millisecond
  const double ends_s = seconds_in(claims, "exp").value_or(0);
  const double until = ends_s * 1000 + static_cast<double>(kClockLeewayMs);
  return until < kFarAway ? static_cast<TimeMs>(until) : kNever;
}

}  // namespace berth::server
