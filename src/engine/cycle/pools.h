// Pools: the parts of the fleet that are planned independently of each other. A job runs in one
// partition, and guarantees, limits and shares are of one, so that what is decided in a partition
// matters to no other, and whose turn it is in one does not depend on what waits in another.
// Partitions that something ties together are one pool.
#pragma once

#include <vector>

#include "engine/state/cluster_state.h"
#include "model/plan.h"

namespace berth::engine {

struct Pool {
  bool is_all = false;  // every partition, and what has none
  std::vector<PartitionIndex> partitions;

  bool holds(PartitionIndex partition) const;
  bool holds(const ClusterState& state, const JobRecord& job) const {
    return is_all || holds(state.spec_of(job).home.partition);
  }
  bool holds(const ClusterState& state, const Ask& ask) const {
    return is_all || holds(state.shapes().at(ask.roles.front().shape).partition);
  }
};

// All pools, in the order of their first partitions. They depend on the state alone.
std::vector<Pool> pools_of(const ClusterState& state);

// The plans of all pools as one, in that order.
Plan merge(std::vector<Plan> plans);

}  // namespace berth::engine
