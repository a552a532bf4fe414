#include "engine/decide_lease.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/reclaim/loss.h"

namespace berth::engine {
namespace {

// What an executor says is kept up to this length.
constexpr std::size_t kReasonBytes = 256;
constexpr std::size_t kCheckpointIdBytes = 256;
constexpr const char* kLostText = "the task was lost before all had started";

// The lease of a report. A report about another epoch, or about a lease that is gone, is stale: an
// executor may repeat itself, so it is an error of kind kConflict and changes nothing.
Result<const Lease*> find_lease(const ClusterState& state, LeaseId id, std::uint64_t epoch) {
  const Lease* lease = state.find_lease(id);
  if (lease == nullptr) {
    return fail(ErrorCode::kConflict, "lease " + std::to_string(id.value()) + " has ended",
                "lease");
  }
  if (lease->state == LeaseState::kPromised) {
    return fail(ErrorCode::kConflict,
                "lease " + std::to_string(id.value()) + " is a promise; nobody carries it out yet",
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
  for (const LeaseId id : job.leases) {
    if (id == except) continue;
    const Lease& lease = *state.find_lease(id);
    if (lease.state != LeaseState::kRevoking) {
      events.push_back({now, revocation(state, job, id, reason, now)});
    } else if (job.phase != JobPhase::kReleasing) {
      // it was to go while the others stayed: now it goes with them
      events.push_back({now, LeaseRevoking{id, lease.grade, lease.deadline, reason, {}}});
    }
  }
}

// What follows when the last lease of a job is released.
void close_job(const ClusterState& state, const JobRecord& job, EndReason reason, TimeMs now,
               EventBatch& events) {
  // it keeps its place, and tries again at once: it has not failed
  if (reason == EndReason::kLost || is_taken_back(reason)) {
    events.push_back({now, JobRequeued{job.id, reason}});
    return;
  }
  if (reason == EndReason::kPrepareFailed) {
    events.push_back({now, JobRequeued{job.id, reason}});
    const PolicySpec& policy = state.policy();
    const std::uint32_t doublings = std::min<std::uint32_t>(job.attempts, 20);
    const DurationMs wait = std::min(policy.backoff_most_ms, policy.backoff_first_ms << doublings);
    events.push_back({now, JobBackedOff{job.id, saturating_add(now, wait)}});
    return;
  }
  withdraw_receipt(job, now, events);  // it was to go on elsewhere
  events.push_back({now, JobEnded{job.id, reason}});
}

// The members of a start were granted in one decision.
bool start_is_overdue(const ClusterState& state, const JobRecord& job, TimeMs now) {
  if (job.phase != JobPhase::kPreparing) return false;
  const DurationMs timeout = start_timeout_ms(state.policy(), *state.spec_of(job).spec);
  const TimeMs granted_at = state.find_lease(job.leases.front())->granted_at;
  return timeout > 0 && now >= saturating_add(granted_at, timeout);
}

bool starts_with_group(const ClusterState& state, const JobRecord& job) {
  return !state.spec_of(job).spec->group.empty() && !job.formed;
}

// Starts the job whose last task is prepared: at once, or with all jobs of its group when each of
// them is prepared. `prepared` has one more task than its record says; `leaving` never starts.
void start_prepared(const ClusterState& state, const JobRecord& job, JobId prepared, JobId leaving,
                    TimeMs now, EventBatch& events) {
  std::vector<JobId> starting;
  const auto is_ready = [&](const JobRecord& member) {
    if (member.id == leaving || (member.formed && member.id != job.id)) return true;
    if (member.phase != JobPhase::kPreparing) return member.phase != JobPhase::kPending;
    if (member.prepared + (member.id == prepared ? 1 : 0) < member.leases.size()) return false;
    starting.push_back(member.id);
    return true;
  };
  if (!starts_with_group(state, job)) {
    if (!is_ready(job)) return;
  } else {
    for (const JobId id : state.group_of(job)) {
      if (!is_ready(*state.find_job(id))) return;
    }
  }
  for (const JobId id : starting) events.push_back({now, JobStarted{id}});
}

void give_up_start(const ClusterState& state, const JobRecord& job, TimeMs now,
                   EventBatch& events) {
  const std::string said = std::to_string(job.prepared) + " of " +
                           std::to_string(job.leases.size()) + " tasks were prepared in time";
  fail_start(state, job, said, LeaseId::none(), now, events);
}

bool is_running(const JobRecord& job) {
  return job.phase == JobPhase::kRunning || job.phase == JobPhase::kRepairing;
}

bool has_started(const JobRecord& job) {
  return is_running(job) || job.phase == JobPhase::kSuspended;
}

DurationMs repair_within_ms(const ClusterState& state, const JobRecord& job) {
  const DurationMs own = state.spec_of(job).spec->repair_within_ms;
  return own > 0 ? own : state.policy().repair_within_ms;
}

bool is_repairing(const JobRecord& job, std::uint16_t role) {
  return std::any_of(job.repairs.begin(), job.repairs.end(),
                     [&](const auto& repair) { return repair.first == role; });
}

// A running job has lost a task by no fault of its own. It goes on as long as the role keeps its
// minimum; below that it has a while to find a replacement. What has no other task starts over.
void lose_task(const ClusterState& state, const JobRecord& job, const Lease& lease, TimeMs now,
               EventBatch& events) {
  events.push_back({now, LeaseReleased{lease.id, EndReason::kLost}});
  if (job.leases.size() == 1) return close_job(state, job, EndReason::kLost, now, events);
  const std::uint16_t role = lease.placement.role;
  const RoleTasks tasks = state.role_tasks(job, role);
  const std::size_t gone = lease.state == LeaseState::kRevoking ? 0 : 1;  // else not counted
  const std::size_t left = tasks.held.size() - gone + job.ended_in(role);
  const Role& wanted = state.spec_of(job).spec->roles[role];
  if (left >= wanted.min_tasks() || is_repairing(job, role)) return;
  const TimeMs until = saturating_add(now, repair_within_ms(state, job));
  events.push_back({now, JobRepairing{job.id, role, until}});
}

// A job from which all is taken back may be faster: when its last task ends well, after all others
// have, there is nothing left to do again; and what fails has failed.
bool ends_by_itself(const ClusterState& state, const JobRecord& job, EndReason reported) {
  if (!is_taken_back(job.ending)) return false;
  if (reported == EndReason::kFailed) return true;
  std::uint32_t ended = 1;
  for (const std::uint32_t tasks : job.ended) ended += tasks;
  return reported == EndReason::kSucceeded && ended >= state.spec_of(job).tasks;
}

// The time to replace a lost task is over: what is left of the role is given back, and of the whole
// job unless it can do without the role.
void give_up_repair(const ClusterState& state, const JobRecord& job, std::uint16_t role, TimeMs now,
                    EventBatch& events) {
  if (!state.spec_of(job).spec->roles[role].optional) {
    return revoke_others(state, job, LeaseId::none(), EndReason::kLost, now, events);
  }
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.placement.role != role || lease.state == LeaseState::kRevoking) continue;
    events.push_back({now, revocation(state, job, id, EndReason::kShrunk, now)});
  }
  events.push_back({now, JobRepaired{job.id, role}});
}

void give_up_repairs(const ClusterState& state, const JobRecord& job, TimeMs now,
                     EventBatch& events) {
  for (const auto& [role, until] : job.repairs) {
    if (until > now) continue;
    return give_up_repair(state, job, role, now, events);  // the next role with the next tick
  }
}

// What follows when the node of the lease is given up.
void lose_lease(const ClusterState& state, const JobRecord& job, const Lease& lease, TimeMs now,
                EventBatch& events) {
  if (has_started(job)) return lose_task(state, job, lease, now, events);
  const bool ending = job.phase == JobPhase::kReleasing;
  const EndReason reason = ending ? job.ending : EndReason::kPrepareFailed;
  if (!ending) fail_start(state, job, kLostText, lease.id, now, events);
  events.push_back({now, LeaseReleased{lease.id, EndReason::kLost}});
  if (job.leases.size() == 1) close_job(state, job, reason, now, events);
}

// Jobs that allow it are given up on nodes that have been silent for too long.
void give_up_silent(const ClusterState& state, const JobRecord& job, TimeMs now,
                    EventBatch& events) {
  const DurationMs most = state.spec_of(job).spec->at_most_once_ms;
  if (most == 0) return;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    const NodeRecord& node = state.node(lease.placement.node);
    if (node.condition != NodeCondition::kLost) continue;
    if (now < saturating_add(node.condition_since, most)) continue;
    lose_lease(state, job, lease, now, events);
    return;  // the next one with the next tick, against the state that this one leaves
  }
}

// Growth can wait. A hole is filled again after as long as it has been one.
void back_off_joining(const ClusterState& state, const JobRecord& job, TimeMs now,
                      EventBatch& events) {
  const PolicySpec& policy = state.policy();
  DurationMs wait = policy.backoff_most_ms;
  for (const auto& [role, until] : job.repairs) {
    const TimeMs since = repaired_since(state, job, until);
    wait = std::min(wait, std::max(policy.backoff_first_ms, now - since));
  }
  events.push_back({now, JobBackedOff{job.id, saturating_add(now, wait)}});
}

// A task that was to join a running job and is not prepared in time gives its devices back.
void give_up_joining(const ClusterState& state, const JobRecord& job, TimeMs now,
                     EventBatch& events) {
  if (!is_running(job)) return;
  const DurationMs timeout = start_timeout_ms(state.policy(), *state.spec_of(job).spec);
  bool any = false;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.state != LeaseState::kGranted || timeout == 0) continue;
    if (now < saturating_add(lease.granted_at, timeout)) continue;
    events.push_back({now, revocation(state, job, id, EndReason::kShrunk, now)});
    any = true;
  }
  if (any) back_off_joining(state, job, now, events);
}

