// DomainRoom: how many tasks of one shape fit on each node and in each domain now. Kept up from the
// log of changed nodes, so that asking costs what has changed. The counts prune: a domain whose
// count does not reach cannot host; which nodes and cards, the exact search says.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::engine {

class DomainRoom {
 public:
  explicit DomainRoom(ShapeIndex shape) : shape_(shape) {}

  void catch_up(const ClusterState& state);

  std::uint32_t on_node(NodeIndex node) const { return on_node_[node.value()]; }
  // If nothing ran there.
  std::uint32_t most_on(const ClusterState& state, NodeIndex node);
  std::uint64_t in_domain(DomainIndex domain) const { return in_domain_[domain.value()]; }
  std::uint64_t in_fleet() const { return in_fleet_; }
  // Nodes in no domain.
  std::span<const NodeIndex> loose_nodes() const { return loose_; }

 private:
  void start_over(const ClusterState& state);
  void note(const ClusterState& state, NodeIndex node);

  ShapeIndex shape_;
  std::uint64_t position_ = 0;  // in the log of nodes
  std::uint64_t version_ = 0;   // of the tree, plus one; 0: nothing is known
  static constexpr std::uint32_t kNotCounted = 0xFFFF'FFFF;
  std::vector<std::uint32_t> on_node_;
  std::vector<std::uint32_t> most_on_;
  std::vector<std::uint64_t> in_domain_;
  std::vector<NodeIndex> loose_;  // in no domain
  std::uint64_t in_fleet_ = 0;
};

// The rooms of the shapes that gangs have asked for; those not used for longest are forgotten.
class RoomTable {
 public:
  DomainRoom& of(const ClusterState& state, ShapeIndex shape);

 private:
  struct Entry {
    ShapeIndex shape;
    std::uint64_t used_at = 0;
    std::unique_ptr<DomainRoom> room;
  };
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace berth::engine
