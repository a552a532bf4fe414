// The scheduling cycle.
#include <utility>
#include <vector>

#include "engine/cycle/cycle.h"

namespace berth::engine {

namespace {

// What of a job that is to go is there though its end is long past.
Rejections stuck_tasks(const ClusterState& state, const JobRecord& job) {
  Rejections reasons;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.lateness != Lateness::kStuck) continue;
    CardUnits cards = 0;
    for (const CardGrant& grant : lease.placement.grants) cards += grant.compute;
    reasons.push_back({Rule::kStuck,
                       state.node(lease.placement.node).spec->name,
                       {{"cards_milli", cards * 1000 / kCard}}});
  }
  return reasons;
}

}  // namespace

Cycle::Cycle(Engine& engine, TimeMs now, Pool pool)
    : engine_(engine),
      state_(engine.state_),
      trial_(engine.state_),
      now_(now),
      pool_(std::move(pool)),
      tries_all_(state_.policy().migration_ppm > 0 || state_.policy().reservations > 0 ||
                 !state_.policy().reclaim.empty() || anyone_first(state_)),
      credit_(engine.state_.totals().move_credit),
      shares_(engine.state_, engine.flavours_, now),
      levels_(engine.state_, now) {
  if (takes_by_share()) shares_.work_out();
}

// 1 snapshot: the trial undoes whatever the cycle tries
Plan Cycle::run() {
  plan_.base_revision = state_.revision();
  review_receipts();
  review_reservations();
  QueueOrder order(state_, engine_.flavours_, now_, this);  // 2 shares and order
  line_up(order);
  while (!is_exhausted()) {
    const auto turn = order.next();
    if (!turn) break;
    ++engine_.effort_.turns;
    const Outcome outcome = visit(*turn);  // 3 admit 4 place 5 reclaim 6 reserve
    order.end_turn(next_of(*turn, outcome));
  }
  end_deferrals();
  change_layouts();  // 7 consolidate
  explain_held();    // 8 explain what is held
  return std::move(plan_);
}

void Cycle::back_to(const Mark& mark) {
  trial_.rollback(mark.trial);
  plan_.decisions.resize(mark.decisions);
  credit_ = mark.credit;
}

Plan Engine::plan(TimeMs now) {
  begin_plan(now);
  std::vector<Plan> plans;
  for (Pool& pool : pools_of(state_)) plans.push_back(plan_pool(std::move(pool), now));
  return merge(std::move(plans));
}

void Engine::begin_plan(TimeMs now) {
  state_.wake(now);
  effort_ = {};
}

// Partitions that something ties together are planned as the first of them.
Plan Engine::plan_pool(Pool pool, TimeMs now) {
  const auto first = pool.is_all ? PartitionIndex::none() : pool.partitions.front();
  const PolicyScope scope(state_.policies(), first);
  return Cycle(*this, now, std::move(pool)).run();
}

Rejections Engine::why(JobId id, TimeMs now) {
  const JobRecord* job = state_.find_job(id);
  if (job == nullptr) return {};
  const PolicyScope scope(state_.policies(), state_.spec_of(*job).home.partition);
  if (job->phase == JobPhase::kPending) {
    Cycle cycle(*this, now);
    Rejections reasons = cycle.why(*job);
    auto line = reasons.empty() ? std::nullopt : cycle.place_in_line(*job);
    if (line) reasons.push_back(std::move(*line));
    return reasons;
  }
  if (job->phase == JobPhase::kReleasing) return stuck_tasks(state_, *job);
  const bool runs = job->phase == JobPhase::kRunning || job->phase == JobPhase::kRepairing;
  return runs ? Cycle(*this, now).why_short(*job) : Rejections{};
}

}  // namespace berth::engine
