// Leases that are asked back: how, and by when.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/decide_lease.h"
#include "engine/reclaim/loss.h"

namespace berth::engine {
namespace {

ReclaimGrade grade_of(const CheckpointSpec& checkpoint) {
  return checkpoint.method == CheckpointMethod::kNone ? ReclaimGrade::kKill
                                                      : ReclaimGrade::kCheckpointEvict;
}

// Whether each elastic role keeps its minimum without its tasks on the node, and no other has any.
bool goes_on_without(const ClusterState& state, const JobRecord& job, NodeIndex node) {
  const std::vector<Role>& roles = state.spec_of(job).spec->roles;
  std::vector<std::size_t> there(roles.size(), 0);
  std::vector<std::size_t> left(roles.size(), 0);
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.state == LeaseState::kRevoking) continue;
    ++(lease.placement.node == node ? there : left)[lease.placement.role];
  }
  for (std::size_t r = 0; r < roles.size(); ++r) {
    if (there[r] == 0) continue;
    if (!roles[r].elastic || left[r] + job.ended_in(r) < roles[r].min_tasks()) return false;
  }
  return true;
}

// The whole job, or of an elastic one what is there.
void leave_node(const ClusterState& state, const JobRecord& job, NodeIndex node, TimeMs deadline,
                TimeMs now, EventBatch& events) {
  const bool part = goes_on_without(state, job, node);
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.state == LeaseState::kRevoking || (part && lease.placement.node != node)) continue;
    const EndReason reason = part ? EndReason::kShrunk : EndReason::kLost;
    LeaseRevoking asked = revocation(state, job, id, reason, now);
    asked.deadline = std::min(asked.deadline, deadline);
    events.push_back({now, asked});
  }
}

}  // namespace

LeaseRevoking revocation(const ClusterState& state, const JobRecord& job, LeaseId lease,
                         EndReason reason, TimeMs now) {
  const CheckpointSpec& checkpoint = state.spec_of(job).spec->checkpoint;
  const TimeMs deadline = saturating_add(now, std::max(kLeastGraceMs, checkpoint.grace_ms));
  const bool stopped = state.find_lease(lease)->off_cards;  // it runs nothing that could save
  return {lease, stopped ? ReclaimGrade::kKill : grade_of(checkpoint), deadline, reason, {}};
}

void decide_notice(const ClusterState& state, NodeIndex node, TimeMs deadline, TimeMs now,
                   EventBatch& events) {
  std::set<JobId> jobs;
  std::set<JobId> gone;  // with a job of their group that does not start
  for (const LeaseId id : state.node(node).leases) jobs.insert(state.find_lease(id)->job);
  for (const JobId id : jobs) {
    const JobRecord& job = *state.find_job(id);
    if (job.phase == JobPhase::kReleasing || gone.contains(id)) continue;
    if (job.phase == JobPhase::kPreparing) {
      const std::string said = "node " + state.node(node).spec->name + " is being taken away";
      fail_start(state, job, said, LeaseId::none(), now, events);
      if (state.spec_of(job).spec->group.empty()) continue;
      const std::set<JobId>& group = state.group_of(job);
      gone.insert(group.begin(), group.end());
      continue;
    }
    leave_node(state, job, node, deadline, now, events);
  }
}

void end_grace(const ClusterState& state, const JobRecord& job, TimeMs now, EventBatch& events) {
  const bool goes_on = job.phase == JobPhase::kRunning || job.phase == JobPhase::kRepairing;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.state != LeaseState::kRevoking || now < lease.deadline) continue;
    if (lease.lateness == Lateness::kOverdue) {
      events.push_back({now, LeaseOverdue{id, Lateness::kStuck, kNever}});
      continue;
    }
    const TimeMs until = saturating_add(now, kKillMs);
    if (lease.grade != ReclaimGrade::kKill) {
      const EndReason reason = goes_on ? EndReason::kShrunk : job.ending;
      events.push_back({now, LeaseRevoking{id, ReclaimGrade::kKill, until, reason, lease.receipt}});
    }
    events.push_back({now, LeaseOverdue{id, Lateness::kOverdue, until}});
  }
}

void withdraw_receipt(const JobRecord& job, TimeMs now, EventBatch& events) {
  if (job.receipt.is_none()) return;
  events.push_back({now, ReceiptEnded{job.receipt, ReceiptOutcome::kWithdrawn}});
}

}  // namespace berth::engine
