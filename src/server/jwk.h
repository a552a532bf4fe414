// Public keys of an identity provider, from its JWKS document (RFC 7517): RSA for RS256, P-256 for
// ES256. Other keys of the document are passed over. OpenSSL is known to jwk.cc only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/words.h"

struct evp_pkey_st;

namespace berth::server {

// There is no other: none that is symmetric, and not "none".
enum class JwtAlgorithm : std::uint8_t { kRs256, kEs256 };

struct PublicKey {
  std::string id;  // "kid"
  JwtAlgorithm algorithm = JwtAlgorithm::kRs256;
  std::shared_ptr<evp_pkey_st> key;

  bool verifies(std::string_view signed_text, std::string_view signature) const;
};

// An error when there is no key of use in it.
Result<std::vector<PublicKey>> parse_jwks(std::string_view json);

// Nothing when the text is no base64url without padding.
std::optional<std::string> base64url_decoded(std::string_view text);

}  // namespace berth::server

namespace berth {
BERTH_WORDS(server::JwtAlgorithm, "RS256", "ES256");
}  // namespace berth
