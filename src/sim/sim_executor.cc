// Starting, working, saving and ending; how a job gives way is in sim_executor_revoke.cc.
#include "sim/sim_executor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace berth::sim {
namespace {

enum class Purpose : std::uint64_t { kStragglers = 1, kCrashes, kLayouts };

Rng stream(std::uint64_t seed, Purpose purpose) {
  return Rng(seed).fork(static_cast<std::uint64_t>(purpose));
}

CardUnits cards_of(const CardGrants& grants) {
  CardUnits sum = 0;
  for (const CardGrant& grant : grants) sum += grant.compute;
  return sum;
}

Spending spending_of(const JobRun& run) {
  switch (run.activity) {
    case Activity::kStarting:
      return run.again ? Spending::kRestart : Spending::kStartUp;
    case Activity::kSaving:
      return Spending::kCheckpoint;
    case Activity::kSavingAsked:
      return Spending::kCheckpointAsked;
    case Activity::kSwappingOut:
    case Activity::kSwappingIn:
      return Spending::kSuspend;
    case Activity::kStalled:
      return Spending::kStalled;
    case Activity::kWorking:
      return Spending::kUseful;
    case Activity::kNone:
    case Activity::kFutile:
    case Activity::kDone:
      return Spending::kDraining;
  }
  BERTH_CHECK(false);
}

// Of a member that is not active; a suspended one holds no card.
Spending spending_of(MemberState state) {
  switch (state) {
    case MemberState::kPreparing:
      return Spending::kPrepare;
    case MemberState::kJoining:
      return Spending::kStartUp;
    case MemberState::kDraining:
      return Spending::kDraining;
    case MemberState::kDead:
      return Spending::kStalled;
    case MemberState::kActive:
    case MemberState::kOut:
      break;
  }
  BERTH_CHECK(false);
}

}  // namespace

SimExecutor::SimExecutor(const ExecutorSpec& spec, const PolicySpec& policy, std::uint64_t seed,
                         const VirtualClock& clock, SimQueue& queue, WorkBook& book,
                         SuspensionOf suspension_of)
    : prepare_(spec.prepare),
      start_up_(spec.start_up),
      straggle_(spec.straggle),
      layout_(spec.layout),
      release_ms_(spec.release_ms),
      failure_ppm_(spec.prepare_failure_ppm),
      straggler_ppm_(spec.straggler_ppm),
      layout_failure_ppm_(spec.layout_failure_ppm),
      policy_(policy),
      rng_(seed),
      stragglers_(stream(seed, Purpose::kStragglers)),
      crashes_(stream(seed, Purpose::kCrashes)),
      layouts_(stream(seed, Purpose::kLayouts)),
      clock_(clock),
      queue_(queue),
      book_(book),
      suspension_of_(std::move(suspension_of)) {}

void SimExecutor::submitted(DurationMs run_ms, WorkAccount& account) {
  JobRun& run = jobs_.insert(account.id);
  run.run_ms = run_ms;
  run.account = &account;
}

void SimExecutor::prepare(const Lease& lease, const JobSpec& spec) {
  JobRun& run = jobs_.at(lease.job);
  Member member;
  member.lease = lease.id;
  member.epoch = static_cast<std::uint32_t>(lease.epoch);
  member.role = lease.placement.role;
  member.task = lease.placement.task;
  member.cards = cards_of(lease.placement.grants);
  member.since = lease.granted_at;
  run.members.push_back(member);
  job_of_.insert(lease.id, lease.job);
  const bool fails =
      failure_ppm_ > 0 && rng_.below(kPpmOne) < static_cast<std::uint64_t>(failure_ppm_);
  const DurationMs takes = prepare_.draw(rng_);
  const DurationMs timeout = start_timeout_ms(policy_, spec);
  if (timeout > 0 && takes >= timeout) schedule(timeout, SimEventKind::kTick, lease);
  schedule(takes, fails ? SimEventKind::kPrepareFailed : SimEventKind::kPrepared, lease);
}

