// decide: answers a command with the events that it means in this state, or with an error and no
// effect. Reads only; what it returns is committed to the journal before anyone acts on it.
#pragma once

#include "engine/state/cluster_state.h"
#include "model/command.h"
#include "model/event.h"

namespace berth::engine {

Result<EventBatch> decide(const ClusterState& state, const Command& command, TimeMs now);

}  // namespace berth::engine
