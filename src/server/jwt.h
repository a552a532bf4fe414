// JSON Web Tokens (RFC 7519) as identity providers sign them: read, and held against a key and what
// is expected of them. Nothing of a token may be believed before both. Errors repeat no token.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "codec/document.h"
#include "server/jwk.h"

namespace berth::server {

struct Jwt {
  JwtAlgorithm algorithm = JwtAlgorithm::kRs256;
  std::string key_id;
  codec::Document claims;
  std::string signed_text;
  std::string signature;
};

// The parts of a token in compact form; refuses algorithms that are not accepted.
Result<Jwt> read_jwt(std::string_view token);

// Signed with the key, by the key's own algorithm.
Status check_signature(const Jwt& token, const PublicKey& key);

struct ExpectedClaims {
  std::string issuer;
  std::string audience;
};
inline constexpr DurationMs kClockLeewayMs = 60 * kSecondMs;  // of the provider's clock and ours
Status check_claims(const codec::Document& claims, const ExpectedClaims& expected, TimeMs now);
// Until when these claims, which hold now, go on to do so.
TimeMs accepted_until(const codec::Document& claims);

}  // namespace berth::server
