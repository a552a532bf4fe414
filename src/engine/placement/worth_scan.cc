#include "engine/placement/worth_scan.h"

#include "engine/placement/filters.h"

namespace berth::engine {

std::int64_t milli_of(const Shape& shape) {
  std::int64_t milli = 0;
  for (const DeviceRequest& request : shape.request.devices) {
    milli +=
        (request.kind == ShareKind::kShare ? request.compute / kCardMilli : 1000) * request.count;
  }
  return milli;
}

std::optional<Candidate> WorthScan::find(const ClusterState& state, ShapeIndex index) {
  alive_.catch_up(state.slots());
  const Shape& shape = state.shapes().at(index);
  const Prices& prices = state.prices();
  const std::int64_t milli = milli_of(shape);
  std::int64_t best_cost = 0;
  SlotIndex best_slot;
  NodeIndex best_node;
  for (const SlotIndex s : alive_.all()) {
    const Slot& slot = state.slots().slot(s);
    if (!slot_admits(state, slot, shape)) continue;
    const auto parts = worth_.cost(state, slot, worth_.of(state, slot), shape);
    if (!parts) continue;
    const std::int64_t cost =
        NodeWorth::priced(*parts, prices) +
        NodeWorth::model_cost(prices, state.node_kind(slot.kind).model, milli);
    if (!best_node.is_none() && cost > best_cost) continue;
    const NodeIndex node = first_with_room(state, slot, shape);
    if (node.is_none()) continue;
    if (!best_node.is_none() && cost == best_cost &&
        state.node(node).name_order > state.node(best_node).name_order) {
      continue;
    }
    best_cost = cost;
    best_slot = s;
    best_node = node;
  }
  if (best_node.is_none()) return std::nullopt;
  const Slot& slot = state.slots().slot(best_slot);
  const auto choice = choose_cards(state, slot, shape, worth_);
  return Candidate{best_node, on_node(state.node(best_node), slot, choice->grants), best_cost};
}

Prices WorthScan::quote(const ClusterState& state) {
  alive_.catch_up(state.slots());
  Remaining rest;
  rest.lasting = lasting_share(state);
  rest.model_milli.assign(state.model_count(), 0);
  for (const SlotIndex s : alive_.all()) {
    const Slot& slot = state.slots().slot(s);
    const auto nodes = static_cast<std::int64_t>(slot.nodes.size());
    const StateWorth worth = worth_.of(state, slot);
    const ModelIndex model = state.node_kind(slot.kind).model;
    rest.cpu_milli += nodes * slot.cpu_free;
    rest.milli += nodes * worth.idle_milli;
    if (!model.is_none()) rest.model_milli[model.value()] += nodes * worth.idle_milli;
    for (std::size_t size = 0; size < kBlockSizes; ++size) {
      rest.blocks[size] += nodes * worth.blocks[size];
    }
  }
  return worth_.pricing().quote(rest);
}

}  // namespace berth::engine
