#include "engine/placement/filters.h"

#include <algorithm>

namespace berth::engine {

const NodeFilter* first_refusal(std::span<const NodeFilter> filters, const ClusterState& state,
                                const NodeRecord& node, const Shape& shape) {
  const auto it = std::find_if(filters.begin(), filters.end(), [&](const NodeFilter& filter) {
    return !filter.passes(state, node, shape);
  });
  return it == filters.end() ? nullptr : &*it;
}

NodeIndex first_with_room(const ClusterState& state, const Slot& slot, const Shape& shape) {
  const auto it = std::find_if(slot.nodes.rbegin(), slot.nodes.rend(),
                               [&](NodeIndex node) { return has_room(state, node, shape); });
  return it == slot.nodes.rend() ? NodeIndex::none() : *it;
}

}  // namespace berth::engine
