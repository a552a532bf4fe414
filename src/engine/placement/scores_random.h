// One fitting node uniformly, then one of its cards with room uniformly: the floor that every
// packing rule must clear. The draw is a hash of the state (how many jobs have come, which shape,
// what the node looks like), so that the same state gives the same place.
#pragma once

#include <cstdint>

#include "engine/placement/score.h"

namespace berth::engine {

class UniformChoice final : public Score {
 public:
  std::int64_t of(const ClusterState& /*state*/, const Slot& /*slot*/, const Shape& /*shape*/,
                  const CardChoice& /*choice*/) const override {
    return 0;
  }
  bool tells_nodes_apart() const override { return true; }
  std::int64_t of_node(const ClusterState& state, NodeIndex node,
                       const Shape& shape) const override;
  CardGrants grants_on(const ClusterState& state, NodeIndex node,
                       const Shape& shape) const override;
};

}  // namespace berth::engine
