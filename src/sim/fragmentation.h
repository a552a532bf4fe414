// Fragmentation of a fleet at one instant: capacity that is free but cannot serve a draw of the
// demand mix, by cause. For reports; placement has its own integer measure.
#pragma once

#include <array>

#include "engine/state/cluster_state.h"
#include "sim/run_result.h"

namespace berth::sim {

// Cards, by Cause: the expectation over the mix seen so far (CPU-only shapes left out). Of a card,
// each shape loses either nothing or the whole free share, under the first cause that applies:
// health, the node's CPU or memory, the card's sharing mode, MIG placement, too small a hole,
// too few such cards together. Shapes that do not accept the card's model do not count for it.
std::array<double, kCauseCount> unschedulable_cards(const engine::ClusterState& state);

// Compute that one device of the request asks for, as part of a card; of a MIG instance the part
// of the first model that offers the profile.
double request_share(const engine::ClusterState& state, const DeviceRequest& request);

}  // namespace berth::sim
