// Tokens of identity providers, with keys made here: what is signed as it should be opens what the
// user's groups may, and every forgery is refused.
#include "server/oidc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>

#include "codec/file.h"
#include "codec/json_reader.h"
#include "control/testing.h"
#include "server/authenticator.h"
#include "server/jwt.h"

namespace berth::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr TimeMs kNow = 1'800'000'000'000;

std::string in_base64url(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

using Key = std::shared_ptr<EVP_PKEY>;
Key rsa(unsigned bits = 2048) { return {EVP_RSA_gen(bits), EVP_PKEY_free}; }
Key p256() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

std::string number_of(const Key& key, const char* name, int bytes = 0) {
  BIGNUM* number = nullptr;
  EXPECT_EQ(EVP_PKEY_get_bn_param(key.get(), name, &number), 1);
  std::string text(static_cast<std::size_t>(bytes > 0 ? bytes : BN_num_bytes(number)), '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(text.data()),
               static_cast<int>(text.size()));
  BN_free(number);
  return in_base64url(text);
}

std::string jwk_of(const Key& key, const std::string& id, const std::string& more = "") {
  const bool is_rsa = EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_RSA;
  const std::string numbers =
      is_rsa ? R"("kty":"RSA","n":")" + number_of(key, OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
                   number_of(key, OSSL_PKEY_PARAM_RSA_E)
             : R"("kty":"EC","crv":"P-256","x":")" + number_of(key, OSSL_PKEY_PARAM_EC_PUB_X, 32) +
                   R"(","y":")" + number_of(key, OSSL_PKEY_PARAM_EC_PUB_Y, 32);
  return "{\"kid\":\"" + id + "\"," + more + numbers + "\"}";
}

std::string signature_of(const Key& key, const std::string& text) {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  std::size_t size = 0;
  EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key.get());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  EVP_DigestSign(context, nullptr, &size, bytes, text.size());
  std::string der(size, '\0');
  EVP_DigestSign(context, reinterpret_cast<unsigned char*>(der.data()), &size, bytes, text.size());
  der.resize(size);
  EVP_MD_CTX_free(context);
  if (EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_RSA) return der;
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  ECDSA_SIG* parts = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  std::string raw(64, '\0');
  auto* out = reinterpret_cast<unsigned char*>(raw.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(parts), out, 32);
  BN_bn2binpad(ECDSA_SIG_get0_s(parts), out + 32, 32);
  ECDSA_SIG_free(parts);
  return raw;
}

std::string signed_jwt(const Key& key, const std::string& header, const std::string& claims) {
  const std::string text = in_base64url(header) + "." + in_base64url(claims);
  return text + "." + in_base64url(signature_of(key, text));
}

std::string claims(const std::string& changes = "", std::int64_t expires_in_s = 300) {
  return R"({"iss":"https://id.example.org","aud":["other","berth"],"sub":"alice","exp":)" +
         std::to_string(kNow / 1000 + expires_in_s) +
         (changes.empty() ? R"(,"groups":["staff","team-a"])" : "," + changes) + "}";
}

class Oidc : public ::testing::Test {
 protected:
  Oidc() {
    clock.set(kNow);
    show({jwk_of(first, "r1"), jwk_of(second, "e1")});
  }
  void show(const std::vector<std::string>& keys) {
    jwks = "{\"keys\":[";
    for (std::size_t i = 0; i < keys.size(); ++i) jwks += (i == 0 ? "" : ",") + keys[i];
    jwks += "]}";
  }
  static OidcSettings settings() {
    OidcSettings made;
    made.issuer = "https://id.example.org";
    made.audience = "berth";
    made.grants = {{"admins", Role::kAdmin, ""},
                   {"team-a", Role::kTenant, "team-a"},
                   {"watchers", Role::kViewer, "org"}};
    return made;
  }
  OidcKeys::Fetch fetch() {
    return [this]() -> Result<std::string> {
      ++fetches;
      return jwks;
    };
  }
  // "oidc:alice tenant team-a", or the error.
  std::string who(const std::string& token) {
    const auto found = login.find(token);
    if (!found) {
      EXPECT_THAT(found.error().message, Not(HasSubstr(token)));
      return found.error().message;
    }
    return found->name + " " + std::string(word(found->role)) + " " + found->queue;
  }

  const Key first = rsa();
  const Key second = p256();
  control::testing::ManualClock clock;
  std::string jwks;
  int fetches = 0;
  OidcLogin login{settings(), fetch(), clock};
};

TEST_F(Oidc, TheFirstGrantOfAUsersGroupsCounts) {
  const std::string rs = R"({"alg":"RS256","kid":"r1"})";
  EXPECT_EQ(who(signed_jwt(first, rs, claims())), "oidc:alice tenant team-a");
  EXPECT_EQ(who(signed_jwt(second, R"({"alg":"ES256","kid":"e1","typ":"JWT"})", claims())),
            "oidc:alice tenant team-a");
  EXPECT_EQ(who(signed_jwt(first, rs, claims(R"("groups":["watchers","admins"])"))),
            "oidc:alice admin ");
  EXPECT_EQ(who(signed_jwt(first, rs, claims(R"("groups":"watchers")"))), "oidc:alice viewer org");
  EXPECT_THAT(who(signed_jwt(first, rs, claims(R"("groups":["staff"])"))),
              HasSubstr("in no group"));
  EXPECT_THAT(who(signed_jwt(first, rs, claims(R"("role":"admin")"))), HasSubstr("in no group"));
}

