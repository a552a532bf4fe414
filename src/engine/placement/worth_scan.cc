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

std::optional<std::int64_t> WorthScan::cost_on(const ClusterState& state, const Slot& slot,
                                               const Shape& shape) const {
  if (!slot_admits(state, slot, shape)) return std::nullopt;
  const auto parts = worth_.cost(state, slot, worth_.of(state, slot), shape);
  if (!parts) return std::nullopt;
  const ModelIndex model = state.node_kind(slot.kind).model;
  return NodeWorth::priced(*parts, state.prices()) +
         NodeWorth::model_cost(state.prices(), model, milli_of(shape));
}

WorthScan::Best WorthScan::best_slot(const ClusterState& state, const Shape& shape,
                                     const SearchScope& scope) {
  alive_.catch_up(state.slots());
  Best best;
  for (const SlotIndex s : alive_.all()) {
    const Slot& slot = state.slots().slot(s);
    if (!is_among(state, slot.kind, scope.models)) continue;
    const auto cost = cost_on(state, slot, shape);
    if (!cost || (!best.node.is_none() && *cost > best.cost)) continue;
    const NodeIndex node = first_with_room(state, slot, shape);
    if (node.is_none()) continue;
    if (!best.node.is_none() && *cost == best.cost &&
        state.node(node).name_order > state.node(best.node).name_order) {
      continue;
    }
    best = {*cost, s, node};
  }
  return best;
}

// Nodes side by side are often equal, so the cost of the last state is kept.
WorthScan::Best WorthScan::best_node(const ClusterState& state, const Shape& shape,
                                     const SearchScope& scope) const {
  Best best;
  SlotIndex last;
  std::optional<std::int64_t> cost;
  for (const NodeIndex index : scope.nodes) {
    const NodeRecord& node = state.node(index);
    if (node.slot.is_none() || !is_among(state, node.kind, scope.models)) continue;
    if (node.slot != last) {
      last = node.slot;
      cost = cost_on(state, state.slots().slot(last), shape);
    }
    if (!cost || !has_room(state, index, shape)) continue;
    const bool first = best.node.is_none();
    if (!first && *cost > best.cost) continue;
    const std::int64_t all = *cost + (scope.toll == nullptr ? 0 : scope.toll->of(index));
    if (!first && all > best.cost) continue;
    if (!first && all == best.cost && node.name_order > state.node(best.node).name_order) {
      continue;
    }
    best = {all, node.slot, index};
  }
  return best;
}

std::optional<Candidate> WorthScan::find_in(const ClusterState& state, ShapeIndex index,
                                            const SearchScope& scope) {
  const Shape& shape = state.shapes().at(index);
  const Best best =
      scope.all_nodes ? best_slot(state, shape, scope) : best_node(state, shape, scope);
  if (best.node.is_none()) return std::nullopt;
  const Slot& slot = state.slots().slot(best.slot);
  const auto choice = choose_cards(state, slot, shape, worth_);
  return Candidate{best.node, on_node(state.node(best.node), slot, choice->grants), best.cost};
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
