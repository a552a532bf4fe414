#include "sim/scenario/future.h"

#include <algorithm>
#include <utility>

#include "codec/quantity.h"
#include "sim/scenario/verbs.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

// Instants at which something happens, until it is not looked further ahead.
constexpr std::size_t kMostInstants = 20'000;
constexpr int kMostRounds = 16;  // of cycles at one instant; each places or takes back more

CardUnits cards_of(const Lease& lease) {
  CardUnits cards = 0;
  for (const CardGrant& grant : lease.placement.grants) cards += grant.compute;
  return cards;
}

std::string places_of(const engine::ClusterState& state, JobId id) {
  std::vector<TaskPlacement> tasks;
  for (const LeaseId lease : state.find_job(id)->leases) {
    tasks.push_back(state.find_lease(lease)->placement);
  }
  return place_text(state, tasks);
}

}  // namespace

Future::Future(const std::vector<GpuModel>& catalog, const Moment& from)
    : session_(catalog, from), began_(from.now), ends_(from.state, from.now), counted_(from.now) {
  for (const JobId id : state().jobs().sorted_ids()) {
    const engine::JobRecord& job = *state().find_job(id);
    JobFate fate;
    fate.name = job.name;
    fate.queue = state().spec_of(job).spec->queue;
    fate.ran = job.phase != JobPhase::kPending;
    const bool suspended = job.phase == JobPhase::kSuspended;
    fate.was_off = suspended || job.phase == JobPhase::kReleasing;
    fates_[id] = std::move(fate);
    if (job.started_at != kNever) note_running(id, job.started_at);
    if (suspended) note_running(id, from.now, from.now);
  }
  for (const LeaseId id : state().leases().sorted_ids()) {
    const Lease& lease = *state().find_lease(id);
    hold(id);
    const engine::NodeRecord& node = state().node(lease.placement.node);
    if (node.condition != NodeCondition::kLost || lease.state == LeaseState::kPromised) continue;
    dead_.insert(id);
    const auto run = running_.find(lease.job);
    if (run != running_.end()) run->second.until = node.condition_since;
  }
}

Status Future::carry_out(const std::string& command) {
  auto step = parse_step(command);
  if (!step) return tl::unexpected(step.error());
  Arguments words = *Arguments::split(command);  // it has been read already
  if (words.verb() == "cycle") return decide();
  if (words.verb() == "advance") {
    const auto by = codec::parse_duration(codec::Document::string(words.positional("a duration")));
    if (!by) return tl::unexpected(by.error());
    return play(saturating_add(now(), *by));
  }
  if (auto s = step->run(session_); !s) return s;
  listen();
  if (auto refusal = session_.take_refusal()) return tl::unexpected(std::move(*refusal));
  return report_lost();
}

Status Future::play(TimeMs until) {
  if (auto s = decide(); !s) return s;
  while (!cut_short_ && next_instant() <= until) {
    if (auto s = step_to(next_instant()); !s) return s;
  }
  return now() < until ? step_to(until) : Status{};
}

Status Future::play_until_quiet(TimeMs most) {
  if (auto s = decide(); !s) return s;
  while (!cut_short_ && !is_quiet() && next_instant() <= most) {
    if (auto s = step_to(next_instant()); !s) return s;
  }
  return {};
}

TimeMs Future::next_instant() const {
  const TimeMs end = ends_.next();
  const TimeMs due = session_.next_due();
  return end == kNever ? due : std::min(due, std::max(end, saturating_add(now(), 1)));
}

// Nobody has been asked to go and has not gone yet, and no room is promised.
bool Future::is_quiet() const {
  if (!state().ledger().open.empty()) return false;
  const auto ids = state().leases().sorted_ids();
  return std::none_of(ids.begin(), ids.end(), [&](LeaseId id) {
    const Lease& lease = *state().find_lease(id);
    return lease.state == LeaseState::kRevoking && lease.holds_cards();
  });
}

Status Future::step_to(TimeMs at) {
  cut_short_ = ++instants_ > kMostInstants;
  session_.pass_to(at);
  card_ms_ += static_cast<double>(held_) * static_cast<double>(at - counted_);
  counted_ = at;
  if (auto s = end_due(); !s) return s;
  if (auto s = tell(Tick{}); !s) return s;
  if (auto s = report_lost(); !s) return s;
  return decide();
}

Status Future::end_due() {
  while (const auto due = ends_.take_due(now())) {
    const Lease* lease = state().find_lease(due->lease);
    if (lease == nullptr) continue;
    if (due->basis == engine::EndBasis::kUnknown) ++guessed_;
    session_.executor().forget(lease->id);
    if (auto s = tell(engine::report_of_end(state(), *lease)); !s) return s;
  }
  return {};
}

