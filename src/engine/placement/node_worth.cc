#include "engine/placement/node_worth.h"

#include <algorithm>

namespace berth::engine {
namespace {

const std::vector<MixEntry>& mix_of(const ClusterState& state) {
  static const std::vector<MixEntry> kNone;
  return state.fit() == nullptr ? kNone : state.fit()->mix;
}

std::vector<std::int32_t> hole_worth_of(const ClusterState& state) {
  if (state.fit() != nullptr && !state.fit()->hole_worth.empty()) return state.fit()->hole_worth;
  std::vector<std::int32_t> plain(kHoleSteps);  // before anything was learned: the plain size
  for (std::size_t h = 0; h < kHoleSteps; ++h) {
    plain[h] = static_cast<std::int32_t>(static_cast<std::int64_t>(h) * kCardWorth / 1000);
  }
  return plain;
}

}  // namespace

NodeWorth::NodeWorth(const ClusterState& state)
    : hole_worth_(hole_worth_of(state)),
      stranding_(state.fit() == nullptr ? std::vector<StrandingLine>{} : state.fit()->stranding),
      blocks_(demand_types(state, mix_of(state)), state.model_count()),
      pricing_(demand_types(state, mix_of(state)), state.model_count()) {}

StateWorth NodeWorth::of_cards(const ClusterState& state, const NodeKind& kind,
                               const CardList& cards, CpuMilli cpu_free) const {
  StateWorth worth;
  for (const CardState& card : cards) {
    worth.cards += card_worth(state.card_kind(card.kind), card);
    if (!card.usable()) continue;
    worth.idle_milli += std::int64_t{card.compute_free} / kCardMilli;
    worth.whole_cards += card.is_empty() ? 1 : 0;
  }
  worth.stranded = stranding_.stranded(worth.cards, cpu_free);
  worth.blocks = blocks_.all(kind.model, worth.whole_cards, cpu_free);
  return worth;
}

StateWorth NodeWorth::of(const ClusterState& state, const Slot& slot) const {
  return of_cards(state, state.node_kind(slot.kind), slot.cards, slot.cpu_free);
}

std::optional<TaskCost> NodeWorth::cost(const ClusterState& state, const Slot& slot,
                                        const StateWorth& worth, const Shape& shape) const {
  const auto choice = choose_cards(state, slot, shape, *this);
  if (!choice) return std::nullopt;
  const StateWorth after = of_cards(state, state.node_kind(slot.kind), choice->after,
                                    slot.cpu_free - shape.request.cpu_milli);
  TaskCost cost;
  const ModelIndex model = state.node_kind(slot.kind).model;
  cost.fixed = choice->grants.empty()
                   ? leftover_cost(model, slot.cpu_free - shape.request.cpu_milli)
                   : fixed_cost(worth, choice->cost);
  cost.stranded = after.stranded - worth.stranded;
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    cost.blocks[size] = worth.blocks[size] - after.blocks[size];
  }
  return cost;
}

std::int64_t NodeWorth::model_cost(const Prices& prices, ModelIndex model, std::int64_t milli) {
  if (model.is_none() || model.value() >= prices.model.size()) return 0;
  return prices.model[model.value()] * milli * kPerMilli / 1024;
}

std::int64_t NodeWorth::priced(const TaskCost& cost, const Prices& prices) {
  std::int64_t sum = cost.fixed + floor_div(prices.cpu * cost.stranded, 1024);
  for (std::size_t size = 0; size < kBlockSizes && size < prices.block.size(); ++size) {
    sum += floor_div(prices.block[size] * cost.blocks[size], 1024);
  }
  return sum;
}

}  // namespace berth::engine
