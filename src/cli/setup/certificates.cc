#include "cli/setup/certificates.h"

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cctype>
#include <ctime>

#include "server/openssl_owned.h"

namespace berth::cli {
namespace {

using server::Owned;

using Bio = Owned<BIO, BIO_free_all>;
using Certificate = Owned<X509, X509_free>;
using Extension = Owned<X509_EXTENSION, X509_EXTENSION_free>;
using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
using Number = Owned<BIGNUM, BN_free>;

constexpr int kVersion3 = 2;       // as X.509 counts
constexpr int kSerialBits = 127;   // random, so that two CAs' or two servers' never meet
constexpr long kClockSkewS = 300;  // a client whose clock is behind takes it too

tl::unexpected<Error> not_made(const std::string& what) {
  return fail(ErrorCode::kUnavailable, what + " cannot be made with this OpenSSL");
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

Result<Identity> in_pem(X509* certificate, EVP_PKEY* key) {
  const Bio first(BIO_new(BIO_s_mem()));
  const Bio second(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(first.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(second.get(), key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return not_made("a PEM text");
  }
  return Identity{text_of(first.get()), text_of(second.get())};
}

bool set_serial(X509* certificate) {
  const Number number(BN_new());
  return BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_subject(X509* certificate, const std::string& name) {
  constexpr std::size_t kMostCommonName = 64;  // of X.520; the names that count are in the SAN
  const std::string shown = name.substr(0, kMostCommonName);
  const auto* bytes = reinterpret_cast<const unsigned char*>(shown.data());
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, bytes,
                                    static_cast<int>(shown.size()), -1, 0) == 1;
}

// `issuer` is the certificate itself for one that signs itself.
bool add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

Certificate make_plain(const std::string& name, EVP_PKEY* key, long days) {
  constexpr long kDayS = 24 * 60 * 60;
  Certificate made(X509_new());
  const bool done = made != nullptr && X509_set_version(made.get(), kVersion3) == 1 &&
                    set_serial(made.get()) && set_subject(made.get(), name) &&
                    X509_gmtime_adj(X509_getm_notBefore(made.get()), -kClockSkewS) != nullptr &&
                    X509_gmtime_adj(X509_getm_notAfter(made.get()), days * kDayS) != nullptr &&
                    X509_set_pubkey(made.get(), key) == 1;
  return done ? std::move(made) : nullptr;
}

bool is_address(const std::string& host) {
  const Owned<ASN1_OCTET_STRING, ASN1_OCTET_STRING_free> read(a2i_IPADDRESS(host.c_str()));
  return read != nullptr;
}

// A comma or a line end would begin another entry of the extension.
Status check_host(const std::string& host) {
  const auto allowed = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '.' || c == '-' || c == ':' || c == '*' || c == '_';
  };
  constexpr std::size_t kMostHostName = 253;  // of a DNS name
  const bool has_colon = host.find(':') != std::string::npos;
  if (!host.empty() && host.size() <= kMostHostName &&
      std::all_of(host.begin(), host.end(), allowed) && (!has_colon || is_address(host))) {
    return {};
  }
  return invalid("is '" + host + "'; a DNS name or an IP address is accepted", "--name");
}

std::string alternatives_of(const std::vector<std::string>& hosts) {
  std::string all;
  for (const std::string& host : hosts) {
    all += (all.empty() ? "" : ",") + std::string(is_address(host) ? "IP:" : "DNS:") + host;
  }
  return all;
}

Certificate read_certificate(const std::string& text) {
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  return Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

Key read_key(const std::string& text) {
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  return Key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

}  // namespace

Result<Identity> make_ca(const std::string& name) {
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return not_made("a key");
  const Certificate made = make_plain(name, key.get(), kCaDays);
  X509* ca = made.get();
  const bool done = ca != nullptr && X509_set_issuer_name(ca, X509_get_subject_name(ca)) == 1 &&
                    add_extension(ca, ca, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    add_extension(ca, ca, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    add_extension(ca, ca, NID_subject_key_identifier, "hash") &&
                    X509_sign(ca, key.get(), EVP_sha256()) > 0;
  if (!done) return not_made("a CA");
  return in_pem(ca, key.get());
}

Result<Identity> make_server_identity(const Identity& ca, const std::vector<std::string>& hosts) {
  if (hosts.empty()) return invalid("at least one name or address is needed", "--name");
  for (const std::string& host : hosts) {
    if (auto s = check_host(host); !s) return tl::unexpected(s.error());
  }
  const Certificate issuer = read_certificate(ca.certificate);
  const Key signing = read_key(ca.key);
  if (issuer == nullptr || signing == nullptr ||
      X509_check_private_key(issuer.get(), signing.get()) != 1) {
    return invalid("the CA's certificate and key are no PEM texts that belong together");
  }
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return not_made("a key");
  const Certificate made = make_plain(hosts.front(), key.get(), kServerDays);
  X509* server = made.get();
  const bool done =
      server != nullptr && X509_set_issuer_name(server, X509_get_subject_name(issuer.get())) == 1 &&
      add_extension(server, issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
      add_extension(server, issuer.get(), NID_key_usage, "critical,digitalSignature") &&
      add_extension(server, issuer.get(), NID_ext_key_usage, "serverAuth") &&
      add_extension(server, issuer.get(), NID_subject_key_identifier, "hash") &&
      add_extension(server, issuer.get(), NID_authority_key_identifier, "keyid") &&
      add_extension(server, issuer.get(), NID_subject_alt_name, alternatives_of(hosts)) &&
      X509_sign(server, signing.get(), EVP_sha256()) > 0;
  if (!done) return not_made("a server's certificate");
  return in_pem(server, key.get());
}

Result<TimeMs> expiry_of(const std::string& certificate) {
  const Certificate read = read_certificate(certificate);
  std::tm until{};
  if (read == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(read.get()), &until) != 1) {
    return invalid("is no certificate in PEM form", "certificate");
  }
  return TimeMs{timegm(&until)} * kSecondMs;
}

}  // namespace berth::cli