TEST_F(Oidc, ForgedOnesAreRefused) {
  const std::string good = signed_jwt(first, R"({"alg":"RS256","kid":"r1"})", claims());
  const std::size_t dot = good.rfind('.');
  const std::string text = good.substr(0, dot);
  // by another key
  EXPECT_THAT(who(signed_jwt(rsa(), R"({"alg":"RS256","kid":"r1"})", claims())),
              HasSubstr("signature"));
  // other claims under the same signature
  const std::string admin = in_base64url(claims(R"("groups":["admins"])"));
  EXPECT_THAT(who(text.substr(0, text.find('.') + 1) + admin + good.substr(dot)),
              HasSubstr("signature"));
  // none at all
  const std::string none =
      in_base64url(R"({"alg":"none","kid":"r1"})") + "." + in_base64url(claims());
  EXPECT_THAT(who(none + "."), HasSubstr("algorithm is not accepted"));
  EXPECT_THAT(who(text + "."), HasSubstr("signature"));
  // the kind of one key with the id of another
  EXPECT_THAT(who(signed_jwt(first, R"({"alg":"RS256","kid":"e1"})", claims())),
              HasSubstr("signature"));
  EXPECT_THAT(who(signed_jwt(second, R"({"alg":"ES256","kid":"r1"})", claims())),
              HasSubstr("signature"));
  for (const std::string& part : {std::string("x"), std::string("a.b"), good + ".x", "." + good}) {
    EXPECT_THAT(who(part), HasSubstr("no JWT")) << part;
  }
}

TEST_F(Oidc, AUserIsKnownUntilTheTokenIsNotAcceptedAnyMore) {
  const std::string header = R"({"alg":"RS256","kid":"r1"})";
  const auto until = [&](const std::string& text) {
    const auto found = login.find(signed_jwt(first, header, text));
    EXPECT_TRUE(found) << found.error().to_text();
    return found ? found->expires_at : 0;
  };
  EXPECT_EQ(until(claims()), kNow + 300 * kSecondMs + kClockLeewayMs);
  const std::string rest =
      R"("iss":"https://id.example.org","aud":"berth","sub":"a","groups":"team-a"})";
  EXPECT_EQ(until(R"({"exp":2000000000.25,)" + rest), 2'000'000'000'250 + kClockLeewayMs);
  EXPECT_EQ(until(R"({"exp":1e300,)" + rest), kNever);
}

// The public key as the secret of an HMAC.
TEST_F(Oidc, APublicKeyIsNoSecret) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PUBKEY(bio, first.get());
  char* data = nullptr;
  const auto size = static_cast<std::size_t>(BIO_get_mem_data(bio, &data));
  const std::string key(data, size);
  BIO_free_all(bio);
  const std::string text = in_base64url(R"({"alg":"HS256","kid":"r1"})") + "." +
                           in_base64url(claims(R"("groups":["admins"])"));
  std::array<unsigned char, 32> mac{};
  unsigned length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &length);
  const std::string signature(reinterpret_cast<const char*>(mac.data()), length);
  EXPECT_THAT(who(text + "." + in_base64url(signature)), HasSubstr("algorithm is not accepted"));
}

