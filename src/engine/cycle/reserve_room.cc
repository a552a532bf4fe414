// Step 6 of the cycle: room is kept for the first jobs that find none, as soon as that is known,
// and others may use it as long as they have ended before.
#include <algorithm>

#include "engine/cycle/cycle.h"

namespace berth::engine {
namespace {

// A reservation holds that long past its start; then it must be proven again.
constexpr DurationMs kHoldMs = 10 * kMinuteMs;

// The nodes are kept for the job; none: for nobody.
void keep(Trial& trial, const Reserve& reservation, JobId job) {
  for (const NodeIndex node : reservation.nodes) trial.keep(node, job);
}

}  // namespace

// Ends what keeps room for nothing, and proves again what has expired. Before anything is placed,
// so that the room is used at once.
void Cycle::review_reservations() {
  const auto reservations = state_.ledger().reservations;  // a copy: the trial keeps the state
  for (const auto& [id, reservation] : reservations) {
    const JobRecord* job = state_.find_job(id);
    if (job == nullptr ? !pool_.holds(PartitionIndex::none()) : !pool_.holds(state_, *job))
      continue;
    const bool waits = job != nullptr && may_still_use(*job);
    if (waits && reservation->expires_at > now_ && can_be_used(*reservation)) {
      kept_.push_back(reservation);
      continue;
    }
    for (const NodeIndex node : reservation->nodes) {
      if (state_.node(node).held_for == id) trial_.keep(node, JobId::none());
    }
    if (waits && reserve_for(*job)) continue;
    plan_.decisions.emplace_back(Reserve{id, {}, kNever, kNever});
  }
}

// Whether nothing but room keeps the job, with all of its group, from its start.
bool Cycle::may_still_use(const JobRecord& job) {
  const auto may = [&](const JobRecord& one) {
    return one.phase == JobPhase::kPending && !why_asleep(one) &&
           !admit(one, least_tasks(state_.ask_of(one)));
  };
  if (!forms_group(job)) return may(job);
  if (lacks_group(job)) return false;
  const std::vector<JobId> members = forming(job);
  return std::all_of(members.begin(), members.end(),
                     [&](JobId id) { return may(*state_.find_job(id)); });
}

bool Cycle::can_be_used(const Reserve& reservation) const {
  return std::all_of(reservation.nodes.begin(), reservation.nodes.end(), [&](NodeIndex node) {
    return state_.node(node).condition == NodeCondition::kReady;
  });
}

// The room that is kept for the job is anybody's.
void Cycle::give_up_room(JobId job) {
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    if (kept_[k]->job != job) continue;
    keep(trial_, *kept_[k], JobId::none());
    plan_.decisions.emplace_back(Reserve{job, {}, kNever, kNever});
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(k));
    return;
  }
}

// For the first in order that found no room and have waited long enough; at once, so that whoever
// comes after them in the same cycle leaves it.
void Cycle::reserve_room(const JobRecord& job) {
  const PolicySpec& policy = state_.policy();
  if (tried_to_reserve_ >= policy.reservations) return;
  if (now_ - job.submitted_at < policy.reserve_after_ms) return;
  ++tried_to_reserve_;
  if (kept_.size() < policy.reservations && !is_kept_for(holder_of(job))) reserve_for(job);
}

// The hole of a running gang goes before new work that does not rank higher, though room is kept
// for that: then the room is looked for anew.
bool Cycle::repair_in_kept_room(const JobRecord& job, const std::vector<RoleNeed>& needs) {
  const JobSpec& spec = *state_.spec_of(job).spec;
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const auto reservation = kept_[k];
    const JobRecord& other = *state_.find_job(reservation->job);
    const JobSpec& holder = *state_.spec_of(other).spec;
    if (holder.job_class < spec.job_class || holder.priority > spec.priority) continue;
    const Mark start = mark();
    keep(trial_, *reservation, JobId::none());
    plan_.decisions.emplace_back(Reserve{other.id, {}, kNever, kNever});
    if (!search(job, needs, anchors_of(job))) {
      back_to(start);
      continue;
    }
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(k));
    reserve_for(other);
    return true;
  }
  return false;
}

// Keeps the nodes on which the job can start soonest, when that is more than a guess.
bool Cycle::reserve_for(const JobRecord& job) {
  Eta soonest = eta(job);
  if (soonest.at == kNever || soonest.last.is_none() || soonest.basis == EndBasis::kUnknown) {
    return false;
  }
  auto reservation = std::make_shared<Reserve>();
  reservation->job = job.id;
  reservation->nodes = std::move(soonest.nodes);
  reservation->starts_at = soonest.at;
  reservation->expires_at = saturating_add(soonest.at, kHoldMs);
  keep(trial_, *reservation, job.id);
  plan_.decisions.emplace_back(*reservation);
  kept_.push_back(std::move(reservation));
  return true;
}

bool Cycle::is_kept_for(JobId job) const {
  return std::any_of(kept_.begin(), kept_.end(),
                     [&](const auto& reservation) { return reservation->job == job; });
}

// Whose reservation is the job's: of a group that has not started yet one job holds it for all.
JobId Cycle::holder_of(const JobRecord& job) const {
  if (!forms_group(job)) return job.id;
  for (const JobId id : state_.group_of(job)) {
    if (is_kept_for(id) || state_.ledger().reservations.contains(id)) return id;
  }
  return job.id;
}

// In the room that is kept for it, and all that is free.
bool Cycle::place_in_own_room(const JobRecord& job) {
  const auto own = std::find_if(kept_.begin(), kept_.end(), [&](const auto& reservation) {
    return reservation->job == job.id;
  });
  if (own == kept_.end()) return false;
  const Trial::Checkpoint start = trial_.checkpoint();
  keep(trial_, **own, JobId::none());
  if (search(job, needs_of(job), {})) {
    kept_.erase(own);
    return true;
  }
  trial_.rollback(start);
  return false;
}

// In room that is kept for another job and free until that starts.
bool Cycle::backfill(const JobRecord& job) {
  const SpecRecord& spec = state_.spec_of(job);
  const Backfill rule = state_.policy().backfill;
  for (const auto& reservation : kept_) {
    if (reservation->job == job.id) continue;
    if (!ends_before(state_, spec, now_, reservation->starts_at, rule)) continue;
    const Trial::Checkpoint start = trial_.checkpoint();
    keep(trial_, *reservation, JobId::none());
    if (!search(job, needs_of(job), {})) {
      trial_.rollback(start);
      continue;
    }
    keep(trial_, *reservation, reservation->job);
    std::get<Place>(plan_.decisions.back()).backfills = true;
    return true;
  }
  return false;
}

// The room that is kept for the job counts for it.
void Cycle::open_own_room(const JobRecord& job) {
  const auto& reservations = state_.ledger().reservations;
  const JobId holder = holder_of(job);
  const auto planned = std::find_if(kept_.begin(), kept_.end(), [&](const auto& reservation) {
    return reservation->job == holder;
  });
  const auto stands = reservations.find(holder);
  const Reserve* own = planned != kept_.end()         ? planned->get()
                       : stands != reservations.end() ? stands->second.get()
                                                      : nullptr;
  if (own == nullptr) return;
  for (const NodeIndex node : own->nodes) {
    if (state_.node(node).held_for == holder) trial_.keep(node, JobId::none());
  }
}

}  // namespace berth::engine
