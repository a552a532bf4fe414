#include "engine/cycle/engine.h"

#include "engine/state/trial.h"

namespace berth::engine {
namespace {

LeaseGranted grant_of(const JobRecord& job, LeaseId lease, const TaskPlacement& task,
                      std::uint64_t term) {
  LeaseGranted grant;
  grant.lease = lease;
  grant.epoch = job.attempts + 1;
  grant.term = term;
  grant.job = job.id;
  grant.placement = task;
  return grant;
}

// Takes every task of the place in the trial, or none.
bool take_all(Trial& trial, const SpecRecord& spec, const std::vector<TaskPlacement>& tasks) {
  const Trial::Checkpoint start = trial.checkpoint();
  for (const TaskPlacement& task : tasks) {
    const ShapeIndex shape = spec.shapes[task.role];
    if (!trial.state().fits(task.node, trial.state().shapes().at(shape), task.grants)) {
      trial.rollback(start);
      return false;
    }
    trial.take(shape, task.node, task.grants);
  }
  return true;
}

}  // namespace

EventBatch Engine::place_at_once(JobId id, TimeMs now) {
  EventBatch events;
  const JobRecord* job = state_.find_job(id);
  if (job == nullptr || job->phase != JobPhase::kPending || job->user_held) return events;
  const SpecRecord& spec = state_.spec_of(*job);
  if (spec.tasks != 1) return events;  // gangs are placed by the cycle
  const auto candidate = placer_.find(state_, spec.shapes.front());
  if (!candidate) return events;
  TaskPlacement task;
  task.node = candidate->node;
  task.grants = candidate->grants;
  events.push_back({now, grant_of(*job, state_.next_lease(), task, state_.term())});
  return events;
}

EventBatch Engine::upkeep(TimeMs now) {
  EventBatch events;
  if (state_.prices_due()) events.push_back({now, PricesObserved{placer_.quote(state_)}});
  return events;
}

EventBatch Engine::commit(const Plan& plan, TimeMs now) {
  EventBatch events;
  Trial trial(state_);
  LeaseId next = state_.next_lease();
  for (const Decision& decision : plan.decisions) {
    if (const auto* place = std::get_if<Place>(&decision)) {
      const JobRecord* job = state_.find_job(place->job);
      if (job == nullptr || job->phase != JobPhase::kPending || job->user_held) continue;
      if (!take_all(trial, state_.spec_of(*job), place->tasks)) continue;
      for (const TaskPlacement& task : place->tasks) {
        events.push_back({now, grant_of(*job, next, task, state_.term())});
        next = LeaseId(next.value() + 1);
      }
    } else if (const auto* hold = std::get_if<Hold>(&decision)) {
      const JobRecord* job = state_.find_job(hold->job);
      if (job == nullptr || job->phase != JobPhase::kPending) continue;
      events.push_back({now, JobHeld{hold->job, hold->reasons}});
    } else if (const auto* backoff = std::get_if<Backoff>(&decision)) {
      if (state_.find_job(backoff->job) == nullptr) continue;
      events.push_back({now, JobBackedOff{backoff->job, backoff->until}});
    }
  }
  return events;
}

}  // namespace berth::engine
