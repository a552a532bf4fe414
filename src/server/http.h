// HTTP as the API sees it: requests, answers and streams, without a server library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::server {

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // as sent, without the query: "/v1/jobs/a%2Fb"
  std::vector<std::pair<std::string, std::string>> query;    // decoded, in order
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  std::string peer;       // address of the other end
  bool is_local = false;  // the other end is this machine

  std::optional<std::string_view> header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // besides type and length
};

// The open end of an answer that goes on. May be used by any thread; after the other end has gone
// it takes nothing more.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // False when the other end has gone, or more than the limit would wait to be sent.
  virtual bool send(std::string text) = 0;
  // Bytes that were handed over here and are not sent yet.
  virtual std::size_t waiting() const = 0;
  virtual void close() = 0;
};

// One request, to be answered once, by any thread. Dropped unanswered it is answered with 500.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual const HttpRequest& request() const = 0;
  virtual void answer(HttpResponse response) = 0;
  // The head is sent; what follows is sent through the stream.
  virtual std::shared_ptr<HttpStream> begin_stream(HttpResponse head) = 0;
};

// Called on a thread of the server; returns at once.
using HttpHandler = std::function<void(std::shared_ptr<HttpExchange>)>;

std::string_view status_text(int status);  // "Not Found"

// "%41b" -> "Ab"; what is no escape stays as it is.
std::string percent_decoded(std::string_view text);
std::string percent_encoded(std::string_view text);
// "a=1&b=x+y"
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view text);

}  // namespace berth::server
