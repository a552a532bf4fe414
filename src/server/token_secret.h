// Secrets of tokens: made at random, shown once, and known afterwards by their hash only. Nothing
// here keeps or prints a secret.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace berth::server {

// What every secret of a token begins with; a search for it finds leaked ones.
inline constexpr std::string_view kSecretPrefix = "berth_";

struct NewSecret {
  std::string id;      // of the token
  std::string secret;  // berth_<id>_<256 random bits in base 62>
  std::string hash;    // of the secret
};

// From the random device of OpenSSL; an error when that has failed.
Result<NewSecret> make_secret();

// 256 random bits in base 62, for secrets that are no tokens.
Result<std::string> random_letters();

// The id that a secret names; nothing when it is not of that form. It proves nothing.
std::optional<std::string> id_of_secret(std::string_view secret);

// SHA-256 in lower-case hex.
std::string hash_of(std::string_view text);

// Takes as long wherever they differ.
bool equal_secrets(std::string_view a, std::string_view b);

}  // namespace berth::server
