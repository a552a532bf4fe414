#include "server/agents/known_node.h"

namespace berth::server {

KnownNode known_node(const engine::ClusterState& state, std::string_view name) {
  const NodeIndex index = state.find_node(name);
  if (index.is_none()) return {};
  const engine::NodeRecord& node = state.node(index);
  KnownNode known{node.spec, node.condition, {}};
  for (const LeaseId id : node.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.state == LeaseState::kPromised) continue;
    known.leases.push_back({{lease.id, lease.epoch}, lease.state});
  }
  return known;
}

}  // namespace berth::server
