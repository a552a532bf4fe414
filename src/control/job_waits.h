// Which waits of jobs an event ends, and how long they were. A job waits in its queue, and a
// running job that has lost a task waits for another: these are never added up.
#pragma once

#include <optional>

#include "control/ports.h"
#include "engine/state/cluster_state.h"

namespace berth::control {

// `before`: the state that the event has not changed yet. None: it ends no wait.
std::optional<JobWait> wait_that_ends(const Event& event, const engine::ClusterState& before);

}  // namespace berth::control
