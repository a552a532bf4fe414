// Changes of MIG layouts, step by step: each is an event before a node is asked for it.
//
//   planned -> draining -> switching -> verified
//                  |           |  restoring -> rolled back
//                  +-----------+------------->
//
// A card that changes offers only what no step touches. It has the wanted layout when the node has
// read it back, and the one before until then.
#pragma once

#include "engine/state/cluster_state.h"
#include "model/command.h"
#include "model/event.h"

namespace berth::engine {

Result<EventBatch> decide_layout(const ClusterState& state, const ChangeLayout& wish, TimeMs now);
Result<EventBatch> decide_layout(const ClusterState& state, const CancelLayoutChange& wish,
                                 TimeMs now);
// An answer to another ask than the last one is stale and changes nothing.
Result<EventBatch> decide_layout(const ClusterState& state, const ReportLayout& report, TimeMs now);

// Whether the change may begin: its card is there, well and at rest, and has the layout that the
// change starts from.
Status may_change_layout(const ClusterState& state, const Regeometry& change);
// The first steps of a change that may begin.
void begin_layout_change(const ClusterState& state, const Regeometry& change, TimeMs now,
                         EventBatch& events);

// Adds what the events mean for changes under way: instances have come free, a node or card is lost
// or back, time is over.
void follow_layout_changes(const ClusterState& state, TimeMs now, EventBatch& events);

// Whether the lease is in an instance that its card is about to lose.
bool is_to_go(const ClusterState& state, const Lease& lease);

}  // namespace berth::engine
