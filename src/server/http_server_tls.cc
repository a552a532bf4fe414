#include "server/http_server_impl.h"

// After restinio/all.hpp, on which it depends.
#include <restinio/tls.hpp>

namespace berth::server {

Result<std::unique_ptr<HttpServer>> serve_https(const HttpOptions& options, const TlsFiles& tls,
                                                HttpHandler handler) {
  using Tls = impl::Server<restinio::default_tls_traits_t>;
  auto server = std::make_unique<Tls>();
  try {
    asio::ssl::context context(asio::ssl::context::tls_server);
    context.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                        asio::ssl::context::no_tlsv1_1);
    context.use_certificate_chain_file(tls.certificate);
    context.use_private_key_file(tls.key, asio::ssl::context::pem);
    Tls::Settings settings;
    settings.tls_context(std::move(context));
    if (auto s = server->start(options, std::move(handler), std::move(settings)); !s) {
      return tl::unexpected(s.error());
    }
  } catch (const std::exception& problem) {
    return invalid("the certificate " + tls.certificate + " with the key " + tls.key +
                   " cannot be used: " + problem.what());
  }
  return server;
}

}  // namespace berth::server
