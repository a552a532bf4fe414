#include "server/jwk.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <array>

#include "codec/json_reader.h"
#include "server/openssl_owned.h"

namespace berth::server {
namespace {

using codec::Document;

using Number = Owned<BIGNUM, BN_free>;
using Builder = Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using Params = Owned<OSSL_PARAM, OSSL_PARAM_free>;
using KeyContext = Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using DigestContext = Owned<EVP_MD_CTX, EVP_MD_CTX_free>;
using EcSignature = Owned<ECDSA_SIG, ECDSA_SIG_free>;

constexpr std::size_t kP256Bytes = 32;  // of a coordinate, and of each half of a signature
constexpr int kLeastRsaBits = 2048;     // RFC 7518, 3.3
constexpr int kMostRsaBits = 8192;      // a larger one would take long to verify

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Number number_of(std::string_view bytes) {
  return Number(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

std::string member(const Document& map, const char* name) {
  const Document* found = map.is(Document::Kind::kMap) ? map.find(name) : nullptr;
  return found != nullptr && found->is(Document::Kind::kString) ? found->as_string() : "";
}

std::shared_ptr<EVP_PKEY> make_key(const char* kind, OSSL_PARAM_BLD* builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* made = nullptr;
  if (params == nullptr || context == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
    return nullptr;
  }
  return {made, EVP_PKEY_free};
}

std::shared_ptr<EVP_PKEY> rsa_key(const Document& jwk) {
  const auto modulus = base64url_decoded(member(jwk, "n"));
  const auto exponent = base64url_decoded(member(jwk, "e"));
  if (!modulus || !exponent || modulus->empty() || exponent->empty()) return nullptr;
  if (modulus->size() * 8 > kMostRsaBits || exponent->size() > sizeof(std::uint64_t))
    return nullptr;
  const Number n = number_of(*modulus);
  const Number e = number_of(*exponent);
  if (BN_num_bits(n.get()) < kLeastRsaBits) return nullptr;
  const Builder builder(OSSL_PARAM_BLD_new());
  if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return nullptr;
  }
  return make_key("RSA", builder.get());
}

// OpenSSL refuses a point that is not on the curve.
std::shared_ptr<EVP_PKEY> p256_key(const Document& jwk) {
  const auto x = base64url_decoded(member(jwk, "x"));
  const auto y = base64url_decoded(member(jwk, "y"));
  if (member(jwk, "crv") != "P-256" || !x || !y || x->size() != kP256Bytes ||
      y->size() != kP256Bytes) {
    return nullptr;
  }
  const std::string point = "\x04" + *x + *y;
  const Builder builder(OSSL_PARAM_BLD_new());
  if (OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1) {
    return nullptr;
  }
  return make_key("EC", builder.get());
}

std::optional<PublicKey> read_key(const Document& jwk) {
  PublicKey made;
  made.id = member(jwk, "kid");
  const std::string use = member(jwk, "use");
  const std::string algorithm = member(jwk, "alg");
  const std::string kind = member(jwk, "kty");
  if (made.id.empty() || (!use.empty() && use != "sig")) return std::nullopt;
  if (kind == "RSA") {
    made.algorithm = JwtAlgorithm::kRs256;
    made.key = rsa_key(jwk);
  } else if (kind == "EC") {
    made.algorithm = JwtAlgorithm::kEs256;
    made.key = p256_key(jwk);
  }
  const bool fits = algorithm.empty() || algorithm == word(made.algorithm);
  if (made.key == nullptr || !fits) return std::nullopt;
  return made;
}

// JWS has the two numbers side by side, OpenSSL wants them in DER.
std::string der_of(std::string_view signature) {
  if (signature.size() != 2 * kP256Bytes) return {};
  const EcSignature made(ECDSA_SIG_new());
  Number r = number_of(signature.substr(0, kP256Bytes));
  Number s = number_of(signature.substr(kP256Bytes));
  if (ECDSA_SIG_set0(made.get(), r.get(), s.get()) != 1) return {};
  static_cast<void>(r.release());  // they are the signature's now
  static_cast<void>(s.release());
  unsigned char* out = nullptr;
  const int size = i2d_ECDSA_SIG(made.get(), &out);
  if (size <= 0) return {};
  std::string der(reinterpret_cast<const char*>(out), static_cast<std::size_t>(size));
  OPENSSL_free(out);
  return der;
}

}  // namespace

bool PublicKey::verifies(std::string_view signed_text, std::string_view signature) const {
  const std::string given =
      algorithm == JwtAlgorithm::kEs256 ? der_of(signature) : std::string(signature);
  const DigestContext context(EVP_MD_CTX_new());
  return !given.empty() &&
         EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(given), given.size(), bytes_of(signed_text),
                          signed_text.size()) == 1;
}

Result<std::vector<PublicKey>> parse_jwks(std::string_view json) {
  const auto document = codec::read_json(json);
  if (!document) return invalid("is no JWKS document: " + document.error().to_text(), "jwks");
  const Document* all = document->is(Document::Kind::kMap) ? document->find("keys") : nullptr;
  if (all == nullptr || !all->is(Document::Kind::kList)) {
    return invalid("is no JWKS document: it has no list 'keys'", "jwks");
  }
  std::vector<PublicKey> keys;
  for (const Document& one : all->items()) {
    if (auto key = read_key(one)) keys.push_back(std::move(*key));
  }
  if (!keys.empty()) return keys;
  return invalid("has no key with a 'kid' that is for RS256 (of 2048 to 8192 bits) or ES256",
                 "jwks");
}

std::optional<std::string> base64url_decoded(std::string_view text) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  unsigned value = 0;
  int bits = 0;
  for (const char letter : text) {
    const std::size_t index = kLetters.find(letter);
    if (index == std::string_view::npos) return std::nullopt;
    value = ((value << 6U) | static_cast<unsigned>(index)) & 0xFFFFU;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((value >> static_cast<unsigned>(bits)) & 0xFFU);
  }
  const unsigned rest = value & ((1U << static_cast<unsigned>(bits)) - 1U);
  if (rest != 0) return std::nullopt;  // another text would mean the same bytes
  return bytes;
}

}  // namespace berth::server
