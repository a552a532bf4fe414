// How a simulated job gives its devices back, by grade.
#include <algorithm>

#include "base/check.h"
#include "sim/sim_executor.h"

namespace berth::sim {
namespace {

DurationMs transfer_ms(Mib size, std::int64_t mib_per_s) {
  BERTH_CHECK(mib_per_s > 0);
  return (size * kSecondMs + mib_per_s - 1) / mib_per_s;
}

// Whether it is to leave for another job, or for a node that is about to be taken away.
bool gives_way(const JobRun& run, const Member& member) {
  return is_taken_back(member.reason) || (member.reason == EndReason::kLost && run.is_noticed);
}

}  // namespace

void SimExecutor::revoking(const LeaseRevoking& event) {
  Member& member = *jobs_.at(*job_of_.find(event.lease)).find(event.lease);
  member.reason = event.reason;
  member.by_reclaim = is_taken_back(event.reason) || !event.receipt.is_none();
}

void SimExecutor::revoke(const Lease& lease, ReclaimGrade grade) {
  JobRun& run = jobs_.at(lease.job);
  Member& member = *run.find(lease.id);
  if (member.by_reclaim) count_eviction(run, grade);
  // Nobody answers from a lost node, and who is leaving does not leave twice.
  if (member.state == MemberState::kDead || member.state == MemberState::kDraining) return;
  if (member.state == MemberState::kOut && gives_way(run, member)) {
    lose(run, run.eviction());
  }
  if (member.state != MemberState::kActive) return leave(run, member, lease, release_ms_);
  if (member.reason == EndReason::kShrunk || grade == ReclaimGrade::kShrink) {
    if (run.active == 1) lose(run, run.eviction());  // nobody goes on with what is not saved
    return leave(run, member, lease, release_ms_);
  }
  if (member.reason == EndReason::kFailed) return kill(run, member, lease);
  switch (grade) {
    case ReclaimGrade::kPause:
      return pause(run, member, lease);
    case ReclaimGrade::kSuspend:
      return suspend(run, lease);
    case ReclaimGrade::kMove:
    case ReclaimGrade::kCheckpointEvict:
      return ask(run, member, lease);
    case ReclaimGrade::kIdle:
    case ReclaimGrade::kLentIdle:
    case ReclaimGrade::kShrink:
    case ReclaimGrade::kKill:
      return kill(run, member, lease);
  }
}

// A job counts once, however many tasks it loses to one decision.
void SimExecutor::count_eviction(JobRun& run, ReclaimGrade grade) {
  const std::pair<TimeMs, ReclaimGrade> key(now(), grade);
  if (run.evicted == key) return;
  run.evicted = key;
  book_.evicted(*run.account, grade);
}

// The first member that is asked speaks for the gang: they save one checkpoint together, when that
// can be done before the deadline. Who does not acknowledge works on until it is killed.
void SimExecutor::ask(JobRun& run, Member& member, const Lease& lease) {
  if (run.is_asked) return;
  if (run.activity == Activity::kStarting || run.activity == Activity::kStalled) {
    if (gives_way(run, member)) lose(run, run.eviction());
    return leave(run, member, lease, release_ms_);  // it has done nothing since its checkpoint
  }
  run.is_asked = true;
  if (!run.checkpoint.acknowledges) return tick_at(run, lease.deadline);
  const bool is_busy = run.activity == Activity::kSaving || run.activity == Activity::kSwappingIn;
  const DurationMs first = is_busy ? run.until - now() : 0;
  const DurationMs writes = run.activity == Activity::kSaving ? 0 : run.checkpoint.duration_ms;
  const DurationMs takes = saturating_add(first, writes);
  const TimeMs leaves = saturating_add(now(), saturating_add(takes, release_ms_));
  if (leaves <= lease.deadline) return enter(run, Activity::kSavingAsked, takes);
  enter(run, Activity::kFutile, kNever);
  tick_at(run, lease.deadline);
}

// Asked members have saved, or are off their cards.
std::vector<CommandBody> SimExecutor::given_way(JobRun& run) {
  std::vector<CommandBody> reports;
  if (run.activity == Activity::kSwappingOut) {
    for (const Member& member : run.members) {
      if (member.state != MemberState::kActive) continue;
      reports.emplace_back(ReportSuspended{member.lease, member.epoch});
    }
    return reports;
  }
  save(run);
  for (Member& member : run.members) {
    if (member.state != MemberState::kActive) continue;
    if (gives_way(run, member)) lose(run, run.eviction());
    member.saved = true;
    set_state(run, member, MemberState::kDraining);
    queue_.push(saturating_add(now(), release_ms_),
                {SimEventKind::kReleased, member.epoch, member.lease.value()});
  }
  return reports;
}

// What was done since the last checkpoint is lost, unless the job is given up by its owner.
void SimExecutor::kill(JobRun& run, Member& member, const Lease& lease) {
  if (gives_way(run, member)) {
    lose(run, run.eviction());
  } else if (member.reason == EndReason::kLost) {
    lose(run, run.cause);
  }
  enter(run, Activity::kFutile, kNever);
  leave(run, member, lease, saturating_add(release_ms_, straggle()));
}

void SimExecutor::pause(JobRun& run, Member& member, const Lease& lease) {
  lose(run, run.eviction());
  enter(run, Activity::kFutile, kNever);
  leave(run, member, lease, suspension(lease).lock_ms);
}

void SimExecutor::suspend(JobRun& run, const Lease& lease) {
  const ProcessSuspension& cost = suspension(lease);
  run.image_mib = lease.image_mib;
  const DurationMs takes = cost.lock_ms + transfer_ms(run.image_mib, cost.out_mib_per_s);
  enter(run, Activity::kSwappingOut, takes);
  if (run.until > lease.deadline) tick_at(run, lease.deadline);
}

void SimExecutor::off_cards(LeaseId lease) {
  JobRun& run = jobs_.at(*job_of_.find(lease));
  Member& member = *run.find(lease);
  set_state(run, member, MemberState::kOut);
  member.on_cards = false;
}

void SimExecutor::resume(const Lease& lease, const JobSpec& /*spec*/) {
  JobRun& run = jobs_.at(lease.job);
  Member& member = *run.find(lease.id);
  if (member.state != MemberState::kOut) return;  // dead, or told again
  set_state(run, member, MemberState::kActive);
  member.on_cards = true;
  enter(run, Activity::kSwappingIn, transfer_ms(run.image_mib, suspension(lease).in_mib_per_s));
}

void SimExecutor::leave(JobRun& run, Member& member, const Lease& lease, DurationMs after) {
  set_state(run, member, MemberState::kDraining);
  schedule(after, SimEventKind::kReleased, lease);
  const bool is_late = saturating_add(now(), after) > lease.deadline;
  if (is_late) tick_at(run, lease.deadline);
}

// The controller is to look when the deadline has passed; one look serves the whole job.
void SimExecutor::tick_at(JobRun& run, TimeMs deadline) {
  if (deadline == kNever || run.deadline == deadline) return;
  run.deadline = deadline;
  queue_.push(std::max(now(), deadline), {SimEventKind::kTick, 0, 0});
}

// A killed process may hang for a while.
DurationMs SimExecutor::straggle() {
  if (straggler_ppm_ == 0) return 0;
  const bool hangs = stragglers_.below(kPpmOne) < static_cast<std::uint64_t>(straggler_ppm_);
  return hangs ? straggle_.draw(stragglers_) : 0;
}

std::string SimExecutor::checkpoint_of(const Lease& lease) {
  const JobRun& run = jobs_.at(lease.job);
  const Member* member = jobs_.at(lease.job).find(lease.id);
  return member != nullptr && member->saved ? std::to_string(run.checkpoints) : std::string();
}

// Only models with measured figures are asked to suspend.
const ProcessSuspension& SimExecutor::suspension(const Lease& lease) const {
  const ProcessSuspension* found = suspension_of_(lease);
  BERTH_CHECK(found != nullptr);
  return *found;
}

}  // namespace berth::sim
