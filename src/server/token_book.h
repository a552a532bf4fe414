// TokenBook: who presents a secret. It knows hashes only, compares them in constant time and judges
// expiry by the server's clock. Its errors never repeat what was presented. Thread-safe.
#pragma once

#include <string_view>

#include "control/ports.h"
#include "server/access.h"
#include "server/http.h"
#include "server/token_table.h"

namespace berth::server {

class TokenBook {
 public:
  TokenBook(const TokenTable& tokens, const control::Clock& clock)
      : tokens_(tokens), clock_(clock) {}

  Result<Principal> find(std::string_view secret) const;

 private:
  const TokenTable& tokens_;
  const control::Clock& clock_;
};

// What the role of a token or of a user of an identity provider needs: tenants and viewers have a
// subtree, admins and operators the whole tree.
Status check_role(Role role, const std::string& queue);
// The same of a role's word, which has to be one.
Status check_role(const std::string& word, const std::string& queue);

// The secret of "Authorization: Bearer SECRET"; an error says what is accepted.
Result<std::string_view> bearer_of(const HttpRequest& request);

}  // namespace berth::server
