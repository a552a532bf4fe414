// ScanMethod: asks the named scores of the policy about every node state. Plain and complete; the
// reference that the indexed method must agree with, and the home of the baselines.
// What a score says about a slot is remembered until the slot stands for another state.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/placement/alive_slots.h"
#include "engine/placement/placer.h"
#include "engine/placement/score.h"
#include "engine/state/shape_table.h"

namespace berth::engine {

class ScanMethod final : public PlacementMethod {
 public:
  // The policy must name at least one score, and only known ones.
  explicit ScanMethod(const PolicySpec& policy);
  std::optional<Candidate> find(const ClusterState& state, ShapeIndex shape) override {
    return find_in(state, shape, {});
  }
  std::optional<Candidate> find_in(const ClusterState& state, ShapeIndex shape,
                                   const SearchScope& scope) override;
  Prices quote(const ClusterState& state) override;

 private:
  struct Weighted {
    std::unique_ptr<Score> score;
    std::int64_t weight = 1;
  };
  struct Remembered {
    std::int64_t cost = 0;         // kNoRoom: the state cannot serve the shape
    std::uint32_t generation = 0;  // of the slot when asked; 0: never asked
  };
  using Row = std::vector<Remembered>;  // by slot
  struct Best;

  void catch_up(const ClusterState& state);
  std::int64_t known_cost(const ClusterState& state, SlotIndex slot, const Shape& shape, Row& row);
  void visit_slot(const ClusterState& state, SlotIndex slot, const Shape& shape, std::int64_t cost,
                  Best& best) const;
  Row& row_of(const ClusterState& state, const Shape& shape);
  std::int64_t cost_of_state(const ClusterState& state, const Slot& slot, const Shape& shape) const;
  std::int64_t cost_of_node(const ClusterState& state, NodeIndex node, const Shape& shape) const;
  void offer(const ClusterState& state, NodeIndex node, std::int64_t cost, Best& best) const;

  std::vector<Weighted> scores_;
  bool tells_nodes_apart_ = false;

  std::uint64_t fit_revision_ = 0;
  AliveSlots alive_;
  ShapeTable keys_;        // shapes without what is asked of single nodes
  std::vector<Row> rows_;  // by key
};

}  // namespace berth::engine
