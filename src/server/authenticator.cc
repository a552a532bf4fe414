#include "server/authenticator.h"

#include "server/token_secret.h"

namespace berth::server {

Result<Principal> Authenticator::find(const HttpRequest& request) const {
  const auto bearer = bearer_of(request);
  if (!bearer) return tl::unexpected(bearer.error());
  const bool is_ours = users_ == nullptr || bearer->starts_with(kSecretPrefix);
  return is_ours ? tokens_.find(*bearer) : users_->find(*bearer);
}

}  // namespace berth::server
