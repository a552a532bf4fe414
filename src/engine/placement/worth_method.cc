#include "engine/placement/worth_method.h"

#include "engine/placement/scan.h"

namespace berth::engine {

const StateWorth& WorthMethod::worth_of(const ClusterState& state, SlotIndex index) {
  const Slot& slot = state.slots().slot(index);
  KnownSlot& known = slots_[index.value()];
  if (known.generation != slot.generation) {
    known.worth = worth_.of(state, slot);
    known.generation = slot.generation;
  }
  return known.worth;
}

const WorthMethod::KnownCost& WorthMethod::cost_of(const ClusterState& state, SlotIndex index,
                                                   const Shape& shape, Row& row) {
  const Slot& slot = state.slots().slot(index);
  KnownCost& known = row[index.value()];
  if (known.generation != slot.generation) {
    const auto cost = worth_.cost(state, slot, worth_of(state, index), shape);
    known.fits = cost.has_value();
    if (cost) known.cost = *cost;
    known.generation = slot.generation;
  }
  return known;
}

std::optional<Candidate> WorthMethod::find(const ClusterState& state, ShapeIndex index) {
  alive_.catch_up(state.slots());
  slots_.resize(state.slots().slots().size());
  if (rows_.size() <= index.value()) rows_.resize(index.value() + 1);
  Row& row = rows_[index.value()];
  row.resize(slots_.size());
  const Shape& shape = state.shapes().at(index);
  const Prices& prices = state.prices();
  std::int64_t milli = 0;
  for (const DeviceRequest& request : shape.request.devices) {
    milli += (request.kind == ShareKind::kShare ? request.compute / kCardMilli : 1000) *
             request.count;
  }
  std::int64_t best_cost = 0;
  SlotIndex best_slot;
  NodeIndex best_node;
  for (const SlotIndex s : alive_.all()) {
    const Slot& slot = state.slots().slot(s);
    if (!slot_admits(state, slot, shape)) continue;
    const KnownCost& known = cost_of(state, s, shape, row);
    if (!known.fits) continue;
    const std::int64_t cost =
        NodeWorth::priced(known.cost, prices) +
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

Remaining WorthMethod::remaining(const ClusterState& state) {
  alive_.catch_up(state.slots());
  slots_.resize(state.slots().slots().size());
  Remaining rest;
  rest.model_milli.assign(state.model_count(), 0);
  for (const SlotIndex s : alive_.all()) {
    const Slot& slot = state.slots().slot(s);
    const auto nodes = static_cast<std::int64_t>(slot.nodes.size());
    const StateWorth& worth = worth_of(state, s);
    const ModelIndex model = state.node_kind(slot.kind).model;
    rest.cpu_milli += nodes * slot.cpu_free;
    rest.milli += nodes * worth.idle_milli;
    if (!model.is_none()) rest.model_milli[model.value()] += nodes * worth.idle_milli;
    for (std::size_t size = 0; size < kBlockSizes; ++size) {
      rest.blocks[size] += nodes * worth.blocks[size];
    }
  }
  return rest;
}

Prices WorthMethod::quote(const ClusterState& state) {
  return worth_.pricing().quote(remaining(state));
}

}  // namespace berth::engine
