#include "server/api.h"

#include <utility>

#include "server/call.h"
#include "server/operations.h"

namespace berth::server {
namespace {

// "/v1/jobs/a%2Fb" -> {"v1", "jobs", "a%2Fb"}
std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(path.front() == '/' ? 1 : 0);
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

}  // namespace

Api::Api(Service& service, Parts parts) : service_(service), parts_(std::move(parts)) {
  for (const Operation& operation : operations()) {
    routes_.push_back({&operation, path_parts(operation.path)});
  }
}

Api::Match Api::match(const HttpRequest& request) const {
  const std::vector<std::string> parts = path_parts(request.path);
  Match match;
  for (const Route& route : routes_) {
    if (route.parts.size() != parts.size()) continue;
    std::map<std::string, std::string> values;
    bool fits = true;
    for (std::size_t i = 0; i < parts.size() && fits; ++i) {
      const std::string& wanted = route.parts[i];
      if (wanted.starts_with('{')) {
        values[wanted.substr(1, wanted.size() - 2)] = percent_decoded(parts[i]);
      } else {
        fits = wanted == parts[i];
      }
    }
    if (!fits) continue;
    if (route.operation->method != request.method) {
      match.other_methods.push_back(route.operation->method);
    } else if (match.operation == nullptr || values.size() < match.path.size()) {
      match.operation = route.operation;  // the more particular path
      match.path = std::move(values);
    }
  }
  return match;
}

void Api::handle(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  Match found = match(request);
  if (found.operation != nullptr) return run(exchange, std::move(found));
  if (parts_.files && parts_.files(exchange)) return;
  if (found.other_methods.empty()) {
    return exchange->answer(
        plain_error(404, "not-found", "nothing is at " + request.path + "; see /v1/openapi.json"));
  }
  std::string allowed;
  for (const std::string& method : found.other_methods) {
    allowed += (allowed.empty() ? "" : ", ") + method;
  }
  HttpResponse response = plain_error(
      405, "invalid",
      request.method + " is not accepted at " + request.path + "; accepted: " + allowed);
  response.headers.emplace_back("Allow", allowed);
  exchange->answer(std::move(response));
}

void Api::run(const std::shared_ptr<HttpExchange>& exchange, Match match) {
  const HttpRequest& request = exchange->request();
  const Operation& operation = *match.operation;
  Principal who;
  if (operation.need != Need::kNothing) {
    auto principal = parts_.authenticate(request);
    if (!principal) {
      HttpResponse response = plain_error(401, "unauthorized", principal.error().message);
      response.headers.emplace_back("WWW-Authenticate", "Bearer");
      return exchange->answer(std::move(response));
    }
    who = std::move(*principal);
    if (!may(who.role, operation.need)) {
      return exchange->answer(plain_error(403, "forbidden",
                                          "'" + who.name + "' has role " +
                                              std::string(word(who.role)) + ", which may not " +
                                              std::string(word(operation.need))));
    }
    if (parts_.rates != nullptr) {
      if (const auto wait_s = parts_.rates->take(who.name)) {
        HttpResponse response = plain_error(
            429, "too-many", "more requests than " + parts_.rates->limit_text() + " of one token");
        response.headers.emplace_back("Retry-After", std::to_string(*wait_s));
        return exchange->answer(std::move(response));
      }
    }
  }
  if (auto s = check_query(operation, request); !s) {
    return exchange->answer(error_response(s.error()));
  }
  if (operation.need != Need::kNothing && !operation.is_write) {
    const auto stale = service_.staleness_ms();
    if (!stale || *stale > kMostStalenessMs) {
      return exchange->answer(
          plain_error(503, "unavailable",
                      "what this server has is " +
                          (stale ? std::to_string(*stale) + " ms old, more than " +
                                       std::to_string(kMostStalenessMs) + " ms"
                                 : std::string("not known to be complete yet")) +
                          "; ask another one, or again"));
    }
  }
  if (operation.is_write && parts_.forward && parts_.forward(exchange)) return;
  operation.run(
      std::make_shared<Call>(exchange, operation, service_, std::move(who), std::move(match.path)));
}

}  // namespace berth::server
