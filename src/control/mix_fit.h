// From a demand mix to a Fit: the card duals of src/learn for one state's models. The mix is given
// by the operator or is what the state has sighted.
#pragma once

#include <vector>

#include "engine/state/cluster_state.h"
#include "model/policy.h"

namespace berth::control {

// Every shape that the state has sighted, weighted by its (decayed) sightings.
std::vector<MixEntry> sighted_mix(const engine::ClusterState& state);

// The worth of holes and of CPU beside them; the tables of MIG grids are left empty.
Fit fit_mix(const engine::ClusterState& state, std::vector<MixEntry> mix);

}  // namespace berth::control
