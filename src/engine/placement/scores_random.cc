#include "engine/placement/scores_random.h"

#include "base/check.h"

namespace berth::engine {
namespace {

// The finaliser of splitmix64, a public domain design: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// One draw for each (arrival, node, purpose); the node's state is part of it, so that tasks placed
// one after the other without an arrival between them draw anew.
std::int64_t draw(const ClusterState& state, NodeIndex node, std::uint64_t purpose) {
  const std::uint64_t arrival = mix(state.totals().submitted + 0x9E3779B97F4A7C15ULL);
  const NodeRecord& record = state.node(node);
  std::int64_t free = record.cpu_free;
  for (const CardState& card : record.cards) free += card.compute_free;
  const std::uint64_t seen = mix(static_cast<std::uint64_t>(free));
  const std::uint64_t bits = mix(mix(arrival ^ node.value()) ^ seen ^ mix(purpose));
  return static_cast<std::int64_t>(bits >> 24);  // leaves room for weights
}

// Makes every card a different, drawn cost.
class DrawnCard final : public CardCost {
 public:
  DrawnCard(const ClusterState& state, NodeIndex node, std::size_t card)
      : cost_(draw(state, node, card + 1)) {}
  std::int64_t of_change(const CardKind& /*kind*/, const CardState& /*before*/,
                         const CardState& /*after*/) const override {
    return cost_;
  }

 private:
  std::int64_t cost_;
};

bool asks_one_device(const Shape& shape) {
  return shape.request.devices.size() == 1 && shape.request.devices.front().count == 1;
}

}  // namespace

std::int64_t UniformChoice::of_node(const ClusterState& state, NodeIndex node,
                                    const Shape& /*shape*/) const {
  return draw(state, node, 0);
}

CardGrants UniformChoice::grants_on(const ClusterState& state, NodeIndex node,
                                    const Shape& shape) const {
  if (!asks_one_device(shape)) return Score::grants_on(state, node, shape);
  const NodeRecord& record = state.node(node);
  std::optional<CardChoice> best;
  for (std::size_t c = 0; c < record.cards.size(); ++c) {
    Slot one;  // the node as if it had this card alone
    one.kind = record.kind;
    one.cpu_free = record.cpu_free;
    one.cards.push_back(record.cards[c]);
    auto choice = choose_cards(state, one, shape, DrawnCard(state, node, c));
    if (!choice || (best && choice->cost >= best->cost)) continue;
    for (CardGrant& grant : choice->grants) grant.card = static_cast<std::uint16_t>(c);
    best = std::move(choice);
  }
  BERTH_CHECK(best.has_value());
  return best->grants;
}

}  // namespace berth::engine
