// Fragmentation of a fleet at one instant: capacity that is free but cannot serve a draw of the
// demand mix, by cause, as the report tells it.
#pragma once

#include <array>

#include "engine/state/cluster_state.h"
#include "sim/run_result.h"

namespace berth::sim {

// Cards, by Cause: the expectation over a draw of the mix seen so far (its most frequent shapes
// that ask for devices), by the engine's own gauge. Capacity of a model that a shape does not
// accept does not count for it.
std::array<double, kCauseCount> unschedulable_cards(const engine::ClusterState& state);

// Free cards on nodes whose room is kept for a job.
double kept_cards(const engine::ClusterState& state);

// Compute that one device of the request asks for, as part of a card; of a MIG instance the part
// of the first model that offers the profile.
double request_share(const engine::ClusterState& state, const DeviceRequest& request);

}  // namespace berth::sim
