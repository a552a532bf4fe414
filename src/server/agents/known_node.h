// What the state knows of a node when its agent joins, as a copy: a session is on another thread
// than the writer of the state.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/core/messages.h"
#include "engine/state/cluster_state.h"
#include "model/fleet.h"
#include "model/words.h"

namespace berth::server {

struct KnownLease {
  agent::LeaseKey key;
  LeaseState state = LeaseState::kGranted;
};

struct KnownNode {
  std::shared_ptr<const NodeSpec> spec;  // null: it has never joined, or was removed
  NodeCondition condition = NodeCondition::kReady;
  std::vector<KnownLease> leases;  // without promises: nobody carries those out
};

// For the writer's thread.
KnownNode known_node(const engine::ClusterState& state, std::string_view name);

}  // namespace berth::server