// The task joins a job that runs already; the last one that was missing ends the repair.
void join_running(const ClusterState& state, const JobRecord& job, const Lease& lease, TimeMs now,
                  EventBatch& events) {
  events.push_back({now, LeaseStarted{lease.id}});
  const std::uint16_t role = lease.placement.role;
  if (!is_repairing(job, role)) return;
  std::uint32_t started = 1 + job.ended_in(role);
  for (const LeaseId id : job.leases) {
    const Lease& other = *state.find_lease(id);
    if (other.placement.role == role && other.state == LeaseState::kRunning) ++started;
  }
  const Role& wanted = state.spec_of(job).spec->roles[role];
  if (started >= wanted.min_tasks()) events.push_back({now, JobRepaired{job.id, role}});
}

}  // namespace

TimeMs repaired_since(const ClusterState& state, const JobRecord& job, TimeMs until) {
  return until - repair_within_ms(state, job);
}

void fail_start(const ClusterState& state, const JobRecord& job, const std::string& said,
                LeaseId except, TimeMs now, EventBatch& events) {
  const auto why = std::make_shared<const Rejections>(1, Rejection{Rule::kBackoff, said, {}});
  const auto send_back = [&](const JobRecord& member) {
    events.push_back({now, JobHeld{member.id, why}});
    revoke_others(state, member, except, EndReason::kPrepareFailed, now, events);
  };
  if (!starts_with_group(state, job)) return send_back(job);
  for (const JobId id : state.group_of(job)) {
    const JobRecord& member = *state.find_job(id);
    if (member.phase == JobPhase::kPreparing) send_back(member);
  }
}

