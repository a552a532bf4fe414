// The scheduling cycle. Steps that need quota, reclaim and reservation join here in this order.
#include "engine/cycle/engine.h"
#include "engine/cycle/explain.h"
#include "engine/state/trial.h"

namespace berth::engine {

class Cycle {
 public:
  Cycle(Engine& engine, TimeMs now)
      : engine_(engine), state_(engine.state_), trial_(engine.state_), now_(now) {}

  // 1 snapshot: the trial undoes whatever the cycle tries
  Plan run() {
    Plan plan;
    plan.base_revision = state_.revision();
    for (const PendingKey& key : state_.pending()) {  // 2 order
      const JobRecord& job = *state_.find_job(key.job);
      if (!admit(job, plan)) continue;                // 3 admit
      if (!place(job, plan)) hold(job, plan);         // 4 place, 5 explain what is held
    }
    return plan;
  }

 private:
  bool admit(const JobRecord& job, Plan& plan) {
    if (job.user_held) {
      hold_because(job, {Rule::kHeldByUser, {}, {}}, plan);
      return false;
    }
    if (job.backoff_until > now_) {
      hold_because(job, {Rule::kBackoff, {}, {{"until_ms", job.backoff_until}}}, plan);
      return false;
    }
    return true;
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
          if (spec.spec->elastic && task >= wanted.min_tasks()) break;
          trial_.rollback(start);
          failed_shape_ = spec.shapes[role];
          return false;
        }
        trial_.take(spec.shapes[role], candidate->node, candidate->grants);
        decision.tasks.push_back(
            {static_cast<std::uint16_t>(role), task, candidate->node, candidate->grants});
      }
    }
    plan.decisions.emplace_back(std::move(decision));
    return true;
  }

  std::optional<Candidate> find(ShapeIndex shape) {
    const std::uint64_t* full = engine_.full_.find(shape);
    if (full != nullptr && *full == state_.room_revision()) return std::nullopt;
    auto candidate = engine_.placer_.find(state_, shape);
    // A failed gang gives its room back, so only a failure against the real state is remembered.
    if (!candidate && trial_.checkpoint() == 0) engine_.full_.assign(shape, state_.room_revision());
    return candidate;
  }

  // Reasons are computed once per shape and cycle, and recorded when they change.
  void hold(const JobRecord& job, Plan& plan) {
    const RejectionsPtr* known = reasons_.find(failed_shape_);
    if (known == nullptr) {
      Rejections reasons = explain(state_, failed_shape_);
      const std::uint32_t tasks = state_.spec_of(job).tasks;
      if (reasons.empty()) reasons.push_back({Rule::kGang, {}, {{"asked", tasks}}});
      reasons_.insert(failed_shape_, std::make_shared<const Rejections>(std::move(reasons)));
      known = reasons_.find(failed_shape_);
    }
    record(job, *known, plan);
  }

  void hold_because(const JobRecord& job, Rejection why, Plan& plan) {
    record(job, std::make_shared<const Rejections>(Rejections{std::move(why)}), plan);
  }

  static void record(const JobRecord& job, const RejectionsPtr& reasons, Plan& plan) {
    if (job.reasons != nullptr && *job.reasons == *reasons) return;
    plan.decisions.emplace_back(Hold{job.id, reasons});
  }

  Engine& engine_;
  const ClusterState& state_;
  Trial trial_;
  TimeMs now_;
  ShapeIndex failed_shape_;
  LookupMap<ShapeIndex, RejectionsPtr> reasons_;
};

Plan Engine::plan(TimeMs now) { return Cycle(*this, now).run(); }

}  // namespace berth::engine
