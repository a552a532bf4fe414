#include "server/token_table.h"

#include <algorithm>

namespace berth::server {

void TokenTable::begin(const engine::ClusterState& state) {
  const std::lock_guard lock(mutex_);
  tokens_.clear();
  for (const auto& [id, record] : state.ledger().tokens) tokens_.emplace(id, record.token);
  revision_ = state.revision();
}

void TokenTable::committed(std::uint64_t first_revision, std::span<const EventBatch> batches) {
  const std::lock_guard lock(mutex_);
  std::uint64_t revision = first_revision;
  for (const EventBatch& batch : batches) {
    for (const Event& event : batch) {
      if (revision++ >= revision_) follow(event);
    }
  }
  revision_ = std::max(revision_, revision);
}

void TokenTable::follow(const Event& event) {
  if (const auto* issued = std::get_if<TokenIssued>(&event.body)) {
    tokens_.insert_or_assign(issued->token->id, issued->token);
  } else if (const auto* revoked = std::get_if<TokenRevoked>(&event.body)) {
    tokens_.erase(revoked->id);
  }
}

std::shared_ptr<const Token> TokenTable::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? nullptr : found->second;
}

}  // namespace berth::server