// Tasks of cards that have failed, and of nodes that are back.
Status Future::report_lost() {
  for (const LeaseId id : std::exchange(gone_, {})) {
    const Lease* lease = state().find_lease(id);
    if (lease == nullptr) continue;
    session_.executor().forget(id);
    if (auto s = tell(ReportEnded{id, lease->epoch, EndReason::kLost}); !s) return s;
  }
  return {};
}

// What is refused changes nothing.
Status Future::tell(CommandBody body) {
  const Status told = session_.execute(Command{std::move(body), {}, {}});
  listen();
  session_.take_refusal();
  return told;
}

// Cycles at this instant until nothing is left to decide; what they place starts at once.
Status Future::decide() {
  for (int round = 0; round < kMostRounds; ++round) {
    const std::uint64_t before = state().revision();
    if (auto s = session_.run_cycle(); !s) return s;
    listen();
    if (auto s = answer_prepares(); !s) return s;
    if (state().revision() == before) return {};
  }
  return {};
}

// A node that is lost does not answer.
Status Future::answer_prepares() {
  const auto answers = [&](const ScriptedExecutor::Task& task) {
    return state().node(task.node).condition != NodeCondition::kLost;
  };
  for (const auto& task : session_.executor().take(ScriptedExecutor::Work::kPrepare, answers)) {
    const Lease* lease = state().find_lease(task.lease);
    if (lease == nullptr || lease->state != LeaseState::kGranted) continue;
    if (auto s = session_.answer(task); !s) return s;
    listen();
    session_.take_refusal();
  }
  return {};
}

void Future::listen() {
  for (const Event& event : session_.take_events()) follow(event);
}

void Future::follow(const Event& event) {
  ends_.follow(event, state(), event.at);
  if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
    JobFate& fate = fates_[submitted->job];
    fate.name = submitted->name;
    fate.queue = submitted->spec->queue;
    fate.is_new = true;
  } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
    note_started(*started, event.at);
  } else if (const auto* issued = std::get_if<ReceiptIssued>(&event.body)) {
    receipts_.push_back(issued->receipt);
  } else if (const auto* revoking = std::get_if<LeaseRevoking>(&event.body)) {
    note_revoking(*revoking, event.at);
  } else if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
    fates_[ended->job].ended_at = event.at;
    fates_[ended->job].ended = ended->reason;
  } else if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) {
    hold(granted->lease);
  } else if (const auto* resumed = std::get_if<LeaseResumed>(&event.body)) {
    hold(resumed->lease);
    const Lease* lease = state().find_lease(resumed->lease);
    if (lease != nullptr) note_back(lease->job, event.at);
  } else if (const auto* suspended = std::get_if<LeaseSuspended>(&event.body)) {
    hold_no_more(suspended->lease);
    const Lease* lease = state().find_lease(suspended->lease);
    if (lease != nullptr) note_running(lease->job, event.at, event.at);
  } else if (const auto* released = std::get_if<LeaseReleased>(&event.body)) {
    hold_no_more(released->lease);
    dead_.erase(released->lease);
  } else if (const auto* changed = std::get_if<NodeConditionChanged>(&event.body)) {
    note_condition(*changed, event.at);
  } else if (const auto* health = std::get_if<CardHealthChanged>(&event.body)) {
    note_health(*health);
  } else if (const auto* requeued = std::get_if<JobRequeued>(&event.body)) {
    note_requeued(*requeued, event.at);
  } else if (const auto* repairing = std::get_if<JobRepairing>(&event.body)) {
    note_stop(repairing->job, {Stopped::How::kLostTasks, EndReason::kLost, event.at, 0, 0, {}});
  } else if (const auto* repaired = std::get_if<JobRepaired>(&event.body)) {
    note_back(repaired->job, event.at);
  }
}

void Future::note_running(JobId id, TimeMs since, TimeMs until) {
  Run run{since, 0, until};
  for (const LeaseId lease : state().find_job(id)->leases) {
    run.cards += cards_of(*state().find_lease(lease));
  }
  running_[id] = run;
}

void Future::note_started(const JobStarted& event, TimeMs at) {
  JobFate& fate = fates_[event.job];
  if (state().find_job(event.job) == nullptr) return;
  note_running(event.job, at);
  const bool was_stopped = fate.was_off || !fate.given.empty() || !fate.stops.empty();
  if (was_stopped) note_back(event.job, at);
  if (fate.ran || fate.started_at != kNever) return;
  fate.started_at = at;
  fate.place = places_of(state(), event.job);
}

