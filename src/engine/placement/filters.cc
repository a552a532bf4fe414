#include "engine/placement/filters.h"

#include <algorithm>

namespace berth::engine {

const NodeFilter* first_refusal(const ClusterState& state, const NodeRecord& node,
                                const Shape& shape) {
  const auto it =
      std::find_if(kNodeFilters.begin(), kNodeFilters.end(),
                   [&](const NodeFilter& filter) { return !filter.passes(state, node, shape); });
  return it == kNodeFilters.end() ? nullptr : &*it;
}

const NodeFilter* first_refusal_beside_cards(const ClusterState& state, const NodeRecord& node,
                                             const Shape& shape) {
  const auto it =
      std::find_if(kNodeFilters.begin(), kNodeFilters.end(), [&](const NodeFilter& filter) {
        return filter.scope != FilterScope::kCards && !filter.passes(state, node, shape);
      });
  return it == kNodeFilters.end() ? nullptr : &*it;
}

NodeIndex first_with_room(const ClusterState& state, const Slot& slot, const Shape& shape) {
  const auto it = std::find_if(slot.nodes.rbegin(), slot.nodes.rend(),
                               [&](NodeIndex node) { return has_room(state, node, shape); });
  return it == slot.nodes.rend() ? NodeIndex::none() : *it;
}

}  // namespace berth::engine
