#include "server/http_server.h"

#include "server/http_server_impl.h"

namespace berth::server {
Result<std::unique_ptr<HttpServer>> serve_http(const HttpOptions& options, HttpHandler handler) {
  using Plain = impl::Server<restinio::default_traits_t>;
  auto server = std::make_unique<Plain>();
  if (auto s = server->start(options, std::move(handler), Plain::Settings{}); !s) {
    return tl::unexpected(s.error());
  }
  return server;
}

}  // namespace berth::server
