#include "cli/serve/jwks_fetch.h"

#include <curl/curl.h>

#include <memory>

#include "cli/serve/log.h"
#include "codec/file.h"

namespace berth::cli {
namespace {

constexpr long kFetchMs = 2000;
constexpr std::size_t kMostBytes = 1 << 20;

std::size_t take(char* data, std::size_t size, std::size_t count, void* to) {
  auto& text = *static_cast<std::string*>(to);
  if (text.size() + size * count > kMostBytes) return 0;
  text.append(data, size * count);
  return size * count;
}

struct Cleanup {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};

// Follows no redirect: the settings name the place.
Result<std::string> get(const std::string& url, const std::string& ca) {
  const std::unique_ptr<CURL, Cleanup> curl(curl_easy_init());
  std::string text;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "https,http");
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, kFetchMs);
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &text);
  if (!ca.empty()) curl_easy_setopt(curl.get(), CURLOPT_CAINFO, ca.c_str());
  const CURLcode code = curl_easy_perform(curl.get());
  if (code == CURLE_OK) return text;
  return fail(ErrorCode::kUnavailable,
              "the identity provider's keys at " + url + ": " + curl_easy_strerror(code));
}

}  // namespace

bool is_url(const std::string& text) { return text.find("://") != std::string::npos; }

Status check_jwks(const server::OidcSettings& settings) {
  const std::string& where = settings.jwks;
  if (!is_url(where) || where.starts_with("https://")) return {};
  for (const char* local : {"http://127.0.0.1:", "http://localhost:", "http://[::1]:"}) {
    if (where.starts_with(local)) return {};
  }
  return invalid("is '" + where + "'; an https URL or the path of a file is accepted", "jwks");
}

server::OidcKeys::Fetch jwks_fetch(const server::OidcSettings& settings) {
  return [where = settings.jwks, ca = settings.ca]() -> Result<std::string> {
    auto text = is_url(where) ? get(where, ca) : codec::read_file(where);
    if (!text) log_line(LogLevel::kWarning, text.error().to_text());
    return text;
  };
}

}  // namespace berth::cli
