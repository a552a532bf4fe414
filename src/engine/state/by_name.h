// Nodes by name: what is decided or told of them must not depend on who joined first.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::engine {

inline void sort_by_name(const ClusterState& state, std::vector<NodeIndex>& nodes) {
  std::sort(nodes.begin(), nodes.end(), [&](NodeIndex a, NodeIndex b) {
    return state.node(a).name_order < state.node(b).name_order;
  });
}

}  // namespace berth::engine
