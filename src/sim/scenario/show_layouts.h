// The layouts of the cards of the static MIG regime, and where changes of them stand.
#pragma once

#include "sim/scenario/show.h"

namespace berth::sim {

Lines show_layouts(const engine::ClusterState& state, TimeMs now);

}  // namespace berth::sim
