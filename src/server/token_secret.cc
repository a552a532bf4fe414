#include "server/token_secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace berth::server {
namespace {

constexpr std::string_view kLetters =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kIdBytes = 6;       // 48 bits: an id is unique, not secret
constexpr std::size_t kSecretBytes = 32;  // 256 bits: nobody guesses it, so a plain hash is enough

// As one large number, with all digits that its bytes may need, so that the length tells nothing.
template <std::size_t Bytes>
std::string in_letters(std::array<unsigned char, Bytes> number) {
  constexpr std::size_t kDigits = (Bytes * 8 * 10'000 + 59'540) / 59'541;  // log2(62) = 5.9541...
  std::string text(kDigits, kLetters.front());
  for (std::size_t i = kDigits; i > 0; --i) {
    unsigned rest = 0;
    for (unsigned char& byte : number) {
      const unsigned value = rest * 256 + byte;
      byte = static_cast<unsigned char>(value / kLetters.size());
      rest = static_cast<unsigned>(value % kLetters.size());
    }
    text[i - 1] = kLetters[rest];
  }
  return text;
}

template <std::size_t Bytes>
Result<std::string> random_text() {
  std::array<unsigned char, Bytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(Bytes)) != 1) {
    return fail(ErrorCode::kUnavailable, "this machine gives no random numbers for a secret");
  }
  std::string text = in_letters(bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return text;
}

}  // namespace

Result<NewSecret> make_secret() {
  const auto id = random_text<kIdBytes>();
  if (!id) return tl::unexpected(id.error());
  const auto rest = random_text<kSecretBytes>();
  if (!rest) return tl::unexpected(rest.error());
  NewSecret made;
  made.id = *id;
  made.secret = std::string(kSecretPrefix) + *id + "_" + *rest;
  made.hash = hash_of(made.secret);
  return made;
}

Result<std::string> random_letters() { return random_text<kSecretBytes>(); }

std::optional<std::string> id_of_secret(std::string_view secret) {
  if (!secret.starts_with(kSecretPrefix)) return std::nullopt;
  secret.remove_prefix(kSecretPrefix.size());
  const std::size_t end = secret.find('_');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  return std::string(secret.substr(0, end));
}

std::string hash_of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const int done =
      EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  BERTH_CHECK(done == 1);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += kHex[digest[i] >> 4U];
    hex += kHex[digest[i] & 15U];
  }
  return hex;
}

bool equal_secrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace berth::server
