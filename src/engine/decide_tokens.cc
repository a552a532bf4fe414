#include "engine/decide_tokens.h"

#include <algorithm>
#include <memory>

#include "engine/decide_checks.h"

namespace berth::engine {
namespace {

bool is_long_over(const Token& token, TimeMs now) {
  return token.expires_at != kNever && token.expires_at < now - kExpiredTokenKeptMs;
}

// Its id and its name are not those of a token that stays.
Status check_new(const ClusterState& state, const Token& token, TimeMs now) {
  const auto& known = state.ledger().tokens;
  if (known.contains(token.id)) {
    return fail(ErrorCode::kConflict, "token '" + token.id + "' exists", "id");
  }
  const auto stays = [&](const auto& entry) { return !is_long_over(*entry.second.token, now); };
  const auto same = std::find_if(known.begin(), known.end(), [&](const auto& entry) {
    return stays(entry) && entry.second.token->name == token.name;
  });
  if (same != known.end()) {
    return fail(ErrorCode::kConflict,
                "'" + token.name + "' is the name of token '" + same->first +
                    "'; revoke that one first, or take another name",
                "name");
  }
  const auto staying = std::count_if(known.begin(), known.end(), stays);
  if (static_cast<std::size_t>(staying) >= kTokensKept) {
    return fail(ErrorCode::kLimitExceeded,
                "there are " + std::to_string(kTokensKept) + " tokens; revoke some first");
  }
  return {};
}

}  // namespace

Result<EventBatch> decide_token(const ClusterState& state, const IssueToken& command, TimeMs now) {
  const Token& token = command.token;
  if (auto s = validate(token); !s) return tl::unexpected(s.error());
  if (!token.queue.empty() && state.find_queue(token.queue).is_none()) {
    return unknown_name("queue", token.queue, state.queue_names(), "queue");
  }
  if (token.expires_at <= now) return invalid("is in the past", "expires_at");
  if (auto s = check_new(state, token, now); !s) return tl::unexpected(s.error());
  EventBatch events;
  for (const auto& [id, record] : state.ledger().tokens) {
    if (is_long_over(*record.token, now)) events.push_back({now, TokenRevoked{id}});
  }
  events.push_back({now, TokenIssued{std::make_shared<const Token>(token)}});
  return events;
}

Result<EventBatch> decide_token(const ClusterState& state, const RevokeToken& command, TimeMs now) {
  if (!state.ledger().tokens.contains(command.id)) {
    // it is not repeated: what was given may be a secret
    return fail(ErrorCode::kNotFound,
                "there is no such token; 'berth token list' shows the ids of those there are",
                "id");
  }
  EventBatch events;
  events.push_back({now, TokenRevoked{command.id}});
  return events;
}

}  // namespace berth::engine
