// Score: one named way to compare the places of a task. A policy names some with weights; the sum
// decides, less is better, and the lowest node name on a tie. All are listed in scores.cc.
// A score owns no fact: what it keeps is derived from the state, and forgetting it changes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/placement/card_choice.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// The cards with least room first: the card rule of best-fit.
class Tightest final : public CardCost {
 public:
  std::int64_t of_change(const CardKind& /*kind*/, const CardState& before,
                         const CardState& /*after*/) const override {
    return before.compute_free;
  }
};

class Score {
 public:
  virtual ~Score() = default;

  // Reads what it needs of the state besides one node; called before each search.
  virtual void refresh(const ClusterState& /*state*/) {}

  // Which cards of a node of this state the task would take; nothing when they cannot serve it.
  // Of several scores of a policy the first one chooses the cards.
  virtual std::optional<CardChoice> choose(const ClusterState& state, const Slot& slot,
                                           const Shape& shape) const;

  // What the choice costs on any node of this state. For one state and shape it may change only
  // with the fit, so that it is computed once.
  virtual std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                          const CardChoice& choice) const = 0;

  // A score that prefers one of several nodes of equal state adds what it costs on each of them.
  virtual bool tells_nodes_apart() const { return false; }
  virtual std::int64_t of_node(const ClusterState& /*state*/, NodeIndex /*node*/,
                               const Shape& /*shape*/) const {
    return 0;
  }

  // The cards of the node that has been chosen; they must be able to serve the shape.
  virtual CardGrants grants_on(const ClusterState& state, NodeIndex node, const Shape& shape) const;
};

// Null when there is no such score.
std::unique_ptr<Score> make_score(std::string_view name);

}  // namespace berth::engine
