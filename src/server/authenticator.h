// Authenticator: who sends a request: by a token that Berth issued, or by the token of a user of
// the identity provider, if there is one. Thread-safe.
#pragma once

#include "server/oidc.h"
#include "server/token_book.h"

namespace berth::server {

class Authenticator {
 public:
  // `users` may be null; both must outlive it.
  Authenticator(const TokenBook& tokens, OidcLogin* users) : tokens_(tokens), users_(users) {}

  Result<Principal> find(const HttpRequest& request) const;

 private:
  const TokenBook& tokens_;
  OidcLogin* users_;
};

}  // namespace berth::server