void SimExecutor::start(const Lease& lease, const JobSpec& spec) {
  JobRun& run = jobs_.at(lease.job);
  Member& member = *run.find(lease.id);
  if (member.state != MemberState::kPreparing) return;  // dead, or told again
  if (run.active == 0) return begin(run, member, spec);
  if (run.began_at == now()) return set_state(run, member, MemberState::kActive);
  set_state(run, member, MemberState::kJoining);
  const DurationMs takes = start_up_of(run.id);
  if (takes == 0) return set_state(run, member, MemberState::kActive);
  schedule(takes, SimEventKind::kJoined, lease);
}

void SimExecutor::begin(JobRun& run, Member& member, const JobSpec& spec) {
  BERTH_CHECK(run.done_ms == run.saved_ms);  // what is not saved was lost when it stopped
  run.checkpoint = spec.checkpoint;
  run.replicas = spec.job_class == JobClass::kInference;
  run.is_asked = false;
  run.is_noticed = false;
  set_state(run, member, MemberState::kActive);
  start_over(run);
}

// All active members start, with what the last checkpoint holds.
void SimExecutor::start_over(JobRun& run) {
  run.began_at = now();
  run.base_ms = run.done_ms;
  run.counted = false;
  const DurationMs restart = run.again && run.saved_ms > 0 ? run.checkpoint.restart_ms : 0;
  const DurationMs takes = saturating_add(start_up_of(run.id), restart);
  if (crashes_per_hour_ > 0) {
    const double hours = -std::log(1.0 - crashes_.unit()) / crashes_per_hour_;
    const double at = static_cast<double>(run.done_ms) + hours * static_cast<double>(kHourMs);
    run.crash_at_ms = at < static_cast<double>(run.run_ms) ? static_cast<TimeMs>(at) : kNever;
  }
  if (takes == 0) return work(run);
  enter(run, Activity::kStarting, takes);
}

DurationMs SimExecutor::start_up_of(JobId job) {
  if (last_.job != job || last_.at != now()) last_ = {job, now(), start_up_.draw(rng_)};
  return last_.ms;
}

// Until its end, its next checkpoint or its failure, whichever is first.
void SimExecutor::work(JobRun& run) {
  DurationMs left = std::max<DurationMs>(0, run.run_ms - run.done_ms);
  if (run.saves() && run.checkpoint.interval_ms > 0) {
    const TimeMs due = saturating_add(run.base_ms, run.checkpoint.interval_ms);
    left = std::min(left, due - run.done_ms);
  }
  if (run.crash_at_ms != kNever) left = std::min(left, run.crash_at_ms - run.done_ms);
  enter(run, Activity::kWorking, left);
}

// A task that joined later ends with its job.
void SimExecutor::joined(const Lease& lease) {
  JobRun& run = jobs_.at(lease.job);
  Member* member = run.find(lease.id);
  if (member == nullptr || member->state != MemberState::kJoining) return;
  const bool is_alone = run.active == 0;  // the others have left since
  set_state(run, *member, MemberState::kActive);
  if (is_alone) start_over(run);
}

std::vector<CommandBody> SimExecutor::end_turn(JobId job, std::uint32_t turn) {
  JobRun* run = jobs_.find(job);
  if (run == nullptr || run->turn != turn) return {};
  settle(*run);
  switch (run->activity) {
    case Activity::kStarting:
    case Activity::kSwappingIn:
      work(*run);
      return {};
    case Activity::kWorking:
      return after_work(*run);
    case Activity::kSaving: {
      save(*run);
      CommandBody report = checkpoint_report(*run);
      work(*run);
      return {std::move(report)};
    }
    case Activity::kStalled:
      recheck(*run);
      return {};
    case Activity::kSavingAsked:
    case Activity::kSwappingOut:
      return given_way(*run);
    case Activity::kNone:
    case Activity::kFutile:
    case Activity::kDone:
      return {};
  }
  BERTH_CHECK(false);
}