Result<EventBatch> decide_report(const ClusterState& state, const ReportPrepared& report,
                                 TimeMs now) {
  const auto lease = find_lease(state, report.lease, report.epoch);
  if (!lease) return tl::unexpected(lease.error());
  EventBatch events;
  if ((*lease)->state != LeaseState::kGranted) return events;  // repeated, or revoked meanwhile
  events.push_back({now, LeasePrepared{report.lease}});
  const JobRecord& job = *state.find_job((*lease)->job);
  if (job.phase == JobPhase::kPreparing) {
    start_prepared(state, job, job.id, JobId::none(), now, events);
  }
  if (is_running(job)) join_running(state, job, **lease, now, events);
  return events;
}

Result<EventBatch> decide_report(const ClusterState& state, const ReportPrepareFailed& report,
                                 TimeMs now) {
  const auto lease = find_lease(state, report.lease, report.epoch);
  if (!lease) return tl::unexpected(lease.error());
  const JobRecord& job = *state.find_job((*lease)->job);
  EventBatch events;
  if (is_running(job)) {  // one that was to join it
    events.push_back({now, LeaseReleased{report.lease, EndReason::kPrepareFailed}});
    if (job.leases.size() == 1) {  // the others were lost meanwhile
      close_job(state, job, EndReason::kLost, now, events);
    } else {
      back_off_joining(state, job, now, events);
    }
    return events;
  }
  const bool ending = job.phase == JobPhase::kReleasing;
  const EndReason reason = ending ? job.ending : EndReason::kPrepareFailed;
  if (!ending) {
    fail_start(state, job, report.reason.substr(0, kReasonBytes), report.lease, now, events);
  }
  events.push_back({now, LeaseReleased{report.lease, EndReason::kPrepareFailed}});
  if (job.leases.size() == 1) close_job(state, job, reason, now, events);
  return events;
}

