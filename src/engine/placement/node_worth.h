// NodeWorth: what the free part of a node state is worth for the demand to come, and what a task
// would take of it. The engine's own placement cost is the fall of this worth with its scarcity
// prices. Everything is an exact integer in units of kCardWorth a card.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/placement/blocks.h"
#include "engine/placement/card_choice.h"
#include "engine/placement/pricing.h"
#include "engine/placement/stranding.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// Worth of one state of a node.
struct StateWorth {
  std::int64_t cards = 0;     // sum over the cards of the worth of their free part
  std::int64_t stranded = 0;  // of that, what the free CPU cannot feed
  BlockWorth blocks = {};
  std::int64_t idle_milli = 0;  // plain free share
  std::int32_t whole_cards = 0;
};

// What a task costs on a node state, before prices.
struct TaskCost {
  std::int64_t fixed = 0;
  std::int64_t stranded = 0;  // rise of the stranded worth; may be negative
  BlockWorth blocks = {};     // fall of each block's worth
};

// What a task takes of the cards of a node.
struct CardTaking {
  std::int64_t charge = 0;       // as of_change says, over its cards
  std::int64_t worth = 0;        // fall of StateWorth::cards
  std::int32_t whole_cards = 0;  // fall of StateWorth::whole_cards
};

class NodeWorth final : public CardCost {
 public:
  explicit NodeWorth(const ClusterState& state);

  // Worth of a card's free part: of a shared card the hole, by its tighter dimension.
  std::int64_t card_worth(const CardKind& kind, const CardState& card) const {
    if (!card.usable() || card.mode == CardMode::kWhole) return 0;
    if (card.mode == CardMode::kEmpty) return kCardWorth;
    if (card.mode != CardMode::kMig) {
      return hole_worth_[static_cast<std::size_t>(hole_milli(kind, card))];
    }
    const std::int64_t free_slots = __builtin_popcount(kind.mig->slots_free(card.mig));
    return kCardWorth * free_slots / kind.mig->memory_slots();
  }
  std::int64_t of_change(const CardKind& kind, const CardState& before,
                         const CardState& after) const override {
    return card_worth(kind, before) - card_worth(kind, after) + opening(before, after);
  }
  // What is charged besides when the change opens a free card for a share.
  static std::int64_t opening(const CardState& before, const CardState& after) {
    const bool opens = before.is_empty() && after.mode != CardMode::kWhole;
    return opens ? kFreshCardMilli * kPerMilli : 0;
  }

  StateWorth of(const ClusterState& state, const Slot& slot) const;
  // Nothing when the cards of the slot cannot serve the shape. CPU and host memory are not checked.
  std::optional<TaskCost> cost(const ClusterState& state, const Slot& slot, const StateWorth& worth,
                               const Shape& shape) const;

  // The same when what it takes is known; `taking` is null for a task without devices.
  TaskCost cost(const StateWorth& before, ModelIndex model, CpuMilli cpu_left,
                const CardTaking* taking) const {
    TaskCost cost;
    std::int64_t cards = before.cards;
    std::int32_t whole_cards = before.whole_cards;
    cost.fixed = leftover_cost(model, cpu_left);
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

  // The price of a task's cards on a model, the same on every node of it.
  static std::int64_t model_cost(const Prices& prices, ModelIndex model, std::int64_t milli);
  static std::int64_t priced(const TaskCost& cost, const Prices& prices);

  const Pricing& pricing() const { return pricing_; }

 private:
  static constexpr std::int64_t kPerMilli = kCardWorth / 1000;
  // Extra cost of opening a free card for a share, and of a node with much idle room, so that full
  // nodes fill up first. In thousandths of a card. Own measurement on the openb traces: worth 0.2
  // and 0.15 points of allocation; halving or doubling them changes little.
  static constexpr std::int64_t kFreshCardMilli = 30;
  static constexpr std::int64_t kIdleNodeMilli = 40;        // at kIdleReference
  static constexpr std::int64_t kIdleReference = 8 * 1000;  // eight idle cards

  static constexpr CpuMilli kLeftoverUnit = 1024;

  static std::int64_t fixed_cost(const StateWorth& before, std::int64_t charge) {
    return charge + before.idle_milli * kIdleNodeMilli * kPerMilli / kIdleReference;
  }
  // A task without devices keeps off the CPUs that cards need while a node without cards has room,
  // whatever has been learned. Of places where it strands nothing more, it takes the one that
  // leaves the most CPU.
  static std::int64_t leftover_cost(ModelIndex model, CpuMilli cpu_left) {
    return (model.is_none() ? 0 : kCardWorth) - cpu_left / kLeftoverUnit;
  }
  // Free thousandths of a software-shared card, by compute and by memory, whichever is less.
  static std::int64_t hole_milli(const CardKind& kind, const CardState& card) {
    const std::int64_t compute = std::int64_t{card.compute_free} / kCardMilli;
    if (card.memory_free == kind.usable || kind.usable == 0) return compute;
    return std::min(compute, std::int64_t{card.memory_free} * 1000 / kind.usable);
  }
  StateWorth of_cards(const ClusterState& state, const NodeKind& kind, const CardList& cards,
                      CpuMilli cpu_free) const;

  std::vector<std::int32_t> hole_worth_;  // kHoleSteps entries
  Stranding stranding_;
  Blocks blocks_;
  Pricing pricing_;
};

}  // namespace berth::engine
