#include "bench/preempt/meter.h"

#include <algorithm>
#include <utility>

#include "bench/preempt/protocol.h"

namespace berth::bench::preempt {
namespace {

constexpr double kCardHour = static_cast<double>(kCard) * kHourMs;

double hours(sim::CardWork work) { return static_cast<double>(work) / kCardHour; }
double hours(CardUnits cards, DurationMs ms) {
  return static_cast<double>(cards) * static_cast<double>(ms) / kCardHour;
}

double spent(const sim::WorkSums& sums, sim::Spending on) {
  return hours(sums.spent[static_cast<std::size_t>(on)]);
}

Losses losses_of(const sim::WorkSums& sums) {
  Losses lost;
  lost.recompute = hours(sums.recomputed[static_cast<std::size_t>(sim::Interruption::kEviction)]);
  lost.checkpoint = spent(sums, sim::Spending::kCheckpointAsked) +
                    spent(sums, sim::Spending::kSuspend) + spent(sums, sim::Spending::kRestart);
  lost.drain = spent(sums, sim::Spending::kDraining);
  return lost;
}

CardUnits cards_of(const TaskPlacement& task) {
  CardUnits cards = 0;
  for (const CardGrant& grant : task.grants) cards += grant.compute;
  return cards;
}

// Cards of the task that are among those of the places.
CardUnits shared_cards(const TaskPlacement& task, const std::vector<TaskPlacement>& places) {
  CardUnits cards = 0;
  for (const TaskPlacement& place : places) {
    if (place.node != task.node) continue;
    for (const CardGrant& grant : place.grants) {
      const auto same = [&](const CardGrant& one) { return one.card == grant.card; };
      if (std::any_of(task.grants.begin(), task.grants.end(), same)) cards += grant.compute;
    }
  }
  return cards;
}

CardUnits cards_of(const JobSpec& spec) {
  CardUnits cards = 0;
  for (const Role& role : spec.roles) {
    for (const DeviceRequest& request : task_request(role).devices) {
      cards += kCard * request.count * role.count;
    }
  }
  return cards;
}

bool never_answers(const JobSpec& spec) {
  return spec.checkpoint.method == CheckpointMethod::kSignal && !spec.checkpoint.acknowledges;
}

}  // namespace

Meter::Meter(control::Learner& learner, std::string urgent, TimeMs from, TimeMs to,
             BoundOf bound_of)
    : learner_(learner),
      urgent_(std::move(urgent)),
      from_(from),
      to_(to),
      bound_of_(std::move(bound_of)) {}

void Meter::observe(const Event& event, const engine::ClusterState& state) {
  learner_.observe(event, state);
  now_ = event.at;
  std::visit([&](const auto& body) { saw(body, state); }, event.body);
}

void Meter::begin(const sim::WorkSums& booked) {
  before_ = booked;
  silent_before_ = lost_by_silent();
}

Outcome Meter::end(const sim::WorkSums& booked, std::size_t cards) {
  now_ = to_;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].submitted_at != kNever) close(JobId(i), tracks_[i]);
  }
  for (const LeaseId id : std::set<LeaseId>(on_cards_)) give_back(*held_.find(id));
  for (auto& [id, promise] : promises_) settle(promise);
  const Losses before = losses_of(before_);
  outcome_.lost.add(losses_of(booked));
  outcome_.lost.recompute -= before.recompute;
  outcome_.lost.checkpoint -= before.checkpoint;
  outcome_.lost.drain -= before.drain;
  outcome_.own_saving =
      spent(booked, sim::Spending::kCheckpoint) - spent(before_, sim::Spending::kCheckpoint);
  outcome_.lost_silent = lost_by_silent() - silent_before_;
  outcome_.capacity = hours(static_cast<CardUnits>(cards) * kCard, to_ - from_);
  return std::move(outcome_);
}

// Of the time since then, what is counted.
DurationMs Meter::counted(TimeMs since) const {
  return std::max<DurationMs>(0, std::min(now_, to_) - std::max(since, from_));
}

Meter::Track& Meter::track(JobId job) {
  const auto at = static_cast<std::size_t>(job.value());
  if (tracks_.size() <= at) tracks_.resize(at + 1);
  return tracks_[at];
}

void Meter::saw(const JobSubmitted& event, const engine::ClusterState& /*state*/) {
  Track& job = track(event.job);
  job.submitted_at = now_;
  job.waits_since = now_;
  job.urgent = event.spec->queue == urgent_;
  job.silent = !job.urgent && never_answers(*event.spec);
  job.cards = cards_of(*event.spec);
  job.bound_ms = bound_of_(*event.spec);
  if (job.silent) silent_.insert(event.job);
}

void Meter::saw(const LeaseGranted& event, const engine::ClusterState& /*state*/) {
  Held held;
  held.job = event.job;
  held.cards = cards_of(event.placement);
  held.since = now_;
  held_.assign(event.lease, held);
  on_cards_.insert(event.lease);
}

