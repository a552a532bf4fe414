#include "cli/serve/dev_access.h"

#include <string>

namespace berth::cli {
namespace {

// "127.0.0.1:7700" -> "127.0.0.1", "[::1]:7700" -> "[::1]"
std::string_view without_port(std::string_view host) {
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos) return host;
  return bracket != std::string_view::npos && colon < bracket ? host : host.substr(0, colon);
}

}  // namespace

Result<server::Principal> dev_principal(const server::HttpRequest& request) {
  const std::string_view host = request.header("host").value_or("127.0.0.1");
  const std::string_view name = without_port(host);
  if (name != "127.0.0.1" && name != "localhost" && name != "[::1]") {
    return invalid("in dev mode the server answers to 127.0.0.1 and localhost only, not to '" +
                   std::string(host) + "'");
  }
  const auto origin = request.header("origin");
  if (origin && *origin != "http://" + std::string(host)) {
    return invalid("in dev mode pages of other origins are refused: '" + std::string(*origin) +
                   "'");
  }
  return server::Principal{"dev", server::Role::kAdmin, ""};
}

}  // namespace berth::cli
