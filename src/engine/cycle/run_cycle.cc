// The scheduling cycle.
#include <set>

#include "engine/cycle/cycle.h"

namespace berth::engine {

Cycle::Cycle(Engine& engine, TimeMs now)
    : engine_(engine),
      state_(engine.state_),
      trial_(engine.state_),
      now_(now),
      credit_(engine.state_.totals().move_credit) {}

// 1 snapshot: the trial undoes whatever the cycle tries
Plan Cycle::run() {
  plan_.base_revision = state_.revision();
  engine_.effort_ = {};
  review_reservations();
  QueueOrder order(state_, engine_.flavours_, now_);  // 2 shares and order
  line_up(order);
  while (const auto turn = order.next()) {
    ++engine_.effort_.turns;
    const Outcome outcome = visit(*turn);  // 3 admit 4 place
    order.end_turn(next_of(*turn, outcome));
  }
  end_deferrals();
  reserve_room();  // 6 reserve; backfill is part of placing
  explain_held();  // 8 explain what is held
  return std::move(plan_);
}

// Lines of asks for which there is room, and running jobs that lack tasks. What finds no room has
// no part in the order, so that it decides nothing whether that was remembered or found out now.
void Cycle::line_up(QueueOrder& order) {
  const PendingLines& pending = state_.pending();
  // moves may make room for any of them, and who finds none may have some kept
  const bool all = state_.policy().migration_ppm > 0 || state_.policy().reservations > 0;
  std::vector<AskIndex> asks;
  std::set<QueueIndex> queues;
  for (const AskIndex ask : pending.asks()) {
    if (!all && engine_.memory_.is_hopeless(state_, ask)) continue;
    asks.push_back(ask);
    for (const SpecIndex spec : pending.of_ask(ask)) queues.insert(pending.line(spec).queue);
  }
  for (const JobId id : pending.short_jobs()) {
    const auto turn = turn_of_short(*state_.find_job(id));
    if (!turn) continue;
    order.add(*turn);
    queues.insert(state_.spec(turn->spec).home.queue);
  }
  for (const AskIndex ask : asks) {
    // in a single queue nobody has to give way to what would fail
    const SpecIndex first = pending.of_ask(ask).front();
    const JobRecord& head = *state_.find_job(pending.line(first).jobs.front());
    if (!all && queues.size() > 1 && !has_room(head)) continue;
    for (const SpecIndex spec : pending.of_ask(ask)) {
      order.add({line_key(state_, spec, pending.line(spec).jobs.front(), now_), spec});
    }
  }
}

Plan Engine::plan(TimeMs now) {
  state_.wake(now);
  return Cycle(*this, now).run();
}

Rejections Engine::why(JobId id, TimeMs now) {
  const JobRecord* job = state_.find_job(id);
  if (job == nullptr) return {};
  if (job->phase == JobPhase::kPending) return Cycle(*this, now).why(*job);
  const bool runs = job->phase == JobPhase::kRunning || job->phase == JobPhase::kRepairing;
  return runs ? Cycle(*this, now).why_short(*job) : Rejections{};
}

}  // namespace berth::engine
