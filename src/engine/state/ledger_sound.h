// What a saved ledger may say: each entry is about jobs, leases, nodes and cards that there are.
#pragma once

#include "engine/state/cluster_state.h"

namespace berth::engine {

// Whether all entries of the ledger, and what jobs say of it, hold in the state. Changes of layouts
// apart, which check themselves.
bool is_ledger_sound(const ClusterState& state);

}  // namespace berth::engine
