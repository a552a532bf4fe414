#include "engine/placement/scan.h"

#include <algorithm>

#include "base/check.h"

namespace berth::engine {
namespace {

// The tightest card with room: the card cost of best-fit.
class Tightest final : public CardCost {
 public:
  std::int64_t of_change(const CardKind& /*kind*/, const CardState& before,
                         const CardState& /*after*/) const override {
    return before.compute_free;
  }
};

// Free cards of the node after the placement, CPU share added: plain best-fit.
class BestFit final : public Score {
 public:
  std::string_view name() const override { return "bestfit"; }
  std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                  const CardChoice& choice) const override {
    std::int64_t free = 0;
    for (const CardState& card : choice.after) free += card.compute_free;
    const CpuMilli cpu = std::max<CpuMilli>(1, state.node_kind(slot.kind).cpu_milli);
    return free + (slot.cpu_free - shape.request.cpu_milli) * kCard / cpu;
  }
};

// The other way round: the emptiest node.
class WorstFit final : public Score {
 public:
  std::string_view name() const override { return "worstfit"; }
  std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                  const CardChoice& choice) const override {
    return -BestFit().of(state, slot, shape, choice);
  }
};

// No preference: the first node by name.
class FirstFit final : public Score {
 public:
  std::string_view name() const override { return "firstfit"; }
  std::int64_t of(const ClusterState& /*state*/, const Slot& /*slot*/, const Shape& /*shape*/,
                  const CardChoice& /*choice*/) const override {
    return 0;
  }
};

std::span<const Score* const> score_table() {
  static const BestFit best_fit;
  static const WorstFit worst_fit;
  static const FirstFit first_fit;
  static constexpr const Score* kTable[] = {&best_fit, &worst_fit, &first_fit};
  return kTable;
}

bool has_room(const ClusterState& state, NodeIndex index, const Shape& shape) {
  const NodeRecord& node = state.node(index);
  if (node.memory_free < shape.request.memory_mib) return false;
  for (const Countable& wanted : shape.request.resources) {
    std::int64_t free = 0;
    for (std::size_t i = 0; i < node.spec->resources.size(); ++i) {
      if (node.spec->resources[i].resource == wanted.resource) free = node.resources_free[i];
    }
    if (free < wanted.amount) return false;
  }
  return true;
}

}  // namespace

const Score* find_score(std::string_view name) {
  for (const Score* score : score_table()) {
    if (score->name() == name) return score;
  }
  return nullptr;
}

std::vector<std::string> score_names() {
  std::vector<std::string> names;
  for (const Score* score : score_table()) names.emplace_back(score->name());
  std::sort(names.begin(), names.end());
  return names;
}

NodeIndex first_with_room(const ClusterState& state, const Slot& slot, const Shape& shape) {
  const auto it = std::find_if(slot.nodes.rbegin(), slot.nodes.rend(),
                               [&](NodeIndex node) { return has_room(state, node, shape); });
  return it == slot.nodes.rend() ? NodeIndex::none() : *it;
}

bool slot_admits(const ClusterState& state, const Slot& slot, const Shape& shape) {
  return slot.alive() && slot.cpu_free >= shape.request.cpu_milli &&
         state.node_kind(slot.kind).partition == shape.partition;
}

ScanMethod::ScanMethod(const PolicySpec& policy) {
  for (const ScoreWeight& wanted : policy.scores) {
    const Score* score = find_score(wanted.score);
    BERTH_CHECK(score != nullptr);  // SetPolicy refuses unknown scores
    scores_.push_back({score, wanted.weight});
  }
}

std::optional<Candidate> ScanMethod::find(const ClusterState& state, ShapeIndex index) {
  const Shape& shape = state.shapes().at(index);
  const Tightest tightest;
  std::optional<Candidate> best;
  std::uint64_t best_name = 0;
  for (const Slot& slot : state.slots().slots()) {
    if (!slot_admits(state, slot, shape)) continue;
    const auto choice = choose_cards(state, slot, shape, tightest);
    if (!choice) continue;
    std::int64_t cost = 0;
    for (const Weighted& w : scores_) {
      cost = saturating_add(cost, saturating_mul(w.weight, w.score->of(state, slot, shape, *choice)));
    }
    if (best && cost > best->cost) continue;
    const NodeIndex node = first_with_room(state, slot, shape);
    if (node.is_none()) continue;
    const std::uint64_t name = state.node(node).name_order;
    if (best && cost == best->cost && name > best_name) continue;
    best = Candidate{node, on_node(state.node(node), slot, choice->grants), cost};
    best_name = name;
  }
  return best;
}

Prices ScanMethod::quote(const ClusterState& /*state*/) { return {}; }

}  // namespace berth::engine
