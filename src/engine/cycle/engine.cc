#include "engine/cycle/engine.h"

#include <algorithm>
#include <utility>

#include "engine/cycle/commit.h"
#include "engine/decide_regeometry.h"
#include "engine/quota/admission.h"
#include "engine/quota/queue_order.h"
#include "engine/reclaim/reclaim_rights.h"
#include "engine/state/trial.h"

namespace berth::engine {
namespace {

// Whether some queue may start nothing, or borrow nothing, until the month ends.
bool some_budget_is_spent(const ClusterState& state, TimeMs now) {
  for (std::uint32_t q = 0; q < state.queues().size(); ++q) {
    if (budget_is_spent(state.quota(), state, QueueIndex(q), now)) return true;
  }
  return false;
}

// When the next job that was interrupted may have others interrupted again. O(those that wait)
TimeMs next_to_ask(const ClusterState& state, TimeMs now) {
  TimeMs next = kNever;
  for (const AskIndex ask : state.pending().asks()) {
    for (const SpecIndex spec : state.pending().of_ask(ask)) {
      const PendingLine& line = state.pending().line(spec);
      if (line.served == 0) continue;
      for (const JobId id : line.jobs) {
        const TimeMs at = holds_back_until(*state.find_job(id), ReclaimRight::kRank, now);
        if (at > now) next = std::min(next, at);
      }
    }
  }
  return next;
}

bool drains_by_eviction(const ClusterState& state) {
  return state.policy().regeometry.drain == DrainBy::kEvicting &&
         !state.ledger().regeometries.empty();
}

// When the next running job may be asked to give way. O(running jobs)
TimeMs next_to_be_asked(const ClusterState& state, TimeMs now) {
  TimeMs next = kNever;
  for (std::uint32_t q = 0; q < state.queues().size(); ++q) {
    for (const JobId id : state.holders(QueueIndex(q))) {
      const JobRecord& job = *state.find_job(id);
      if (job.started_at == kNever) continue;
      const TimeMs at = exempt_until(state, job);
      if (at > now) next = std::min(next, at);
    }
  }
  return next;
}

}  // namespace

// Whether nobody of its queue goes before the job whom no cycle has looked at yet: he may have room
// taken back, and what is free is his with it. O(lines of the queue)
bool Engine::may_pass(const JobRecord& job, TimeMs now) const {
  if (state_.policy().reclaim.empty()) return true;
  const LineKey own = line_key(state_, job.spec, job.id, now);
  const auto lines = state_.pending().of_queue(state_.spec_of(job).home.queue);
  return std::none_of(lines.begin(), lines.end(), [&](SpecIndex spec) {
    const JobId head = state_.pending().line(spec).jobs.front();
    return !is_told(*state_.find_job(head)) && line_key(state_, spec, head, now) < own;
  });
}

EventBatch Engine::place_at_once(JobId id, TimeMs now) {
  EventBatch events;
  const JobRecord* job = state_.find_job(id);
  if (job == nullptr || job->phase != JobPhase::kPending || job->user_held ||
      job->backoff_until > now) {
    return events;
  }
  const SpecRecord& spec = state_.spec_of(*job);
  const PolicyScope scope(state_.policies(), spec.home.partition);
  // what must come together with other tasks, jobs or resources is placed by the cycle
  const bool alone =
      spec.tasks == 1 && spec.spec->group.empty() && spec.spec->domain_resources.empty();
  if (!alone || !may_pass(*job, now)) return events;
  std::optional<Candidate> candidate;
  LeaseOwnership ownership = LeaseOwnership::kBorrowed;
  if (is_unruled(state_, spec)) {
    candidate = placer_.find(state_, spec.shapes.front());
  } else {
    const JobAdmission admission = admit_job(state_, flavours_, spec, {1}, now);
    if (admission.refusal) return events;
    for (const JobAdmission::Attempt& attempt : admission.attempts) {
      const auto models = attempt.models.empty() ? ModelChoice() : attempt.models.front();
      candidate = placer_.find_in(state_, spec.shapes.front(), {models});
      ownership = attempt.ownership;
      if (candidate) break;
    }
  }
  if (!candidate) {
    auto repacking = repack(spec.shapes.front(), {}, state_.totals().move_credit);
    if (!repacking) return events;
    for (Move& move : repacking->moves) {
      events.push_back({now, LeaseMoved{move.lease, std::move(move.target)}});
    }
    candidate = std::move(repacking->place);
  }
  TaskPlacement task;
  task.node = candidate->node;
  task.grants = candidate->grants;
  events.push_back({now, grant_of(state_, *job, state_.next_lease(), task, ownership)});
  follow_layout_changes(state_, now, events);
  return events;
}

TimeMs Engine::next_due(TimeMs now) const {
  TimeMs due = next_due_of_policy(now);
  for (const auto& [partition, policy] : state_.policies().trials()) {
    const PolicyScope scope(state_.policies(), partition);
    due = std::min(due, next_due_of_policy(now));
  }
  return due;
}

TimeMs Engine::next_due_of_policy(TimeMs now) const {
  TimeMs due = state_.pending().next_wake(now);
  const auto offer = [&](TimeMs at) {
    if (at > now) due = std::min(due, at);
  };
  const DurationMs patience = state_.policy().locality_hold_ms;
  for (const JobId id : state_.deferring()) {
    const JobRecord& job = *state_.find_job(id);
    offer(job.deferred_since + std::max<DurationMs>(0, patience - job.deferred_ms));
  }
  for (const auto& [job, reservation] : state_.ledger().reservations) {
    offer(reservation->expires_at);
  }
  for (const ReceiptId id : state_.ledger().open) {
    offer(state_.ledger().receipts.at(id).reclaim->expires_at);
  }
  // an interruption of an hour ago makes way for another one
  if (state_.policy().evictions_per_hour > 0 && !state_.pending().empty()) {
    for (const TimeMs eviction : state_.ledger().evictions) offer(eviction + kHourMs);
  }
  const bool takes_back = !state_.policy().reclaim.empty() && !state_.pending().empty();
  if (takes_back || drains_by_eviction(state_)) offer(next_to_be_asked(state_, now));
  if (takes_back) offer(next_to_ask(state_, now));
  if (state_.policy().regeometry.max_cards > 0 && !state_.pending().empty()) {
    for (const auto& [card, until] : state_.ledger().layout_rests) offer(until);
  }
  if (!state_.pending().empty() && some_budget_is_spent(state_, now)) {
    offer(begin_of_month(month_of(now) + 1));
  }
  return due;
}

std::optional<Repacking> Engine::repack(ShapeIndex shape, const std::vector<LeaseId>& pinned,
                                        Ppm credit) {
  const PolicySpec& policy = state_.policy();
  if (policy.migration_ppm == 0 || !policy.scores.empty()) return std::nullopt;
  auto repacking = Repacker(state_, placer_.mig(), pinned).find(shape, credit);
  if (!repacking) return std::nullopt;
  Trial trial(state_);
  if (!move_all(trial, repacking->moves)) return std::nullopt;
  const Candidate& place = repacking->place;
  if (!state_.fits(place.node, state_.shapes().at(shape), place.grants)) return std::nullopt;
  return repacking;
}

EventBatch Engine::upkeep(TimeMs now) {
  EventBatch events;
  if (state_.prices_due()) events.push_back({now, PricesObserved{placer_.quote(state_)}});
  return events;
}

}  // namespace berth::engine