std::vector<CommandBody> SimExecutor::after_work(JobRun& run) {
  if (run.done_ms >= run.run_ms) return finish(run);
  if (run.done_ms >= run.crash_at_ms) return crash(run);
  if (run.checkpoint.duration_ms > 0) {
    enter(run, Activity::kSaving, run.checkpoint.duration_ms);
    return {};
  }
  save(run);
  CommandBody report = checkpoint_report(run);
  work(run);
  return {std::move(report)};
}

std::vector<CommandBody> SimExecutor::finish(JobRun& run) {
  run.saved_ms = run.run_ms;  // should it be started once more, nothing is left to do
  run.unsaved = 0;
  enter(run, Activity::kDone, kNever);
  std::vector<CommandBody> reports;
  for (const Member& member : run.members) {
    if (member.state != MemberState::kActive && member.state != MemberState::kJoining) continue;
    reports.emplace_back(ReportEnded{member.lease, member.epoch, EndReason::kSucceeded});
  }
  return reports;
}

// One task fails; the controller takes the others back.
std::vector<CommandBody> SimExecutor::crash(JobRun& run) {
  lose(run, Interruption::kCrash);
  enter(run, Activity::kFutile, kNever);
  for (const Member& member : run.members) {
    if (member.state != MemberState::kActive) continue;
    return {ReportEnded{member.lease, member.epoch, EndReason::kFailed}};
  }
  BERTH_CHECK(false);  // who works has an active member
}

void SimExecutor::save(JobRun& run) {
  run.saved_ms = run.done_ms;
  run.base_ms = run.done_ms;
  run.unsaved = 0;
  ++run.checkpoints;
}

// The first task speaks for the job.
CommandBody SimExecutor::checkpoint_report(const JobRun& run) const {
  const Member* first = nullptr;
  for (const Member& member : run.members) {
    if (member.state != MemberState::kActive) continue;
    const bool earlier = first == nullptr ||
                         std::pair(member.role, member.task) < std::pair(first->role, first->task);
    if (earlier) first = &member;
  }
  BERTH_CHECK(first != nullptr);
  return ReportCheckpoint{first->lease, first->epoch, std::to_string(run.checkpoints)};
}

// The gang works again once nobody is missing.
void SimExecutor::recheck(JobRun& run) {
  if (run.repairing || run.is_asked || run.active == 0) return;
  const bool any_dead = std::any_of(run.members.begin(), run.members.end(),
                                    [](const Member& m) { return m.state == MemberState::kDead; });
  if (any_dead) return;
  for (Member& member : run.members) {
    if (member.state == MemberState::kJoining) set_state(run, member, MemberState::kActive);
  }
  start_over(run);
}

// What is done since the last checkpoint has to be done again.
void SimExecutor::lose(JobRun& run, Interruption cause) {
  settle(run);
  run.account->lose(cause, run.unsaved);
  run.unsaved = 0;
  run.done_ms = run.saved_ms;
  run.again = true;
  if (!run.counted) book_.interrupted(*run.account, cause);
  run.counted = true;
}

void SimExecutor::settle(JobRun& run) {
  const DurationMs ms = now() - run.since;
  run.since = now();
  if (ms == 0 || run.active == 0) return;
  const CardWork work = card_work(run.active_cards, ms);
  run.account->add(spending_of(run), work);
  if (run.activity != Activity::kWorking) return;
  run.done_ms += ms;
  run.unsaved += work;
}

void SimExecutor::settle(JobRun& run, Member& member) {
  if (member.state == MemberState::kActive) return settle(run);
  if (member.on_cards) {
    run.account->add(spending_of(member.state), card_work(member.cards, now() - member.since));
  }
  member.since = now();
}

