#include "server/http_server.h"

#include "server/http_server_impl.h"

namespace berth::server {
namespace impl {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        out += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> query;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    std::string part(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    std::replace(part.begin(), part.end(), '+', ' ');
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      query.emplace_back(percent_decoded(part), "");
    } else {
      query.emplace_back(percent_decoded(std::string_view(part).substr(0, equals)),
                         percent_decoded(std::string_view(part).substr(equals + 1)));
    }
  }
  return query;
}

}  // namespace impl

Result<std::unique_ptr<HttpServer>> serve_http(const HttpOptions& options, HttpHandler handler) {
  using Plain = impl::Server<restinio::default_traits_t>;
  auto server = std::make_unique<Plain>();
  if (auto s = server->start(options, std::move(handler), Plain::Settings{}); !s) {
    return tl::unexpected(s.error());
  }
  return server;
}

}  // namespace berth::server