TEST_F(Oidc, ClaimsThatAreNotForUsNowAreRefused) {
  const std::string header = R"({"alg":"RS256","kid":"r1"})";
  const auto with = [&](const std::string& text) { return who(signed_jwt(first, header, text)); };
  EXPECT_THAT(with(claims("", -61)), HasSubstr("expired"));
  EXPECT_EQ(with(claims("", -59)), "oidc:alice tenant team-a") << "within the leeway";
  const std::int64_t now_s = kNow / 1000;
  EXPECT_THAT(with(claims(R"("nbf":)" + std::to_string(now_s + 61))), HasSubstr("not valid yet"));
  EXPECT_THAT(with(claims(R"("nbf":)" + std::to_string(now_s + 59))), HasSubstr("in no group"));
  EXPECT_THAT(with(claims(R"("nbf":"now")")), HasSubstr("no time"));
  EXPECT_THAT(with(R"({"iss":"https://evil.example.org","aud":"berth","sub":"a","exp":9e9})"),
              HasSubstr("another issuer"));
  EXPECT_THAT(with(R"({"iss":"https://id.example.org","aud":"other","sub":"a","exp":9e9})"),
              HasSubstr("another audience"));
  EXPECT_THAT(with(R"({"iss":"https://id.example.org","aud":"berth","sub":"a"})"),
              HasSubstr("when it expires"));
  EXPECT_THAT(with(R"({"iss":"https://id.example.org","aud":"berth","sub":"a\nb","exp":9e9})"),
              HasSubstr("is no name"));
  EXPECT_THAT(who(signed_jwt(first, R"({"alg":"RS256","kid":"r1","crit":["x"]})", claims())),
              HasSubstr("extension"));
}

TEST(OidcKeys, AreFetchedForAnUnknownIdAtMostOnceAMinute) {
  const Key key = p256();
  int fetches = 0;
  std::string shown = jwk_of(key, "k1");
  std::chrono::steady_clock::time_point now{};
  OidcKeys keys(
      [&]() -> Result<std::string> {
        ++fetches;
        if (shown.empty()) return fail(ErrorCode::kUnavailable, "down");
        return "{\"keys\":[" + shown + "]}";
      },
      [&] { return now; });
  EXPECT_TRUE(keys.find("k1"));
  EXPECT_EQ(fetches, 1);
  EXPECT_FALSE(keys.find("k2"));
  EXPECT_EQ(fetches, 1) << "not again so soon";
  shown += "," + jwk_of(key, "k2");
  now += std::chrono::seconds(60);
  EXPECT_TRUE(keys.find("k2"));
  EXPECT_EQ(fetches, 2);
  shown.clear();
  now += std::chrono::seconds(60);
  EXPECT_FALSE(keys.find("k3"));
  EXPECT_EQ(fetches, 3);
  EXPECT_TRUE(keys.find("k1")) << "what was known stays";
  EXPECT_EQ(fetches, 3);
}

TEST(Jwks, KeysOfNoUseArePassedOver) {
  const std::string good = jwk_of(p256(), "good");
  const std::vector<std::string> others = {
      jwk_of(rsa(1024), "short"),
      jwk_of(rsa(), "enc", R"("use":"enc",)"),
      jwk_of(rsa(), "ps", R"("alg":"PS256",)"),
      jwk_of(p256(), "wrong", R"("alg":"RS256",)"),
      R"({"kid":"hmac","kty":"oct","k":"c2VjcmV0"})",
      R"({"kid":"off","kty":"EC","crv":"P-256","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",)"
      R"("y":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})",
      R"({"kty":"RSA","n":"AQAB","e":"AQAB"})",
      "7"};
  std::string all = good;
  for (const std::string& other : others) {
    all += "," + other;
    EXPECT_FALSE(parse_jwks("{\"keys\":[" + other + "]}")) << other;
  }
  const auto keys = parse_jwks("{\"keys\":[" + all + "]}");
  ASSERT_TRUE(keys) << keys.error().to_text();
  ASSERT_EQ(keys->size(), 1U);
  EXPECT_EQ(keys->front().id, "good");
  for (const char* text : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[]})"}) {
    EXPECT_FALSE(parse_jwks(text)) << text;
  }
}

TEST(Base64url, IsReadExactly) {
  EXPECT_EQ(base64url_decoded(""), "");
  EXPECT_EQ(base64url_decoded("YQ"), "a");
  EXPECT_EQ(base64url_decoded("YWI"), "ab");
  EXPECT_EQ(base64url_decoded("YWJj"), "abc");
  EXPECT_EQ(base64url_decoded("-_8"), "\xfb\xff");
  for (const char* text : {"Y", "YQ==", "YR", "Y+8", "Y Q"}) {
    EXPECT_EQ(base64url_decoded(text), std::nullopt) << text;
  }
}

TEST(OidcSettings, AreReadWithTheirGrantsAndHeldToTheRoles) {
  const auto read = [](const std::string& grants) {
    return codec::from_text<OidcSettings>(
        "issuer: https://i\naudience: berth\njwks: https://i/keys\ngrants:\n" + grants,
        codec::TextFormat::kYaml, "");
  };
  const auto good = read("- {group: admins, role: admin}\n- {group: a, role: tenant, queue: a}\n");
  ASSERT_TRUE(good) << good.error().to_text();
  EXPECT_EQ(good->grants[1], (OidcGrant{"a", Role::kTenant, "a"}));
  EXPECT_EQ(good->groups_claim, "groups");
  EXPECT_FALSE(read("- {group: a, role: tenant}\n"));
  EXPECT_FALSE(read("- {group: a, role: admin, queue: a}\n"));
  EXPECT_FALSE(read("[]\n"));
}

TEST_F(Oidc, TokensOfBothKindsAreToldApart) {
  TokenTable table;
  const TokenBook book(table, clock);
  const auto ask = [&](OidcLogin* users, const std::string& header) {
    HttpRequest request;
    if (!header.empty()) request.headers = {{"authorization", header}};
    const auto who = Authenticator(book, users).find(request);
    return who ? who->name : who.error().message;
  };
  const std::string jwt = signed_jwt(first, R"({"alg":"RS256","kid":"r1"})", claims());
  EXPECT_EQ(ask(&login, "Bearer " + jwt), "oidc:alice");
  EXPECT_THAT(ask(nullptr, "Bearer " + jwt), HasSubstr("not known here"));
  EXPECT_THAT(ask(&login, "Bearer berth_a_b"), HasSubstr("not known here"));
  EXPECT_THAT(ask(&login, "Basic YTpi"), HasSubstr("a token is needed"));
  EXPECT_THAT(ask(&login, ""), HasSubstr("a token is needed"));
}

}  // namespace
}  // namespace berth::server
