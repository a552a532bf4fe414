// Decisions about leases that end: reports of executors, cancellation, a start that failed. The
// devices of a lease are free only when its release is committed.
#pragma once

#include <string>

#include "engine/state/cluster_state.h"
#include "model/command.h"
#include "model/event.h"

namespace berth::engine {

Result<EventBatch> decide_report(const ClusterState& state, const ReportPrepared& report,
                                 TimeMs now);
Result<EventBatch> decide_report(const ClusterState& state, const ReportPrepareFailed& report,
                                 TimeMs now);
Result<EventBatch> decide_report(const ClusterState& state, const ReportEnded& report, TimeMs now);
Result<EventBatch> decide_report(const ClusterState& state, const ReportReleased& report,
                                 TimeMs now);
Result<EventBatch> decide_report(const ClusterState& state, const ReportSuspended& report,
                                 TimeMs now);
Result<EventBatch> decide_report(const ClusterState& state, const ReportCheckpoint& report,
                                 TimeMs now);
Result<EventBatch> decide_report(const ClusterState& state, const ReportActivity& report,
                                 TimeMs now);
// What the passing of time ends: starts that took too long.
EventBatch decide_tick(const ClusterState& state, TimeMs now);
// The tasks of the role from number `count` on are given back; the job goes on.
EventBatch decide_shrink(const ClusterState& state, const JobRecord& job, std::uint16_t role,
                         std::uint32_t count, TimeMs now);
Result<EventBatch> decide_cancel(const ClusterState& state, const JobRecord& job, TimeMs now);

// Since when a hole in a running job is repaired that must be closed by `until`.
TimeMs repaired_since(const ClusterState& state, const JobRecord& job, TimeMs until);

// Asks for the lease by the grade that its job declares, within its grace.
LeaseRevoking revocation(const ClusterState& state, const JobRecord& job, LeaseId lease,
                         EndReason reason, TimeMs now);
// The start of the job has failed, and with it that of all jobs of its group: back to the queue
// when every member has given its devices back. `except`: the lease whose end is told already.
void fail_start(const ClusterState& state, const JobRecord& job, const std::string& said,
                LeaseId except, TimeMs now, EventBatch& events);
// The provider takes the node away at the deadline: whoever runs there saves his work and leaves
// before, and keeps his place in the queue. Of an elastic job only the tasks that are there go,
// while it keeps its minimum; any other goes as a whole, and who has not started does not start.
void decide_notice(const ClusterState& state, NodeIndex node, TimeMs deadline, TimeMs now,
                   EventBatch& events);
// Whoever has not given its devices back by the deadline is killed, and its queue is charged for it
// no more; whoever survives that is stuck: its devices stay out of use until its executor says that
// it is gone.
void end_grace(const ClusterState& state, const JobRecord& job, TimeMs now, EventBatch& events);
// Every lease of the job is taken back, by the gentlest way that the job declares.
void revoke_all(const ClusterState& state, const JobRecord& job, EndReason reason, TimeMs now,
                EventBatch& events);

// The job does not want the room any more that a reclaim has promised it, if one has.
void withdraw_receipt(const JobRecord& job, TimeMs now, EventBatch& events);

}  // namespace berth::engine
