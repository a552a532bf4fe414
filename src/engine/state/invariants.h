// What must be true of every state. Used after each event in tests and simulation, sampled in
// production. Recomputes everything from the leases: O(fleet + leases).
#pragma once

#include <string>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::engine {

// Empty when all hold; else one sentence per broken invariant, with names and numbers.
std::vector<std::string> broken_invariants(const ClusterState& state);

// Pending jobs that have no reason although a cycle has considered every job submitted before that
// time: to be asked after the cycle's plan is committed. Empty when all have one.
std::vector<std::string> unexplained_jobs(const ClusterState& state, TimeMs submitted_before);

}  // namespace berth::engine
