#include "server/token_book.h"

#include <string>

#include "server/timestamp.h"
#include "server/token_secret.h"

namespace berth::server {
namespace {

// For a token that is not there, so that it takes as long as one that is.
constexpr std::string_view kNoHash =
    "0000000000000000000000000000000000000000000000000000000000000000";

}  // namespace

Result<Principal> TokenBook::find(std::string_view secret) const {
  const auto id = id_of_secret(secret);
  const auto token = id ? tokens_.find(*id) : nullptr;
  const std::string hash = hash_of(secret);
  const bool is_same = equal_secrets(hash, token == nullptr ? kNoHash : token->hash);
  if (token == nullptr || !is_same) {
    return invalid("the token is not known here; it was never issued or is revoked");
  }
  if (token->expires_at <= clock_.now()) {
    return invalid("token '" + token->name + "' expired at " + timestamp_text(token->expires_at));
  }
  const auto role = from_word<Role>(token->role);
  if (!role) {
    return invalid("token '" + token->name + "' has role '" + token->role +
                   "', which this version does not know");
  }
  // A tenant of no queue would be one of the whole tree.
  if (auto s = check_role(*role, token->queue); !s && token->queue.empty()) {
    return invalid("token '" + token->name + "' opens nothing: its queue " + s.error().message +
                   "; revoke it and issue another");
  }
  return Principal{token->name, *role, token->queue, token->id, token->expires_at};
}

Status check_role(Role role, const std::string& queue) {
  const bool has_subtree = role == Role::kTenant || role == Role::kViewer;
  if (has_subtree && queue.empty()) {
    return invalid(
        "is missing; role " + std::string(word(role)) + " is of one queue and those below it",
        "queue");
  }
  if (!has_subtree && !queue.empty()) {
    return invalid("is '" + queue + "'; role " + std::string(word(role)) +
                       " is of the whole tree, so none is accepted",
                   "queue");
  }
  return {};
}

Status check_role(const std::string& text, const std::string& queue) {
  if (const auto role = from_word<Role>(text)) return check_role(*role, queue);
  std::string accepted;
  for (const std::string_view one : words_of<Role>()) {
    accepted += (accepted.empty() ? "" : ", ") + std::string(one);
  }
  return invalid("is '" + text + "'; accepted: " + accepted, "role");
}

Result<std::string_view> bearer_of(const HttpRequest& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const auto header = request.header("authorization");
  if (!header || !header->starts_with(kScheme)) {
    return invalid("a token is needed: the header 'Authorization: Bearer TOKEN'");
  }
  return header->substr(kScheme.size());
}

}  // namespace berth::server
