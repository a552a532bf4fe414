// Steps 3 and 4 of the cycle: who may, and where.
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "engine/cycle/commit.h"
#include "engine/cycle/cycle.h"
#include "engine/placement/gang_search.h"

namespace berth::engine {

Cycle::Outcome Cycle::visit(const Turn& turn) {
  const JobRecord& job = *state_.find_job(turn.key.head);
  if (job.phase != JobPhase::kPending) return visit_running(job, turn.key.kind == 0);
  if (settled_.contains(job.id)) return Outcome::kPlaced;
  if (!state_.spec_of(job).spec->group.empty() && !job.formed) return visit_group(job);
  if (!job.receipt.is_none()) return visit_promised(job);
  const auto tier = static_cast<LendingTier>(turn.key.tier);
  if (admit(job, least_tasks(state_.ask_of(job)))) return visit_refused(job, tier);
  admit_more(job);
  std::vector<JobAdmission::Attempt>& attempts = admission_.attempts;
  const bool may_borrow = attempts.size() > 1 && !turn.borrows;
  if (may_borrow) attempts.pop_back();
  if (place_in_own_room(job)) return Outcome::kPlaced;
  const Mark start = mark();
  const std::uint64_t gains = state_.gain_log().end();
  if (place(job)) {
    auto better = waits_for_better(job);
    if (!better) return Outcome::kPlaced;
    back_to(start);
    trial_.forget_gains_from(gains);
    defer(job, std::move(*better));
    return Outcome::kDeferred;
  }
  if (backfill(job)) return Outcome::kPlaced;
  if (may_borrow) return Outcome::kBehind;
  if (make_room(job)) return Outcome::kPlaced;
  if (reclaim(job)) return Outcome::kDeferred;
  claim_room(job, tier);
  reserve_room(job);
  return Outcome::kRefused;
}

// The quota refuses it as things stand; of its own queue it may take what makes room in both.
Cycle::Outcome Cycle::visit_refused(const JobRecord& job, LendingTier tier) {
  if (admission_.refusal->rule == Rule::kLendingReserve) claim_room(job, tier);
  if (!may_take_inside(job)) return Outcome::kRefused;
  const bool owns = state_.spec_of(job).spec->is_protected;
  admission_.attempts = {{owns ? LeaseOwnership::kOwned : LeaseOwnership::kBorrowed, {}}};
  return reclaim_by(job, ReclaimRight::kRank) ? Outcome::kDeferred : Outcome::kRefused;
}

// Other room comes first. What is promised to the job is no charge beside that; where it has been
// given up in this cycle it is gone already.
Cycle::Outcome Cycle::visit_promised(const JobRecord& job) {
  const Mark start = mark();
  if (!given_up_.contains(job.id)) take_back_promises(trial_, job);
  if (!admit(job, least_tasks(state_.ask_of(job)))) {
    admit_more(job);
    if (place_in_own_room(job) || place(job) || backfill(job)) return Outcome::kPlaced;
  }
  back_to(start);
  waits_for_promise(job);
  return Outcome::kDeferred;
}

// What stands where the turn was: the job behind it, or more of the same running job.
std::optional<Turn> Cycle::next_of(const Turn& turn, Outcome outcome) {
  const JobRecord& job = *state_.find_job(turn.key.head);
  if (job.phase == JobPhase::kSuspended) return std::nullopt;
  if (job.phase != JobPhase::kPending) {
    return outcome == Outcome::kPlaced ? turn_of_short(job) : std::nullopt;
  }
  if (outcome == Outcome::kRefused) return std::nullopt;
  if (outcome == Outcome::kBehind) return Turn{turn.key, turn.spec, true};
  const PendingLine& line = state_.pending().line(job.spec);
  std::size_t* passed = passed_.find(job.spec);
  if (passed == nullptr) {
    passed_.insert(job.spec, 0);
    passed = passed_.find(job.spec);
  }
  if (++*passed == line.jobs.size()) return std::nullopt;
  return Turn{line_key(state_, job.spec, job_at(job.spec, *passed), now_), job.spec, turn.borrows};
}

// All jobs of the group or none; whoever of it comes first stands for them all.
Cycle::Outcome Cycle::visit_group(const JobRecord& job) {
  if (grouped_.contains(job.id))
    return *grouped_.find(job.id) ? Outcome::kPlaced : Outcome::kRefused;
  if (lacks_group(job)) return Outcome::kRefused;
  const Mark start = mark();
  const std::vector<JobId> members = forming(job);
  const JobId holder = holder_of(job);
  if (is_kept_for(holder)) {
    open_own_room(job);
    plan_.decisions.emplace_back(Reserve{holder, {}, kNever, kNever});
  }
  const GroupFit fit = place_group(job, [&](const JobRecord& member) { return place(member); });
  const bool fits = fit == GroupFit::kFits;
  for (const JobId id : members) grouped_.assign(id, fits);
  if (fits) {
    std::erase_if(kept_, [&](const auto& reservation) { return reservation->job == holder; });
    return Outcome::kPlaced;
  }
  back_to(start);
  if (fit == GroupFit::kNoRoom) {
    reserve_room(job);
  } else {
    give_up_room(holder);
  }
  return Outcome::kRefused;
}

// One decision for each of them, or none.
Cycle::GroupFit Cycle::place_group(const JobRecord& job, const PlaceOne& place_one) {
  const std::vector<JobId> members = forming(job);
  for (const JobId id : members) {
    const JobRecord& member = *state_.find_job(id);
    if (admit(member, least_tasks(state_.ask_of(member)))) return GroupFit::kNotAdmitted;
    admit_more(member);
    if (!place_one(member)) return GroupFit::kNoRoom;
    std::get<Place>(plan_.decisions.back()).with_next = id != members.back();
  }
  return GroupFit::kFits;
}

// A running job that lacks tasks: the least that makes it whole first, then one by one.
Cycle::Outcome Cycle::visit_running(const JobRecord& job, bool is_hole) {
  if (job.phase == JobPhase::kSuspended) return visit_suspended(job);
  const std::vector<RoleNeed> needs = missing_of(job);
  TaskCounts tasks;
  for (const RoleNeed& need : needs) tasks.push_back(static_cast<std::uint32_t>(need.tasks.size()));
  if (admit(job, tasks)) return Outcome::kRefused;
  const bool placed =
      search(job, needs, anchors_of(job)) || (is_hole && repair_in_kept_room(job, needs));
  if (!placed) return Outcome::kRefused;
  if (!granted_.contains(job.id)) granted_.insert(job.id, TaskCounts(needs.size(), 0));
  TaskCounts& granted = *granted_.find(job.id);
  for (std::size_t r = 0; r < needs.size(); ++r) granted[r] += tasks[r];
  return Outcome::kPlaced;
}

// A suspended task goes on where its memory is, on any cards there that will do.
Cycle::Outcome Cycle::visit_suspended(const JobRecord& job) {
  const Lease& lease = *state_.find_lease(job.leases.front());
  if (lease.state != LeaseState::kSuspended || admit(job, {1})) return Outcome::kRefused;
  const Trial::Checkpoint start = trial_.checkpoint();
  give_back_image(trial_, lease);
  const ShapeIndex shape = state_.spec_of(job).shapes.front();
  const std::span<const NodeIndex> node(&lease.placement.node, 1);
  const auto found = engine_.placer_.find_in(state_, shape, {{}, false, node});
  if (!found) {
    trial_.rollback(start);
    return Outcome::kRefused;
  }
  TaskPlacement place = lease.placement;
  place.grants = found->grants;
  trial_.take(shape, place.node, place.grants);
  trial_.charge(job.spec, shape, place.node, place.grants);
  plan_.decisions.emplace_back(Resume{lease.id, std::move(place)});
  return Outcome::kPlaced;
}

// Where the tasks that it has are, those that the plan has given it included.
std::vector<Anchor> Cycle::anchors_of(const JobRecord& job) const {
  std::vector<Anchor> anchors;
  const auto add = [&](const TaskPlacement& task) {
    anchors.push_back({task.role, task.task, task.node});
  };
  for (const LeaseId id : job.leases) add(state_.find_lease(id)->placement);
  if (!granted_.contains(job.id)) return anchors;
  for (const Decision& decision : plan_.decisions) {
    const auto* place = std::get_if<Place>(&decision);
    if (place == nullptr || place->job != job.id) continue;
    for (const TaskPlacement& task : place->tasks) add(task);
  }
  return anchors;
}

std::optional<Rejection> Cycle::admit(const JobRecord& job, const TaskCounts& tasks) {
  most_more_ = UINT32_MAX;
  admission_ = admit_job(state_, engine_.flavours_, state_.spec_of(job), tasks, now_);
  if (!admission_.refusal) admission_.refusal = left_to_others(job);
  return admission_.refusal;
}

// Room that is free but left to tenants that would else wait longer than alone. A job of such a
// tenant, within its guarantee, leaves nothing.
std::optional<Rejection> Cycle::left_to_others(const JobRecord& job) {
  if (!lends_by_account(state_)) return std::nullopt;
  const SpecRecord& spec = state_.spec_of(job);
  const FlavourIndex flavour = lending_flavour(state_, engine_.flavours_, spec.ask);
  if (flavour.is_none()) return std::nullopt;
  const LendingTier tier = lending_tier(state_, engine_.flavours_, spec, job.id);
  if (tier == LendingTier::kBehind) return std::nullopt;
  const std::uint64_t position = state_.node_log().end();
  if (free_flavour_ != flavour || free_position_ != position) {
    free_ = free_room(state_, flavour);
    free_flavour_ = flavour;
    free_position_ = position;
  }
  return lending_refusal(state_, flavour, free_, spec, now_);
}

// Whether all tasks of the job fit now, whatever the quota says.
bool Cycle::has_room(const JobRecord& job) {
  const Trial::Checkpoint start = trial_.checkpoint();
  ++engine_.effort_.searches;
  const std::uint64_t gains = state_.gain_log().end();
  GangSearch gang(trial_, engine_.placer_, engine_.rooms_,
                  {state_.ask_of(job), SpecIndex::none(), needs_of(job), {}, {}, now_});
  const bool fits = gang.run().has_value();
  trial_.rollback(start);
  trial_.forget_gains_from(gains);
  if (!fits) engine_.memory_.note_failure(state_, state_.spec_of(job).ask);
  return fits;
}

// All tasks of the job, or none.
bool Cycle::place(const JobRecord& job) {
  const AskIndex ask = state_.spec_of(job).ask;
  if (engine_.memory_.is_hopeless(state_, ask)) return false;
  if (search(job, needs_of(job), {})) {
    credit_ = earned(credit_, state_.policy());
    return true;
  }
  // a search that left models out says nothing about the ask as a whole
  if (admission_.attempts.back().models.empty()) {
    engine_.memory_.note_failure(state_, ask);
  }
  return false;
}

bool Cycle::search(const JobRecord& job, const std::vector<RoleNeed>& needs,
                   std::span<const Anchor> anchors) {
  for (const JobAdmission::Attempt& attempt : admission_.attempts) {
    ++engine_.effort_.searches;
    GangSearch gang(trial_, engine_.placer_, engine_.rooms_,
                    {state_.ask_of(job), job.spec, needs, attempt.models, anchors, now_});
    const std::uint64_t gains = state_.gain_log().end();
    auto found = gang.run();
    if (!found) {
      trial_.forget_gains_from(gains);
      failed_ = gang.shortfall();
      continue;
    }
    if (found->tasks.size() == 1) {  // the next one of its like often fits beside it
      engine_.memory_.note_place(state_, state_.spec_of(job).ask, found->tasks.front().node);
    }
    Place decision;
    decision.job = job.id;
    decision.ownership = attempt.ownership;
    decision.tasks = std::move(found->tasks);
    decision.domain = found->domain;
    plan_.decisions.emplace_back(std::move(decision));
    return true;
  }
  return false;
}

// The most that an elastic job may start with as it may with the least: within the guarantee, or
// above it. What is more comes later, as tasks that it lacks, each judged by itself.
void Cycle::admit_more(const JobRecord& job) {
  const SpecRecord& spec = state_.spec_of(job);
  most_more_ = UINT32_MAX;
  if (tasks_of(job, 0) == tasks_of(job, UINT32_MAX) || is_unruled(state_, spec)) return;
  const LeaseOwnership as = admission_.attempts.front().ownership;
  const auto fits = [&](std::uint32_t more) {
    return !admit(job, tasks_of(job, more)) && admission_.attempts.front().ownership == as;
  };
  std::uint32_t low = 0;
  for (std::uint32_t high = spec.tasks; low < high;) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  fits(low);  // what it says of models is of those tasks
  most_more_ = low;
}

// What it needs at least, and so many more of each elastic role.
TaskCounts Cycle::tasks_of(const JobRecord& job, std::uint32_t more) const {
  const Ask& ask = state_.ask_of(job);
  TaskCounts tasks = least_tasks(ask);
  for (std::size_t r = 0; r < tasks.size(); ++r) {
    const RoleAsk& role = ask.roles[r];
    if (role.elastic && !role.optional) tasks[r] += std::min(more, role.count - role.min);
  }
  return tasks;
}

// Every task of a job that starts; of an elastic role as many as fit. A role that the job can do
// without comes later, as a task that it lacks.
std::vector<RoleNeed> Cycle::needs_of(const JobRecord& job) const {
  const Ask& ask = state_.ask_of(job);
  const TaskCounts least = least_tasks(ask);
  const TaskCounts most = tasks_of(job, most_more_);
  std::vector<RoleNeed> needs;
  for (std::size_t r = 0; r < ask.roles.size(); ++r) {
    RoleNeed need;
    need.tasks.resize(most[r]);
    std::iota(need.tasks.begin(), need.tasks.end(), 0);
    need.least = least[r];
    needs.push_back(std::move(need));
  }
  return needs;
}

// What a running job is to be given next: what its roles lack of their minimum, together; else such
// a part of a role that it can do without; else one more task.
std::vector<RoleNeed> Cycle::missing_of(const JobRecord& job) const {
  const std::vector<RoleAsk>& roles = state_.ask_of(job).roles;
  const TaskCounts* granted = granted_.find(job.id);
  std::vector<RoleNeed> least(roles.size());
  std::vector<RoleNeed> next(roles.size());
  bool broken = false;
  bool found = false;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    RoleTasks tasks = state_.role_tasks(job, r);
    const auto there = static_cast<std::uint32_t>(tasks.missing.size());
    const std::uint32_t got = std::min(there, granted == nullptr ? 0 : (*granted)[r]);
    tasks.missing.erase(tasks.missing.begin(), tasks.missing.begin() + got);
    if (tasks.missing.empty()) continue;
    // numbers that are leaving are not there to be given again
    const std::uint32_t must =
        std::min(there, tasks.least_missing) - std::min(std::min(there, tasks.least_missing), got);
    tasks.missing.resize(std::max(1U, must));
    RoleNeed need{tasks.missing, std::max(1U, must)};
    if (must > 0 && !roles[r].optional) {
      least[r] = std::move(need);
      broken = true;
    } else if (!found) {
      next[r] = std::move(need);
      found = true;
    }
  }
  return broken ? least : next;
}