Result<EventBatch> decide_report(const ClusterState& state, const ReportEnded& report, TimeMs now) {
  const auto lease = find_lease(state, report.lease, report.epoch);
  if (!lease) return tl::unexpected(lease.error());
  const JobRecord& job = *state.find_job((*lease)->job);
  EventBatch events;
  const bool lost = report.reason == EndReason::kLost;
  if (lost && has_started(job)) {
    lose_task(state, job, **lease, now, events);
    return events;
  }
  // The barrier counts the members that are left: a gang does not lose one before it starts.
  if (job.phase == JobPhase::kPreparing &&
      (job.leases.size() > 1 || starts_with_group(state, job))) {
    if (lost)
      return decide_report(state, ReportPrepareFailed{report.lease, report.epoch, kLostText}, now);
    return fail(ErrorCode::kConflict, "the gang has not started, so no task of it can have ended",
                "lease");
  }
  const bool ending = job.phase == JobPhase::kReleasing;
  const bool by_itself = !ending || ends_by_itself(state, job, report.reason);
  const EndReason reason = by_itself ? report.reason : job.ending;
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
  if (!report.checkpoint.empty()) {
    auto saved =
        decide_report(state, ReportCheckpoint{report.lease, report.epoch, report.checkpoint}, now);
    if (!saved) return saved;
    events = *saved;
  }
  if (is_running(job)) {  // a surplus task of a job that goes on
    events.push_back({now, LeaseReleased{report.lease, EndReason::kShrunk}});
    if (job.leases.size() == 1) close_job(state, job, EndReason::kLost, now, events);
    return events;
  }
  events.push_back({now, LeaseReleased{report.lease, job.ending}});
  if (job.leases.size() == 1) close_job(state, job, job.ending, now, events);
  return events;
}

Result<EventBatch> decide_report(const ClusterState& state, const ReportSuspended& report,
                                 TimeMs now) {
  const auto lease = find_lease(state, report.lease, report.epoch);
  if (!lease) return tl::unexpected(lease.error());
  const bool asked = (*lease)->state == LeaseState::kRevoking &&
                     (*lease)->grade == ReclaimGrade::kSuspend && !(*lease)->off_cards;
  if (!asked) {
    return fail(ErrorCode::kConflict, "the lease is not being suspended", "lease");
  }
  return EventBatch{{now, LeaseSuspended{report.lease}}};
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
  std::set<JobId> gone;  // with a job of their group that failed to start
  for (const JobId id : state.jobs().sorted_ids()) {
    const JobRecord& job = state.jobs().at(id);
    if (gone.contains(id)) continue;
    const std::size_t before = events.size();
    if (start_is_overdue(state, job, now)) {
      give_up_start(state, job, now, events);
    } else {
      give_up_joining(state, job, now, events);
      give_up_repairs(state, job, now, events);
      give_up_silent(state, job, now, events);
      if (events.size() == before) end_grace(state, job, now, events);
    }
    if (events.size() == before || !starts_with_group(state, job)) continue;
    const std::set<JobId>& group = state.group_of(job);
    gone.insert(group.begin(), group.end());
  }
  return events;
}

EventBatch decide_shrink(const ClusterState& state, const JobRecord& job, std::uint16_t role,
                         std::uint32_t count, TimeMs now) {
  EventBatch events;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    const bool surplus = lease.placement.role == role && lease.placement.task >= count;
    if (!surplus || lease.state == LeaseState::kRevoking) continue;
    events.push_back({now, revocation(state, job, id, EndReason::kShrunk, now)});
  }
  return events;
}

void revoke_all(const ClusterState& state, const JobRecord& job, EndReason reason, TimeMs now,
                EventBatch& events) {
  revoke_others(state, job, LeaseId::none(), reason, now, events);
}

Result<EventBatch> decide_cancel(const ClusterState& state, const JobRecord& job, TimeMs now) {
  EventBatch events;
  withdraw_receipt(job, now, events);
  if (job.leases.empty()) {
    events.push_back({now, JobEnded{job.id, EndReason::kCancelled}});
  } else {
    revoke_others(state, job, LeaseId::none(), EndReason::kCancelled, now, events);
  }
  // those that wait for it no longer do
  if (starts_with_group(state, job)) {
    start_prepared(state, job, JobId::none(), job.id, now, events);
  }
  return events;
}

}  // namespace berth::engine
