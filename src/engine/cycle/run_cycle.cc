// The scheduling cycle. Steps that need quota, reclaim and reservation join here in this order.
#include <optional>
#include <utility>

#include "base/check.h"
#include "engine/cycle/commit.h"
#include "engine/cycle/engine.h"
#include "engine/cycle/explain.h"
#include "engine/state/trial.h"

namespace berth::engine {

class Cycle {
 public:
  Cycle(Engine& engine, TimeMs now)
      : engine_(engine),
        state_(engine.state_),
        trial_(engine.state_),
        now_(now),
        credit_(engine.state_.totals().move_credit) {}

  // 1 snapshot: the trial undoes whatever the cycle tries
  Plan run() {
    Plan plan;
    plan.base_revision = state_.revision();
    for (const PendingKey& key : state_.pending()) {  // 2 order
      const JobRecord& job = *state_.find_job(key.job);
      if (auto refusal = refuse(job)) {  // 3 admit
        hold(job, only(std::move(*refusal)), plan);
        continue;
      }
      if (place(job, plan) || make_room(job, plan)) continue;  // 4 place
      hold(job, shortage(job), plan);                          // 5 explain what is held
    }
    return plan;
  }

  // Why the job waits, when it is the first to be looked at; empty when it fits.
  Rejections why(const JobRecord& job) {
    if (auto refusal = refuse(job)) return {std::move(*refusal)};
    Plan tried;
    return place(job, tried) ? Rejections{} : *shortage(job);
  }

 private:
  // Why the job may not be placed now wherever there is room.
  std::optional<Rejection> refuse(const JobRecord& job) const {
    if (job.user_held) return Rejection{Rule::kHeldByUser, {}, {}};
    if (job.backoff_until > now_) {
      Rejection why{Rule::kBackoff, {}, {{"until_ms", job.backoff_until}}};
      // what its executor said when it failed
      const bool known = job.reasons != nullptr && !job.reasons->empty() &&
                         job.reasons->front().rule == Rule::kBackoff;
      if (known) why.place = job.reasons->front().place;
      return why;
    }
    return std::nullopt;
  }

  // All tasks of the job, or none.
  bool place(const JobRecord& job, Plan& plan) {
    const SpecRecord& spec = state_.spec_of(job);
    const Trial::Checkpoint start = trial_.checkpoint();
    Place decision;
    decision.job = job.id;
    for (std::size_t role = 0; role < spec.shapes.size(); ++role) {
      const Role& wanted = spec.spec->roles[role];
      for (std::uint32_t task = 0; task < wanted.count; ++task) {
        auto candidate = find(spec.shapes[role]);
        if (!candidate) {
          if (wanted.elastic && task >= wanted.min_tasks()) break;
          trial_.rollback(start);
          failed_shape_ = spec.shapes[role];
          fitted_ = static_cast<std::int64_t>(decision.tasks.size());
          return false;
        }
        trial_.take(spec.shapes[role], candidate->node, candidate->grants);
        decision.tasks.push_back(
            {static_cast<std::uint16_t>(role), task, candidate->node, candidate->grants});
      }
    }
    plan.decisions.emplace_back(std::move(decision));
    credit_ = earned(credit_, state_.policy());
    return true;
  }

  // Moves others for the one task of a job that fits nowhere, where the policy allows it.
  bool make_room(const JobRecord& job, Plan& plan) {
    const SpecRecord& spec = state_.spec_of(job);
    if (spec.tasks != 1 || credit_ < kPpmOne) return false;
    const ShapeIndex shape = spec.shapes.front();
    if (!moves_may_help(shape)) return false;
    auto repacking = engine_.repack(shape, moved_, credit_);
    if (!repacking) {
      no_moves_.assign(shape, true);
      if (trial_.checkpoint() == 0) engine_.immovable_.assign(shape, state_.revision());
      return false;
    }
    BERTH_CHECK(move_all(trial_, repacking->moves));
    trial_.take(shape, repacking->place.node, repacking->place.grants);
    credit_ -= static_cast<Ppm>(repacking->moves.size()) * kPpmOne;
    for (Move& move : repacking->moves) {
      moved_.push_back(move.lease);
      plan.decisions.emplace_back(std::move(move));
    }
    Place decision;
    decision.job = job.id;
    decision.tasks.push_back({0, 0, repacking->place.node, repacking->place.grants});
    plan.decisions.emplace_back(std::move(decision));
    credit_ = earned(credit_, state_.policy());
    return true;
  }

  // Each shape is tried once a cycle, and not again while nothing has happened.
  bool moves_may_help(ShapeIndex shape) const {
    const std::uint64_t* tried = engine_.immovable_.find(shape);
    if (tried != nullptr && *tried == state_.revision()) return false;
    return !no_moves_.contains(shape);
  }

  std::optional<Candidate> find(ShapeIndex shape) {
    const std::uint64_t* full = engine_.full_.find(shape);
    if (full != nullptr && *full == state_.room_revision()) return std::nullopt;
    auto candidate = engine_.placer_.find(state_, shape);
    // A failed gang gives its room back, so only a failure against the real state is remembered.
    if (!candidate && trial_.checkpoint() == 0) engine_.full_.assign(shape, state_.room_revision());
    return candidate;
  }

  // Why the job that was tried last found no place. The reasons of a shape are computed once a
  // cycle; that a gang is too large is its own affair.
  RejectionsPtr shortage(const JobRecord& job) {
    const RejectionsPtr* known = reasons_.find(failed_shape_);
    if (known == nullptr) {
      Rejections reasons = explain(state_, failed_shape_);
      reasons_.insert(failed_shape_, std::make_shared<const Rejections>(std::move(reasons)));
      known = reasons_.find(failed_shape_);
    }
    if (!(*known)->empty()) return *known;
    std::int64_t least = 0;
    for (const Role& role : state_.spec_of(job).spec->roles) least += role.min_tasks();
    return only({Rule::kGang, {}, {{"asked", least}, {"free", fitted_}}});
  }

  static RejectionsPtr only(Rejection why) {
    return std::make_shared<const Rejections>(1, std::move(why));
  }

  // In a full fleet the numbers change with every lease, and a new record for every waiting job
  // each time would be most of the journal. Who asks is told them by `Engine::why`.
  static void hold(const JobRecord& job, RejectionsPtr reasons, Plan& plan) {
    if (job.reasons != nullptr && same_grounds(*job.reasons, *reasons)) return;
    plan.decisions.emplace_back(Hold{job.id, std::move(reasons)});
  }

  Engine& engine_;
  const ClusterState& state_;
  Trial trial_;
  TimeMs now_;
  Ppm credit_;                  // in the bank of moves
  std::vector<LeaseId> moved_;  // leases that this cycle moves
  LookupMap<ShapeIndex, bool> no_moves_;
  ShapeIndex failed_shape_;
  std::int64_t fitted_ = 0;  // tasks of the failed job that did fit
  LookupMap<ShapeIndex, RejectionsPtr> reasons_;
};

Plan Engine::plan(TimeMs now) { return Cycle(*this, now).run(); }

Rejections Engine::why(JobId id, TimeMs now) {
  const JobRecord* job = state_.find_job(id);
  if (job == nullptr || job->phase != JobPhase::kPending) return {};
  return Cycle(*this, now).why(*job);
}

}  // namespace berth::engine
