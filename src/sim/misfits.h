// Misfits: jobs that wait though this fleet could not hold them even when nothing else ran and no
// quota refused them. Most often a mistake in the fleet or in the workload.
#pragma once

#include <string>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::sim {

// At most one line, with the number of them and the oldest one's reason. Of the things that jobs
// ask for, only the fifty that have waited longest are tried: then the number is told as the least.
std::vector<std::string> misfit_warnings(const engine::ClusterState& state, TimeMs now);

}  // namespace berth::sim
