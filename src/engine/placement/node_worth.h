// NodeWorth: what the free part of a node state is worth for the demand to come, and what a task
// would take of it. The engine's own placement cost is the fall of this worth with its scarcity
// prices. Everything is an exact integer in units of kCardWorth a card.
#pragma once

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
  std::int64_t charge = 0;      // as of_change says, over its cards
  std::int64_t worth = 0;       // fall of StateWorth::cards
  std::int32_t whole_cards = 0;  // fall of StateWorth::whole_cards
};

class NodeWorth final : public CardCost {
 public:
  explicit NodeWorth(const ClusterState& state);

  // Worth of a card's free part: of a shared card the hole, by its tighter dimension.
  std::int64_t card_worth(const CardKind& kind, const CardState& card) const;
  std::int64_t of_change(const CardKind& kind, const CardState& before,
                         const CardState& after) const override;

  StateWorth of(const ClusterState& state, const Slot& slot) const;
  // Nothing when the cards of the slot cannot serve the shape. CPU and host memory are not checked.
  std::optional<TaskCost> cost(const ClusterState& state, const Slot& slot,
                               const StateWorth& worth, const Shape& shape) const;

  // The same when what it takes is known; `taking` is null for a task without devices.
  TaskCost cost(const StateWorth& before, ModelIndex model, CpuMilli cpu_left,
                const CardTaking* taking) const;

  // The price of a task's cards on a model, the same on every node of it.
  static std::int64_t model_cost(const Prices& prices, ModelIndex model, std::int64_t milli);
  static std::int64_t priced(const TaskCost& cost, const Prices& prices);

  const Pricing& pricing() const { return pricing_; }

 private:
  static std::int64_t fixed_cost(const StateWorth& before, std::int64_t charge);
  StateWorth of_cards(const ClusterState& state, const NodeKind& kind, const CardList& cards,
                      CpuMilli cpu_free) const;

  std::vector<std::int32_t> hole_worth_;  // kHoleSteps entries
  Stranding stranding_;
  Blocks blocks_;
  Pricing pricing_;
};

}  // namespace berth::engine
