// Call: one request on its way through the API: its operation, parameters, principal and answer.
// Shared by the threads that it passes through, one at a time; answered once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "codec/document.h"
#include "codec/errors.h"
#include "codec/file.h"
#include "codec/schema.h"
#include "model/command.h"
#include "server/http.h"
#include "server/operation.h"
#include "server/service.h"

namespace berth::server {

int status_of(ErrorCode code);
HttpResponse error_response(const Error& error);
HttpResponse error_response(const codec::Errors& errors);
// For a status that is of HTTP and no error of the model: "too-many", "unauthorized".
HttpResponse plain_error(int status, std::string_view code, const std::string& message);

class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(std::shared_ptr<HttpExchange> exchange, const Operation& operation, Service& service,
       Principal who, std::map<std::string, std::string> path)
      : exchange_(std::move(exchange)),
        operation_(operation),
        service_(service),
        who_(std::move(who)),
        path_(std::move(path)),
        staleness_ms_(service.staleness_ms()) {}

  const HttpRequest& request() const { return exchange_->request(); }
  HttpExchange& exchange() { return *exchange_; }
  Service& service() { return service_; }
  const Principal& who() const { return who_; }
  // How old what this server has was at most when the call began: what is read later is no older.
  std::optional<DurationMs> staleness_ms() const { return staleness_ms_; }
  const std::string& path(const std::string& name) const { return path_.at(name); }
  // Of the query; checked against the operation's parameters already.
  std::optional<std::string> query(std::string_view name) const;
  bool flag(std::string_view name) const { return query(name).value_or("false") == "true"; }
  std::int64_t number(std::string_view name, std::int64_t fallback) const;

  // The body as an object of the operation's schema.
  template <typename T>
  codec::Parsed<T> body() const {
    return codec::from_text<T>(request().body, body_format(), "");
  }
  codec::TextFormat body_format() const;

  void answer(const codec::Document& document) { answer(operation_.status, document); }
  void answer(int status, const codec::Document& document);
  void answer_text(std::string text, std::string content_type);
  void refuse(const Error& error);
  void refuse(const codec::Errors& errors);

  // Under which id the state keeps the caller's key; empty: there is none. A submit's stands for
  // its job. The state knows no more of it, so that any other command's holds what is asked as
  // well: method, path and body.
  Result<std::string> submit_id() const;
  Result<std::string> command_id() const;

  // Posts a command in the name of the caller; a refusal is answered, else `then` goes on.
  void post(CommandBody body, std::function<void(const control::Reply&)> then);

 private:
  // Refuses the key of a submit for another command.
  Status check_key() const;

  std::shared_ptr<HttpExchange> exchange_;
  const Operation& operation_;
  Service& service_;
  Principal who_;
  std::map<std::string, std::string> path_;
  std::optional<DurationMs> staleness_ms_;
};

using CallPtr = std::shared_ptr<Call>;

// What the query asks for is what the operation knows, and of its kind.
Status check_query(const Operation& operation, const HttpRequest& request);

}  // namespace berth::server
