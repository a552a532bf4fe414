// Where a policy may be tried.
#pragma once

#include <string>

#include "base/error.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// The partition that a pool's name means; none: nodes that are in no partition.
Result<PartitionIndex> pool_of(const ClusterState& state, const std::string& name);
// Its name; kDefaultPool for those in none.
std::string pool_name(const ClusterState& state, PartitionIndex partition);

// Refused: a policy that cannot hold in a part of the fleet only.
Status check_trial(const ClusterState& state, const PolicySpec& policy);

}  // namespace berth::engine
