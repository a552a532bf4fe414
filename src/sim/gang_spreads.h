// Over how many domains gangs start, beside the fewest that the fleet allows.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/state/cluster_state.h"
#include "sim/run_result.h"

namespace berth::sim {

// A gang is a job that starts on more than one node.
class GangSpreads {
 public:
  // Reads the fleet, which must be complete.
  explicit GangSpreads(const engine::ClusterState& state);

  // The job as it was granted.
  void started(const engine::ClusterState& state, const engine::JobRecord& job);
  // By number of nodes, fewest first, without empty groups; nothing for a fleet without domains.
  std::vector<GangSpread> result() const;

 private:
  std::vector<std::size_t> sizes_;  // nodes of each lowest domain, largest first
  std::vector<GangSpread> groups_;  // sums instead of means
};

}  // namespace berth::sim
