#include "engine/reserve/end_book.h"

namespace berth::engine {
namespace {

// Of work that nobody does: only that there is one counts.
constexpr const char* kExpectedCheckpoint = "expected";

}  // namespace

EndBook::EndBook(const ClusterState& state, TimeMs now) : stalled_(stalled_jobs(state)) {
  for (const ExpectedEnd& end : expected_ends(state, now)) {
    ends_.insert(end);
    known_[end.lease] = end;
  }
}

void EndBook::follow(const Event& event, const ClusterState& state, TimeMs now) {
  if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) {
    expect(granted->lease, state, now);
  } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
    const JobRecord* job = state.find_job(started->job);
    if (job == nullptr) return;
    for (const LeaseId id : job->leases) expect(id, state, now);
  } else if (const auto* revoking = std::get_if<LeaseRevoking>(&event.body)) {
    expect(revoking->lease, state, now);
  } else if (const auto* resumed = std::get_if<LeaseResumed>(&event.body)) {
    expect(resumed->lease, state, now);
  } else if (const auto* suspended = std::get_if<LeaseSuspended>(&event.body)) {
    forget(suspended->lease);
  } else if (const auto* released = std::get_if<LeaseReleased>(&event.body)) {
    forget(released->lease);
    if (!stalled_.empty()) stalled_ = stalled_jobs(state);
  } else if (const auto* changed = std::get_if<NodeConditionChanged>(&event.body)) {
    stalled_ = stalled_jobs(state);
    for (const LeaseId id : state.node(changed->node).leases) {
      review(*state.find_job(state.find_lease(id)->job), state, now);
    }
  }
}

std::optional<ExpectedEnd> EndBook::take_due(TimeMs now) {
  if (next() > now || ends_.empty()) return std::nullopt;
  const ExpectedEnd due = *ends_.begin();
  forget(due.lease);
  return due;
}

void EndBook::expect(LeaseId id, const ClusterState& state, TimeMs now) {
  forget(id);
  const Lease* lease = state.find_lease(id);
  if (lease == nullptr || !lease->holds_cards()) return;
  if (!ends_by_itself(*lease, stalled_.contains(lease->job))) return;
  const ExpectedEnd end = expected_end(state, *lease, now);
  ends_.insert(end);
  known_[id] = end;
}

void EndBook::review(const JobRecord& job, const ClusterState& state, TimeMs now) {
  for (const LeaseId id : job.leases) {
    const bool ends = ends_by_itself(*state.find_lease(id), stalled_.contains(job.id));
    if (ends != known_.contains(id)) expect(id, state, now);
  }
}

void EndBook::forget(LeaseId id) {
  const auto known = known_.find(id);
  if (known == known_.end()) return;
  ends_.erase(known->second);
  known_.erase(known);
}

std::set<JobId> stalled_jobs(const ClusterState& state) {
  std::set<JobId> jobs;
  for (const NodeRecord& node : state.nodes()) {
    if (node.condition != NodeCondition::kLost) continue;
    for (const LeaseId id : node.leases) jobs.insert(state.find_lease(id)->job);
  }
  return jobs;
}

bool ends_by_itself(const Lease& lease, bool is_stalled) {
  if (lease.lateness == Lateness::kStuck) return false;
  return lease.state == LeaseState::kRevoking || !is_stalled;
}

CommandBody report_of_end(const ClusterState& state, const Lease& lease) {
  if (lease.state != LeaseState::kRevoking) {
    return ReportEnded{lease.id, lease.epoch, EndReason::kSucceeded};
  }
  if (lease.grade == ReclaimGrade::kSuspend) return ReportSuspended{lease.id, lease.epoch};
  const CheckpointSpec& saves = state.spec_of(*state.find_job(lease.job)).spec->checkpoint;
  const bool asked =
      lease.grade == ReclaimGrade::kCheckpointEvict || lease.grade == ReclaimGrade::kMove;
  const bool saved = asked && saves.acknowledges;
  return ReportReleased{lease.id, lease.epoch, saved ? kExpectedCheckpoint : ""};
}

}  // namespace berth::engine
