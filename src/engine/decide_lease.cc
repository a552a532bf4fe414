#include "engine/decide_lease.h"

#include <algorithm>

namespace berth::engine {
namespace {

// Longest time a revoked task has to end before its executor kills it, unless the job declares
// more for its checkpoint.
constexpr DurationMs kLeastGraceMs = 30 * kSecondMs;

// What an executor says is kept up to this length.
constexpr std::size_t kReasonBytes = 256;
constexpr std::size_t kCheckpointIdBytes = 256;

// The lease of a report. A report about another epoch, or about a lease that is gone, is stale: an
// executor may repeat itself, so it is an error of kind kConflict and changes nothing.
Result<const Lease*> find_lease(const ClusterState& state, LeaseId id, std::uint64_t epoch) {
  const Lease* lease = state.find_lease(id);
  if (lease == nullptr) {
    return fail(ErrorCode::kConflict, "lease " + std::to_string(id.value()) + " has ended",
                "lease");
  }
  if (lease->epoch != epoch) {
    return fail(
        ErrorCode::kConflict,
        "is " + std::to_string(epoch) + "; the lease's epoch is " + std::to_string(lease->epoch),
        "epoch");
  }
  return lease;
}

void revoke_others(const ClusterState& state, const JobRecord& job, LeaseId except,
                   EndReason reason, TimeMs now, EventBatch& events) {
  const CheckpointSpec& checkpoint = state.spec_of(job).spec->checkpoint;
  const ReclaimGrade grade = checkpoint.method == CheckpointMethod::kNone
                                 ? ReclaimGrade::kKill
                                 : ReclaimGrade::kCheckpointEvict;
  const TimeMs deadline = saturating_add(now, std::max(kLeastGraceMs, checkpoint.grace_ms));
  for (const LeaseId id : job.leases) {
    if (id == except || state.find_lease(id)->state == LeaseState::kRevoking) continue;
    events.push_back({now, LeaseRevoking{id, grade, deadline, reason}});
  }
}

// What follows when the last lease of a job is released.
void close_job(const ClusterState& state, const JobRecord& job, EndReason reason, TimeMs now,
               EventBatch& events) {
  if (reason == EndReason::kPrepareFailed || reason == EndReason::kReclaimed) {
    events.push_back({now, JobRequeued{job.id, reason}});
    const PolicySpec& policy = state.policy();
    const std::uint32_t doublings = std::min<std::uint32_t>(job.attempts, 20);
    const DurationMs wait = std::min(policy.backoff_most_ms, policy.backoff_first_ms << doublings);
    events.push_back({now, JobBackedOff{job.id, saturating_add(now, wait)}});
    return;
  }
  events.push_back({now, JobEnded{job.id, reason}});
}

// The members of a start were granted in one decision.
bool start_is_overdue(const ClusterState& state, const JobRecord& job, TimeMs now) {
  if (job.phase != JobPhase::kPreparing) return false;
  const DurationMs timeout = start_timeout_ms(state.policy(), *state.spec_of(job).spec);
  const TimeMs granted_at = state.find_lease(job.leases.front())->granted_at;
  return timeout > 0 && now >= saturating_add(granted_at, timeout);
}

// As after a failed preparation: back to the queue when every member has given its devices back.
void give_up_start(const ClusterState& state, const JobRecord& job, TimeMs now,
                   EventBatch& events) {
  const std::string said = std::to_string(job.prepared) + " of " +
                           std::to_string(job.leases.size()) + " tasks were prepared in time";
  const Rejection why{Rule::kBackoff, said, {}};
  events.push_back({now, JobHeld{job.id, std::make_shared<const Rejections>(1, why)}});
  revoke_others(state, job, LeaseId::none(), EndReason::kPrepareFailed, now, events);
}

}  // namespace

Result<EventBatch> decide_report(const ClusterState& state, const ReportPrepared& report,
                                 TimeMs now) {
  const auto lease = find_lease(state, report.lease, report.epoch);
  if (!lease) return tl::unexpected(lease.error());
  EventBatch events;
  if ((*lease)->state != LeaseState::kGranted) return events;  // repeated, or revoked meanwhile
  events.push_back({now, LeasePrepared{report.lease}});
  const JobRecord& job = *state.find_job((*lease)->job);
  if (job.phase == JobPhase::kPreparing && job.prepared + 1 == job.leases.size()) {
    events.push_back({now, JobStarted{job.id}});
  }
  return events;
}

Result<EventBatch> decide_report(const ClusterState& state, const ReportPrepareFailed& report,
                                 TimeMs now) {
  const auto lease = find_lease(state, report.lease, report.epoch);
  if (!lease) return tl::unexpected(lease.error());
  const JobRecord& job = *state.find_job((*lease)->job);
  EventBatch events;
  const bool ending = job.phase == JobPhase::kReleasing;
  const EndReason reason = ending ? job.ending : EndReason::kPrepareFailed;
  if (!ending) {
    const Rejection why{Rule::kBackoff, report.reason.substr(0, kReasonBytes), {}};
    events.push_back({now, JobHeld{job.id, std::make_shared<const Rejections>(1, why)}});
    revoke_others(state, job, report.lease, reason, now, events);
  }
  events.push_back({now, LeaseReleased{report.lease, EndReason::kPrepareFailed}});
  if (job.leases.size() == 1) close_job(state, job, reason, now, events);
  return events;
}

Result<EventBatch> decide_report(const ClusterState& state, const ReportEnded& report, TimeMs now) {
  const auto lease = find_lease(state, report.lease, report.epoch);
  if (!lease) return tl::unexpected(lease.error());
  const JobRecord& job = *state.find_job((*lease)->job);
  // The barrier counts the members that are left: a gang does not lose one before it starts.
  if (job.phase == JobPhase::kPreparing && job.leases.size() > 1) {
    return fail(ErrorCode::kConflict, "the gang has not started, so no task of it can have ended",
                "lease");
  }
  EventBatch events;
  const bool ending = job.phase == JobPhase::kReleasing;
  const EndReason reason = ending ? job.ending : report.reason;
  if (!ending && report.reason != EndReason::kSucceeded) {
    revoke_others(state, job, report.lease, report.reason, now, events);
  }
  events.push_back({now, LeaseReleased{report.lease, report.reason}});
  if (job.leases.size() == 1) close_job(state, job, reason, now, events);
  return events;
}

Result<EventBatch> decide_report(const ClusterState& state, const ReportReleased& report,
                                 TimeMs now) {
  const auto lease = find_lease(state, report.lease, report.epoch);
  if (!lease) return tl::unexpected(lease.error());
  if ((*lease)->state != LeaseState::kRevoking) {
    return fail(ErrorCode::kConflict, "the lease is not being revoked", "lease");
  }
  const JobRecord& job = *state.find_job((*lease)->job);
  EventBatch events;
  events.push_back({now, LeaseReleased{report.lease, job.ending}});
  if (job.leases.size() == 1) close_job(state, job, job.ending, now, events);
  return events;
}

Result<EventBatch> decide_report(const ClusterState& state, const ReportCheckpoint& report,
                                 TimeMs now) {
  const auto lease = find_lease(state, report.lease, report.epoch);
  if (!lease) return tl::unexpected(lease.error());
  if (report.checkpoint.empty() || report.checkpoint.size() > kCheckpointIdBytes) {
    return fail(ErrorCode::kInvalid,
                "has " + std::to_string(report.checkpoint.size()) + " bytes; 1 to " +
                    std::to_string(kCheckpointIdBytes) + " are accepted",
                "checkpoint");
  }
  return EventBatch{{now, CheckpointObserved{report.lease, report.checkpoint}}};
}

Result<EventBatch> decide_report(const ClusterState& state, const ReportActivity& report,
                                 TimeMs now) {
  const auto lease = find_lease(state, report.lease, report.epoch);
  if (!lease) return tl::unexpected(lease.error());
  if (report.busy_ppm < 0 || report.busy_ppm > kPpmOne) {
    return fail(ErrorCode::kInvalid,
                "is " + std::to_string(report.busy_ppm) + "; 0 to " + std::to_string(kPpmOne) +
                    " is accepted",
                "busy_ppm");
  }
  return EventBatch{{now, ActivityObserved{report.lease, report.busy_ppm}}};
}

EventBatch decide_tick(const ClusterState& state, TimeMs now) {
  EventBatch events;
  events.push_back({now, TimePassed{}});
  for (const JobId id : state.jobs().sorted_ids()) {
    const JobRecord& job = state.jobs().at(id);
    if (start_is_overdue(state, job, now)) give_up_start(state, job, now, events);
  }
  return events;
}

Result<EventBatch> decide_cancel(const ClusterState& state, const JobRecord& job, TimeMs now) {
  EventBatch events;
  if (job.leases.empty()) {
    events.push_back({now, JobEnded{job.id, EndReason::kCancelled}});
  } else {
    revoke_others(state, job, LeaseId::none(), EndReason::kCancelled, now, events);
  }
  return events;
}

}  // namespace berth::engine
