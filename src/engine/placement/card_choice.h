// Which cards of a node take the devices of a task: the cheapest legal choice under a card cost.
// Legal means every rule of sharing and of the request: modes, trust, distinct cards, one island.
// Works on a slot, so equal nodes are looked at once; `on_node` names the cards of a real node.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/state/cluster_state.h"
#include "engine/state/topology_levels.h"

namespace berth::engine {

// What it costs to change one card from one state into another; less is better.
class CardCost {
 public:
  virtual ~CardCost() = default;
  virtual std::int64_t of_change(const CardKind& kind, const CardState& before,
                                 const CardState& after) const = 0;
};

struct CardChoice {
  CardGrants grants;      // `card` is a position in Slot::cards; in the order of the requests
  std::int64_t cost = 0;  // sum over the changed cards
  CardList after;         // the slot's cards after the choice, positions unchanged
};

// Nothing when the cards cannot serve the shape. CPU and memory of the node are not looked at.
// Devices are chosen one by one, each where it costs least, ties by position. Where that fails for
// devices of several sorts, which may have stood in each other's way, CardSearch looks on.
std::optional<CardChoice> choose_cards(const ClusterState& state, const Slot& slot,
                                       const Shape& shape, const CardCost& cost);

// Whether all devices of the request must lie in one island of the node.
inline bool asks_island(const DeviceRequest& request) { return request.within == kBelowNode; }

// Whether the cards of the slot can serve the shape, whatever the choice costs.
bool cards_serve(const ClusterState& state, const Slot& slot, const Shape& shape);

// Whether the request accepts cards of the model.
bool model_accepted(const ClusterState& state, ModelIndex model, const DeviceRequest& request);
// Whether nodes of the kind have cards of a model that every device request of the shape accepts.
bool model_accepted(const ClusterState& state, const NodeKind& kind, const Shape& shape);
// Whether the cards of nodes of the kind are what the shape's selectors select.
inline bool cards_selected(const ClusterState& state, const NodeKind& kind, const Shape& shape) {
  return shape.selectors.empty() || state.selectors().match(shape.selectors, kind.devices);
}
// The same of one request.
bool cards_selected(const ClusterState& state, const NodeKind& kind, const DeviceRequest& request);

// The same grants on the cards of a node of the slot: for each position the free card of that state
// with the lowest index.
CardGrants on_node(const NodeRecord& node, const Slot& slot, const CardGrants& grants);

}  // namespace berth::engine
