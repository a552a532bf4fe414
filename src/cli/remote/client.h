// Client: speaks to a server of the API. libcurl is known to client.cc only. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "codec/document.h"

namespace berth::cli {

// Where a server is and how it is spoken to.
struct Server {
  std::string url;    // "http://127.0.0.1:7700"
  std::string token;  // may be empty
  std::string ca;     // path of the CA's certificate; empty: those of the system
};

struct Request {
  std::string method = "GET";
  std::string path;  // with the query, encoded
  std::string body;
  std::string content_type = "application/json";
  std::string request_id;  // Idempotency-Key; empty: none
};

// Whether it names a server: http or https, and a host.
Status check_url(const std::string& url);
// Refuses a token that would go over the network in clear text.
Status check_secrecy(const Server& server);

// "?queue=a&limit=10" of those that have a value.
std::string query_text(const std::vector<std::pair<std::string, std::optional<std::string>>>& of);

class Client {
 public:
  explicit Client(Server server);
  ~Client();

  const Server& server() const { return server_; }

  // The answer; of a refusal the server's own error. A write is sent again, under the same request
  // id, when the connection breaks or the server is not ready, for as long as `kPatience`.
  Result<codec::Document> send(const Request& request);
  Result<codec::Document> get(const std::string& path) { return send({"GET", path, {}, {}, {}}); }
  // What is no JSON, such as /metrics.
  Result<std::string> text(const std::string& path);
  // Items of all pages of a list; `path` with its query.
  Result<codec::Document> list(const std::string& path);
  // The same with the revision of its end, after which a stream goes on.
  struct Listed {
    codec::Document items;
    std::int64_t revision = 0;
  };
  Result<Listed> listed(const std::string& path);
  // Hands over the lines of a stream until `on_line` says false or the stream ends.
  Status stream(const std::string& path, const std::string& last_event_id,
                const std::function<bool(const std::string&)>& on_line);

  struct Answered {
    long status = 0;
    std::string body;
  };

 private:
  Result<Answered> once(const Request& request);

  Server server_;
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace berth::cli
