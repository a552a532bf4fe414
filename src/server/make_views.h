// From a reading of the state to the objects that the API answers with.
#pragma once

#include <string>
#include <vector>

#include "server/job_history.h"
#include "server/replica.h"
#include "server/views.h"

namespace berth::server {

class Visibility;

enum class Detail : std::uint8_t { kSummary, kFull };

JobView view_of(const Reading& reading, const engine::JobRecord& job, const Visibility& sight,
                Detail detail);
JobView view_of(const EndedJob& job, Detail detail);
LeaseView view_of(const engine::ClusterState& state, const Lease& lease);
NodeView view_of(const engine::ClusterState& state, const engine::NodeRecord& node);
// All queues, each after its parent, siblings by name. O(queues x flavours + jobs)
std::vector<QueueView> queue_views(const Reading& reading);
// Of every queue that ever held something, by queue, then model.
std::vector<UsageView> usage_views(const Reading& reading);
ClusterView cluster_view(const Reading& reading);

// Whether the queue is `under` or lies below it; everything is under "".
bool is_under(const engine::ClusterState& state, QueueIndex queue, std::string_view under);

}  // namespace berth::server
