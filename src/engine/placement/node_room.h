// NodeRoom: a copy of what is free on one node, to ask what would be if leases ended there. It
// counts; which cards a task gets, the placement says.
#pragma once

#include <cstdint>

#include "engine/state/cluster_state.h"

namespace berth::engine {

inline constexpr std::uint32_t kMostTasksPerNode = 1000;

class NodeRoom {
 public:
  // As it is now.
  NodeRoom(const ClusterState& state, NodeIndex node);
  // As if nothing ran there: its healthy cards.
  static NodeRoom empty(const ClusterState& state, NodeIndex node);

  // A lease on it ends. Of a suspended task its host memory stays taken, and its image is.
  void give(const Shape& shape, const CardGrants& grants);
  // The opposite of give; it must fit.
  void take(const Shape& shape, const CardGrants& grants);
  Mib memory_free() const { return memory_free_; }
  void take_host(Mib mib) { memory_free_ -= mib; }

  // Tasks of the shape that fit at the same time; at most kMostTasksPerNode. 0 where the node takes
  // no work, or not this.
  std::uint32_t tasks(const Shape& shape) const;

 private:
  NodeRoom() = default;

  void give_host(const TaskRequest& request, int sign);

  const ClusterState* state_ = nullptr;
  const NodeRecord* node_ = nullptr;
  CpuMilli cpu_free_ = 0;
  Mib memory_free_ = 0;
  boost::container::small_vector<std::int64_t, 2> resources_free_;
  CardList cards_;
  bool takes_work_ = true;
};

// Of a node as it is now.
std::uint32_t tasks_on(const ClusterState& state, NodeIndex node, const Shape& shape);
// The same if nothing ran there: on its healthy cards, whatever its condition.
std::uint32_t most_tasks_on(const ClusterState& state, NodeIndex node, const Shape& shape);

}  // namespace berth::engine
