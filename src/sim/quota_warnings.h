// What an operator should know of quotas though nothing may be refused for it: a budget is spent.
#pragma once

#include <string>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::sim {

// "queue lab: budget of the month spent, 12.5 of 10 (nothing is stopped)"; by name of the queue.
std::vector<std::string> quota_warnings(const engine::ClusterState& state, TimeMs now);

}  // namespace berth::sim