std::optional<Turn> Cycle::turn_of_short(const JobRecord& job) const {
  if (job.backoff_until > now_) return std::nullopt;
  Turn turn{line_key(state_, job.spec, job.id, now_), job.spec};
  if (job.phase == JobPhase::kSuspended) return turn;  // it has waited as any new work
  turn.key.kind = 2;
  bool any = false;
  const std::vector<RoleNeed> needs = missing_of(job);
  for (std::size_t r = 0; r < needs.size(); ++r) {
    if (needs[r].tasks.empty()) continue;
    any = true;
    const RoleAsk& role = state_.ask_of(job).roles[r];
    const bool hole = state_.role_tasks(job, r).least_missing > 0 || !role.elastic;
    if (hole) turn.key.kind = 0;
  }
  return any ? std::optional(turn) : std::nullopt;
}

// Moves others for the one task of a job that fits nowhere, where the policy allows it.
bool Cycle::make_room(const JobRecord& job) {
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
  trial_.charge(job.spec, shape, repacking->place.node, repacking->place.grants);
  engine_.memory_.forget(spec.ask);
  credit_ -= static_cast<Ppm>(repacking->moves.size()) * kPpmOne;
  for (Move& move : repacking->moves) {
    moved_.push_back(move.lease);
    plan_.decisions.emplace_back(std::move(move));
  }
  Place decision;
  decision.job = job.id;
  decision.ownership = admission_.attempts.back().ownership;
  decision.tasks.push_back({0, 0, repacking->place.node, repacking->place.grants});
  plan_.decisions.emplace_back(std::move(decision));
  credit_ = earned(credit_, state_.policy());
  return true;
}

// Each shape is tried once a cycle, and not again while nothing has happened.
bool Cycle::moves_may_help(ShapeIndex shape) const {
  const std::uint64_t* tried = engine_.immovable_.find(shape);
  if (tried != nullptr && *tried == state_.revision()) return false;
  return !no_moves_.contains(shape);
}

}  // namespace berth::engine
