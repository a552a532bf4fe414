// What is signed is signed by the CA, for the names that were given, and nothing else is signed.
#include "cli/setup/certificates.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace berth::cli {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Certificate read(const std::string& text) {
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> bio(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free_all);
  return {PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), &X509_free};
}

// As a client does it.
bool is_trusted(const std::string& server, const std::string& ca) {
  const Certificate root = read(ca);
  const Certificate leaf = read(server);
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(),
                                                                      &X509_STORE_free);
  X509_STORE_add_cert(store.get(), root.get());
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(
      X509_STORE_CTX_new(), &X509_STORE_CTX_free);
  X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_SERVER);
  return X509_verify_cert(context.get()) == 1;
}

TEST(Certificates, AServersIsTrustedByItsCaOnlyAndForItsNamesOnly) {
  const auto ca = make_ca("one");
  const auto other = make_ca("one");
  ASSERT_TRUE(ca && other);
  const auto server = make_server_identity(*ca, {"berth.example.org", "10.1.2.3", "::1"});
  ASSERT_TRUE(server) << server.error().to_text();
  EXPECT_TRUE(is_trusted(server->certificate, ca->certificate));
  EXPECT_FALSE(is_trusted(server->certificate, other->certificate));
  const Certificate leaf = read(server->certificate);
  EXPECT_EQ(X509_check_host(leaf.get(), "berth.example.org", 0, 0, nullptr), 1);
  EXPECT_NE(X509_check_host(leaf.get(), "example.org", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "10.1.2.3", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "::1", 0), 1);
  EXPECT_NE(X509_check_ip_asc(leaf.get(), "10.1.2.4", 0), 1);
}

TEST(Certificates, TellWhenTheyRunOut) {
  const auto ca = make_ca("ca");
  ASSERT_TRUE(ca);
  constexpr DurationMs kDayMs = 24 * kHourMs;
  const TimeMs now = TimeMs{std::time(nullptr)} * kSecondMs;
  const auto until = expiry_of(ca->certificate);
  ASSERT_TRUE(until);
  EXPECT_NEAR(static_cast<double>(*until), static_cast<double>(now + kCaDays * kDayMs),
              static_cast<double>(kMinuteMs));
  EXPECT_FALSE(expiry_of(ca->key));
}

TEST(Certificates, AServersMaySignNoOther) {
  const auto ca = make_ca("ca");
  const auto server = make_server_identity(*ca, {"a"});
  ASSERT_TRUE(server);
  const auto below = make_server_identity(*server, {"b"});
  ASSERT_TRUE(below);
  EXPECT_FALSE(is_trusted(below->certificate, ca->certificate));
  EXPECT_FALSE(is_trusted(below->certificate, server->certificate));
}

TEST(Certificates, NamesThatAreNoneAreRefused) {
  const auto ca = make_ca("ca");
  for (const char* host : {"", "a,DNS:b", "a b", "10.0.0.1:7700", "a\nb"}) {
    EXPECT_FALSE(make_server_identity(*ca, {host})) << host;
  }
  EXPECT_FALSE(make_server_identity(*ca, {}));
  EXPECT_FALSE(make_server_identity({"no", "pem"}, {"a"}));
}

}  // namespace
}  // namespace berth::cli
