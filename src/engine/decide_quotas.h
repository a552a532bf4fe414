// What a queue may be promised, held against the queues around it.
#pragma once

#include "base/error.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// Every quota names a model and a partition that exist, each pair once; what the children of a
// queue are guaranteed together is never above what the queue itself declares for the same pair.
// What it does not declare follows from its children.
Status check_quotas(const ClusterState& state, const QueueSpec& queue);

}  // namespace berth::engine