// A job that has been on its cards before.
void Future::note_back(JobId id, TimeMs at) {
  const engine::JobRecord* job = state().find_job(id);
  if (job == nullptr) return;
  JobFate& fate = fates_[id];
  fate.back_at = at;
  fate.back_place = places_of(state(), id);
  if (job->started_at != kNever) note_running(id, job->started_at);
}

// Its tasks are dead at once; that is known when it is back.
void Future::note_condition(const NodeConditionChanged& event, TimeMs at) {
  const engine::NodeRecord& node = state().node(event.node);
  for (const LeaseId id : node.leases) {
    const Lease& lease = *state().find_lease(id);
    if (event.condition != NodeCondition::kLost) {
      if (dead_.erase(id) > 0) gone_.push_back(id);
    } else if (dead_.insert(id).second) {
      note_stop(lease.job, {Stopped::How::kNodeLost, EndReason::kLost, at, 0, 0, node.spec->name});
    }
  }
}

// The tasks of a card that fails are gone at once.
void Future::note_health(const CardHealthChanged& event) {
  if (event.health != CardHealth::kFailed) return;
  for (const LeaseId id : state().node(event.node).leases) {
    const Lease& lease = *state().find_lease(id);
    const CardGrants& grants = lease.placement.grants;
    const bool is_on_it = std::any_of(grants.begin(), grants.end(), [&](const CardGrant& grant) {
      return grant.card == event.card;
    });
    if (is_on_it && !lease.off_cards) gone_.push_back(id);
  }
}

// What a receipt takes stands with what was given.
void Future::note_requeued(const JobRequeued& event, TimeMs at) {
  const engine::JobRecord* job = state().find_job(event.job);
  if (job == nullptr) return;  // it has ended since
  const bool is_given = event.reason == EndReason::kReclaimed && !job->stop.receipt.is_none();
  if (is_given || event.reason == EndReason::kPrepareFailed) {
    running_.erase(event.job);
    return;
  }
  note_stop(event.job, {Stopped::How::kOffItsCards, event.reason, at, 0, 0, {}});
}

// A job that is stopped already loses nothing more.
void Future::note_stop(JobId id, Stopped stopped) {
  const auto run = running_.find(id);
  if (run == running_.end()) return;
  const engine::JobRecord& job = *state().find_job(id);
  stopped.cards = run->second.cards;
  if (stopped.how != Stopped::How::kLostTasks) {
    const TimeMs until = std::max(run->second.since, std::min(stopped.at, run->second.until));
    const DurationMs done = job.base_ms + until - run->second.since;
    stopped.lost_ms = std::max<DurationMs>(0, done - job.saved_ms);
    running_.erase(run);
  }
  fates_[id].stops.push_back(std::move(stopped));
}

// Once for each receipt, however many leases of the job it takes.
void Future::note_revoking(const LeaseRevoking& event, TimeMs at) {
  const auto receipt = state().ledger().receipts.find(event.receipt);
  const Lease* lease = state().find_lease(event.lease);
  if (receipt == state().ledger().receipts.end() || lease == nullptr) return;
  std::vector<Given>& given = fates_[lease->job].given;
  const bool known = std::any_of(given.begin(), given.end(), [&](const Given& one) {
    return one.receipt->receipt == event.receipt;
  });
  if (!known) given.push_back({receipt->second.reclaim, at});
}

void Future::hold(LeaseId id) {
  const Lease* lease = state().find_lease(id);
  if (lease == nullptr || !lease->holds_cards() || holds_.contains(id)) return;
  holds_[id] = cards_of(*lease);
  held_ += holds_[id];
}

void Future::hold_no_more(LeaseId id) {
  const auto found = holds_.find(id);
  if (found == holds_.end()) return;
  held_ -= found->second;
  holds_.erase(found);
}

std::map<JobId, JobFate> Future::fates() const {
  std::map<JobId, JobFate> fates = fates_;
  for (auto& [id, fate] : fates) {
    const engine::JobRecord* job = state().find_job(id);
    if (job == nullptr) continue;
    fate.phase = job->phase;
    const auto receipt = state().ledger().receipts.find(job->receipt);
    if (receipt != state().ledger().receipts.end()) fate.promised = receipt->second.reclaim;
  }
  return fates;
}

double Future::mean_cards_held() const {
  const double cards = static_cast<double>(kCard);
  if (counted_ == began_) return static_cast<double>(held_) / cards;
  return card_ms_ / static_cast<double>(counted_ - began_) / cards;
}

}  // namespace berth::sim
