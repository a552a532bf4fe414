// What a queue may be promised, held against the queues around it.
#pragma once

#include "base/error.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// Every quota names a model and a partition that exist, each pair once. What the queues below one
// are guaranteed together, at any depth, is never above what it declares itself: a guarantee of one
// model counts under the quota of that model or, where there is none, under that of all models.
// What a queue does not declare follows from its children.
Status check_quotas(const ClusterState& state, const QueueSpec& queue);

}  // namespace berth::engine
