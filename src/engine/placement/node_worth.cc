#include "engine/placement/node_worth.h"

#include <algorithm>

namespace berth::engine {
namespace {

constexpr std::int64_t kPerMilli = kCardWorth / 1000;

// Extra cost of opening a free card for a share, and of a node with much idle room, so that full
// nodes fill up first. In thousandths of a card. Own measurement on the openb traces: worth 0.2 and
// 0.15 points of allocation; halving or doubling them changes little.
constexpr std::int64_t kFreshCardMilli = 30;
constexpr std::int64_t kIdleNodeMilli = 40;       // at kIdleReference
constexpr std::int64_t kIdleReference = 8 * 1000;  // eight idle cards

const std::vector<MixEntry>& mix_of(const ClusterState& state) {
  static const std::vector<MixEntry> kNone;
  return state.fit() == nullptr ? kNone : state.fit()->mix;
}

std::vector<std::int32_t> hole_worth_of(const ClusterState& state) {
  if (state.fit() != nullptr && !state.fit()->hole_worth.empty()) return state.fit()->hole_worth;
  std::vector<std::int32_t> plain(kHoleSteps);  // before anything was learned: the plain size
  for (std::size_t h = 0; h < kHoleSteps; ++h) {
    plain[h] = static_cast<std::int32_t>(static_cast<std::int64_t>(h) * kPerMilli);
  }
  return plain;
}

// Free thousandths of a software-shared card, by compute and by memory, whichever is less.
std::int64_t hole_milli(const CardKind& kind, const CardState& card) {
  const std::int64_t compute = std::int64_t{card.compute_free} / kCardMilli;
  if (card.memory_free == kind.usable || kind.usable == 0) return compute;
  return std::min(compute, std::int64_t{card.memory_free} * 1000 / kind.usable);
}

}  // namespace

NodeWorth::NodeWorth(const ClusterState& state)
    : hole_worth_(hole_worth_of(state)),
      stranding_(state.fit() == nullptr ? std::vector<StrandingLine>{} : state.fit()->stranding),
      blocks_(demand_types(state, mix_of(state)), state.model_count()),
      pricing_(demand_types(state, mix_of(state)), state.model_count()) {}

std::int64_t NodeWorth::card_worth(const CardKind& kind, const CardState& card) const {
  if (!card.usable()) return 0;
  switch (card.mode) {
    case CardMode::kEmpty:
      return kCardWorth;
    case CardMode::kWhole:
      return 0;
    case CardMode::kTimeslice:
    case CardMode::kMps:
      return hole_worth_[static_cast<std::size_t>(hole_milli(kind, card))];
    case CardMode::kMig:
      break;
  }
  const std::int64_t free_slots = __builtin_popcount(kind.mig->slots_free(card.mig));
  return kCardWorth * free_slots / kind.mig->memory_slots();
}

std::int64_t NodeWorth::of_change(const CardKind& kind, const CardState& before,
                                  const CardState& after) const {
  const bool opens = before.is_empty() && after.mode != CardMode::kWhole;
  return card_worth(kind, before) - card_worth(kind, after) +
         (opens ? kFreshCardMilli * kPerMilli : 0);
}

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
  cost.fixed = choice->grants.empty() ? 0 : fixed_cost(worth, choice->cost);
  cost.stranded = after.stranded - worth.stranded;
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    cost.blocks[size] = worth.blocks[size] - after.blocks[size];
  }
  return cost;
}

std::int64_t NodeWorth::fixed_cost(const StateWorth& before, std::int64_t charge) {
  return charge + before.idle_milli * kIdleNodeMilli * kPerMilli / kIdleReference;
}

TaskCost NodeWorth::cost(const StateWorth& before, ModelIndex model, CpuMilli cpu_left,
                         const CardTaking* taking) const {
  TaskCost cost;
  std::int64_t cards = before.cards;
  std::int32_t whole_cards = before.whole_cards;
  if (taking != nullptr) {
    cost.fixed = fixed_cost(before, taking->charge);
    cards -= taking->worth;
    whole_cards -= taking->whole_cards;
  }
  cost.stranded = stranding_.stranded(cards, cpu_left) - before.stranded;
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    if (before.blocks[size] == 0) continue;  // none that could fall
    cost.blocks[size] = before.blocks[size] - blocks_.of(size, model, whole_cards, cpu_left);
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
