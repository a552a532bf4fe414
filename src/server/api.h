// Api: from a request to the operation that answers it: path and method, who asks, what they may,
// how often, and whether this server may decide. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "server/http.h"
#include "server/operation.h"
#include "server/rate_limit.h"
#include "server/service.h"

namespace berth::server {

// A follower whose replica is older answers no reads: who asks should go elsewhere.
inline constexpr DurationMs kMostStalenessMs = 10 * kSecondMs;

class Api {
 public:
  // Who asks; an error is answered with 401.
  using Authenticate = std::function<Result<Principal>(const HttpRequest&)>;
  // Passes a write on to the leader; false: this server decides itself.
  using Forward = std::function<bool(const std::shared_ptr<HttpExchange>&)>;
  // What no operation answers, such as the files of the web page; false: nothing there.
  using Files = std::function<bool(const std::shared_ptr<HttpExchange>&)>;

  struct Parts {
    Authenticate authenticate;
    Forward forward = nullptr;  // null: it always decides itself
    Files files = nullptr;
    RateLimit* rates = nullptr;  // null: none
  };

  Api(Service& service, Parts parts);
  void handle(const std::shared_ptr<HttpExchange>& exchange);

 private:
  struct Route {
    const Operation* operation;
    std::vector<std::string> parts;  // of the path
  };
  struct Match {
    const Operation* operation = nullptr;
    std::map<std::string, std::string> path;
    std::vector<std::string> other_methods;  // of the same path
  };

  Match match(const HttpRequest& request) const;
  void run(const std::shared_ptr<HttpExchange>& exchange, Match match);

  Service& service_;
  Parts parts_;
  std::vector<Route> routes_;
};

}  // namespace berth::server