void Meter::saw(const JobStarted& event, const engine::ClusterState& /*state*/) {
  run(track(event.job));
}

void Meter::run(Track& job) {
  if (job.waits_since != kNever) job.waited_ms += now_ - job.waits_since;
  job.waits_since = kNever;
  job.runs_since = now_;
}

// Periods that it has run through end when they are over, not when the job does.
void Meter::stop_running(Track& job) {
  if (job.runs_since == kNever) return;
  if (!job.urgent) {
    const auto until = [&](TimeMs at) {
      return at <= job.runs_since ? 0 : (at - job.runs_since) / kPeriodMs;
    };
    outcome_.periods +=
        static_cast<std::uint64_t>(until(std::min(now_, to_)) - until(std::min(now_, from_)));
  }
  job.runs_since = kNever;
}

void Meter::saw(const ReceiptIssued& event, const engine::ClusterState& state) {
  const Reclaim& reclaim = *event.receipt;
  Promise promise;
  promise.since = now_;
  for (const TaskPlacement& task : reclaim.placement) promise.idle += cards_of(task);
  for (const Victim& victim : reclaim.victims) {
    Held* held = held_.find(victim.lease);
    if (held == nullptr || held->since == kNever) continue;
    held->receipt = reclaim.receipt;
    held->promised = shared_cards(state.find_lease(victim.lease)->placement, reclaim.placement);
    promise.idle -= held->promised;
  }
  promises_[reclaim.receipt] = promise;
}

void Meter::saw(const ReceiptEnded& event, const engine::ClusterState& /*state*/) {
  const auto promise = promises_.find(event.receipt);
  if (promise == promises_.end()) return;
  settle(promise->second);
  promises_.erase(promise);
}

void Meter::settle(Promise& promise) {
  outcome_.lost.idle += hours(promise.idle, counted(promise.since));
  promise.since = now_;
}

// A job is interrupted once, however many leases it has.
void Meter::saw(const LeaseRevoking& event, const engine::ClusterState& /*state*/) {
  const Held* held = held_.find(event.lease);
  if (held == nullptr || event.reason != EndReason::kReclaimed) return;
  Track& job = track(held->job);
  if (job.runs_since == kNever) return;
  stop_running(job);
  job.waits_since = now_;
  ++job.evictions;
  if (is_counted()) ++outcome_.evictions;
}

void Meter::give_back(Held& held) {
  if (held.since == kNever) return;
  outcome_.held += hours(held.cards, counted(held.since));
  held.since = kNever;
  const auto promise = promises_.find(held.receipt);
  if (promise == promises_.end()) return;
  settle(promise->second);
  promise->second.idle += std::exchange(held.promised, 0);
}

void Meter::saw(const LeaseSuspended& event, const engine::ClusterState& /*state*/) {
  give_back(*held_.find(event.lease));
  on_cards_.erase(event.lease);
}

void Meter::saw(const LeaseResumed& event, const engine::ClusterState& /*state*/) {
  Held& held = *held_.find(event.lease);
  held.since = now_;
  held.receipt = {};
  on_cards_.insert(event.lease);
  run(track(held.job));
}

void Meter::saw(const LeaseReleased& event, const engine::ClusterState& /*state*/) {
  Held* held = held_.find(event.lease);
  if (held == nullptr) return;
  give_back(*held);
  on_cards_.erase(event.lease);
  held_.erase(event.lease);
}

void Meter::saw(const JobEnded& event, const engine::ClusterState& /*state*/) {
  Track& job = track(event.job);
  close(event.job, job);
  silent_.erase(event.job);
  job.submitted_at = kNever;
}

void Meter::note_wait(const Track& job) {
  if (job.submitted_at < from_ || job.submitted_at >= to_) return;
  const DurationMs now = job.waits_since == kNever ? 0 : now_ - job.waits_since;
  (job.urgent ? outcome_.urgent_waits : outcome_.spot_waits).push_back(job.waited_ms + now);
}

// It has ended, or the run has.
void Meter::close(JobId id, Track& job) {
  stop_running(job);
  note_wait(job);
  if (job.urgent || job.evictions == 0) return;
  const double lost = losses_of(work_of_(id)).sum();
  if (job.silent) {
    silent_ended_ += lost;
    silent_.erase(id);
    return;
  }
  constexpr double kRounding = 1e-9;
  const double most = hours(job.cards, job.bound_ms) * job.evictions;
  if (job.bound_ms > 0 && lost > most + kRounding) ++outcome_.beyond_bound;
}

double Meter::lost_by_silent() const {
  double lost = silent_ended_;
  for (const JobId id : silent_) lost += losses_of(work_of_(id)).sum();
  return lost;
}

}  // namespace berth::bench::preempt
