#include "engine/cycle/commit.h"

#include <utility>

#include "engine/cycle/engine.h"

namespace berth::engine {
namespace {

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

// Turns decisions into events, each checked against the state as the ones before have left it.
class Committer {
 public:
  Committer(ClusterState& state, TimeMs now)
      : state_(state),
        trial_(state),
        now_(now),
        next_(state.next_lease()),
        credit_(state.totals().move_credit) {}

  // Moves make room for the place that follows them and are committed with it or not at all.
  void operator()(const Move& move) { moves_.push_back(move); }

  void operator()(const Place& place) {
    const std::vector<Move> moves = std::exchange(moves_, {});
    const JobRecord* job = pending(place.job);
    if (job == nullptr || job->user_held) return;
    const Trial::Checkpoint start = trial_.checkpoint();
    const Ppm price = static_cast<Ppm>(moves.size()) * kPpmOne;
    if (price > credit_ || !move_all(trial_, moves)) return;
    if (!take_all(trial_, state_.spec_of(*job), place.tasks)) return trial_.rollback(start);
    credit_ = earned(credit_ - price, state_.policy());
    for (const Move& move : moves) events_.push_back({now_, LeaseMoved{move.lease, move.target}});
    for (const TaskPlacement& task : place.tasks) {
      events_.push_back({now_, grant_of(*job, next_, task, state_.term())});
      next_ = LeaseId(next_.value() + 1);
    }
  }

  void operator()(const Hold& hold) {
    if (pending(hold.job) != nullptr) events_.push_back({now_, JobHeld{hold.job, hold.reasons}});
  }

  void operator()(const Backoff& backoff) {
    if (state_.find_job(backoff.job) == nullptr) return;
    events_.push_back({now_, JobBackedOff{backoff.job, backoff.until}});
  }

  template <typename Other>  // decisions that no planner makes yet
  void operator()(const Other& /*decision*/) {}

  EventBatch take_events() { return std::move(events_); }

 private:
  const JobRecord* pending(JobId id) const {
    const JobRecord* job = state_.find_job(id);
    return job == nullptr || job->phase != JobPhase::kPending ? nullptr : job;
  }

  const ClusterState& state_;
  Trial trial_;
  TimeMs now_;
  LeaseId next_;
  Ppm credit_;
  std::vector<Move> moves_;
  EventBatch events_;
};

}  // namespace

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

bool move_all(Trial& trial, const std::vector<Move>& moves) {
  const ClusterState& state = trial.state();
  const Trial::Checkpoint start = trial.checkpoint();
  for (const Move& move : moves) {
    const Lease* lease = state.find_lease(move.lease);
    if (lease != nullptr && lease->state == LeaseState::kRunning) {
      const SpecRecord& spec = state.spec_of(*state.find_job(lease->job));
      const ShapeIndex shape = spec.shapes[lease->placement.role];
      trial.give(shape, lease->placement.node, lease->placement.grants);
      if (state.fits(move.target.node, state.shapes().at(shape), move.target.grants)) {
        trial.take(shape, move.target.node, move.target.grants);
        continue;
      }
    }
    trial.rollback(start);
    return false;
  }
  return true;
}

EventBatch Engine::commit(const Plan& plan, TimeMs now) {
  Committer committer(state_, now);
  for (const Decision& decision : plan.decisions) std::visit(committer, decision);
  return committer.take_events();
}

}  // namespace berth::engine
