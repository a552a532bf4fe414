// What an operator should know of quotas though nothing is refused for it: more is guaranteed than
// there is, or a budget is spent.
#pragma once

#include <string>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::sim {

// "H100-SXM5-80GB: 16 promised, 12 exist"; sorted.
std::vector<std::string> promise_warnings(const engine::ClusterState& state);

// "queue lab: budget of the month spent, 12.5 of 10 (nothing is stopped)"; by name of the queue.
std::vector<std::string> budget_warnings(const engine::ClusterState& state, TimeMs now);

// Both.
std::vector<std::string> quota_warnings(const engine::ClusterState& state, TimeMs now);

}  // namespace berth::sim
