#include "engine/decide_trials.h"

#include <vector>

#include "engine/decide_checks.h"
#include "model/command.h"

namespace berth::engine {

Result<PartitionIndex> pool_of(const ClusterState& state, const std::string& name) {
  const PartitionIndex partition = state.find_partition(name);
  if (!partition.is_none() || name == kDefaultPool) return partition;
  std::vector<std::string> accepted = {kDefaultPool};
  for (std::size_t p = 0; p < state.partition_count(); ++p) {
    accepted.push_back(state.partition(PartitionIndex(static_cast<std::uint32_t>(p))).name);
  }
  return unknown_name("pool", name, accepted, "pool");
}

std::string pool_name(const ClusterState& state, PartitionIndex partition) {
  return partition.is_none() ? kDefaultPool : state.partition(partition).name;
}

Status check_trial(const ClusterState& state, const PolicySpec& policy) {
  if (policy.migration_ppm == 0 && state.policies().everywhere()->migration_ppm == 0) return {};
  return invalid(
      "is set, in this policy or in the one that holds everywhere; moves for packing are counted "
      "for the whole fleet, so such a policy can't be tried in one pool",
      "migration");
}

}  // namespace berth::engine
