// TokenTable: the tokens that the journal has, for requests that present one. It follows what is
// committed on the committing thread, before the answer to the command that did it: a token that
// was revoked opens nothing any more once its revocation is answered. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "engine/state/cluster_state.h"
#include "model/event.h"

namespace berth::server {

class TokenTable {
 public:
  // All that the state has, and nothing else.
  void begin(const engine::ClusterState& state);
  void committed(std::uint64_t first_revision, std::span<const EventBatch> batches);

  // Null: there is none.
  std::shared_ptr<const Token> find(const std::string& id) const;

 private:
  void follow(const Event& event);

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Token>> tokens_;
  std::uint64_t revision_ = 0;
};

}  // namespace berth::server