void SimExecutor::settle_all() {
  for (const JobId id : jobs_.sorted_ids()) {
    JobRun& run = jobs_.at(id);
    settle(run);
    for (Member& member : run.members) settle(run, member);
  }
}

void SimExecutor::set_state(JobRun& run, Member& member, MemberState state) {
  settle(run);
  settle(run, member);
  if (member.state == MemberState::kActive) {
    --run.active;
    run.active_cards -= member.cards;
  }
  member.state = state;
  member.since = now();
  if (state == MemberState::kActive) {
    ++run.active;
    run.active_cards += member.cards;
  }
  if (run.active == 0) enter(run, Activity::kNone, kNever);
}

void SimExecutor::enter(JobRun& run, Activity activity, DurationMs takes) {
  settle(run);
  run.activity = activity;
  ++run.turn;
  run.until = saturating_add(now(), takes);
  if (takes == kNever) return;
  queue_.push(run.until, {SimEventKind::kJobTurn, run.turn, run.id.value()});
}

void SimExecutor::gone(LeaseId lease) {
  JobRun& run = jobs_.at(*job_of_.find(lease));
  job_of_.erase(lease);
  const auto at = std::find_if(run.members.begin(), run.members.end(),
                               [&](const Member& member) { return member.lease == lease; });
  BERTH_CHECK(at != run.members.end());
  set_state(run, *at, MemberState::kDraining);
  run.members.erase(at);
  if (run.activity == Activity::kStalled) enter(run, Activity::kStalled, 0);
  if (run.members.empty()) run.repairing = false;
}

void SimExecutor::repairing(JobId job) {
  JobRun& run = jobs_.at(job);
  run.repairing = true;
  if (run.replicas || run.active == 0 || run.is_asked) return;
  if (run.activity != Activity::kStalled) lose(run, run.cause);
  enter(run, Activity::kStalled, kNever);
}

void SimExecutor::repaired(JobId job) {
  JobRun& run = jobs_.at(job);
  run.repairing = false;
  if (run.activity != Activity::kStalled) return;
  run.began_at = now();  // who joins now starts with the others
  enter(run, Activity::kStalled, 0);
}

void SimExecutor::ended(JobId job) {
  jobs_.erase(job);
  book_.close(job);
}

// Whoever waits for a lost member has lost what it did since the last checkpoint; replicas serve
// on. A job that was asked to give way can no longer save: it is killed at its deadline.
void SimExecutor::lost(const Lease& lease, Interruption cause, DurationMs start_timeout_ms) {
  JobRun& run = jobs_.at(lease.job);
  Member& member = *run.find(lease.id);
  const MemberState before = member.state;
  if (before == MemberState::kDead) return;
  run.cause = cause;
  const bool goes_on = run.replicas && run.active > 1;
  const bool worked = before == MemberState::kActive || before == MemberState::kOut;
  if (worked && !goes_on) lose(run, cause);
  set_state(run, member, MemberState::kDead);
  if (before == MemberState::kPreparing && start_timeout_ms > 0) {
    const TimeMs due = saturating_add(lease.granted_at, start_timeout_ms);
    queue_.push(std::max(now(), due), {SimEventKind::kTick, 0, 0});
  }
  if (!worked || goes_on || run.active == 0) return;
  if (run.is_asked) tick_at(run, lease.deadline);
  enter(run, run.is_asked ? Activity::kFutile : Activity::kStalled, kNever);
}

bool SimExecutor::is_dead(const Lease& lease) {
  const Member* member = jobs_.at(lease.job).find(lease.id);
  return member != nullptr && member->state == MemberState::kDead;
}

void SimExecutor::schedule(DurationMs after, SimEventKind kind, const Lease& lease) {
  queue_.push(saturating_add(now(), after),
              {kind, static_cast<std::uint32_t>(lease.epoch), lease.id.value()});
}

}  // namespace berth::sim
