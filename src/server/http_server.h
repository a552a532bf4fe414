// HttpServer: listens, reads requests within limits and hands them to one handler. It knows neither
// paths nor rights. RESTinio is known to http_server*.cc only.
//
// A client that is slow, silent or gone holds its own connection and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "server/http.h"

namespace berth::server {

struct HttpLimits {
  std::size_t connections = 4096;
  std::size_t body_bytes = 4 * 1024 * 1024;
  std::size_t url_bytes = 8 * 1024;
  std::size_t header_bytes = 16 * 1024;  // of one field's value
  std::size_t headers = 64;
  std::int64_t read_ms = 30'000;       // to send a request
  std::int64_t handle_ms = 60'000;     // to answer it
  std::int64_t write_ms = 30'000;      // to take one piece of an answer
  std::size_t stream_bytes = 1 << 20;  // of a stream that wait to be sent
};

struct TlsFiles {
  std::string certificate;  // path of a PEM file, with the chain
  std::string key;          // path of a PEM file
};

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  unsigned threads = 2;
  HttpLimits limits;
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;
  // No request is handled any more, and its threads have ended. Exchanges and streams that others
  // still hold may be used until this object is gone; what they send goes nowhere.
  virtual void stop() = 0;
  virtual std::uint16_t port() const = 0;
};

Result<std::unique_ptr<HttpServer>> serve_http(const HttpOptions& options, HttpHandler handler);
Result<std::unique_ptr<HttpServer>> serve_https(const HttpOptions& options, const TlsFiles& tls,
                                                HttpHandler handler);

}  // namespace berth::server
