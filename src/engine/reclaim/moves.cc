#include "engine/reclaim/moves.h"

#include <algorithm>

namespace berth::engine {

bool can_move(const ClusterState& state, const JobRecord& job, const Loss& loss) {
  const JobSpec& spec = *state.spec_of(job).spec;
  if (job.phase != JobPhase::kRunning) return false;  // it starts again with what it has
  const bool alone = spec.group.empty() && spec.domain_resources.empty() && job.ended.empty();
  if (!alone || !job.receipt.is_none() || !state.policy().may_use(ReclaimGrade::kMove)) {
    return false;
  }
  if (loss.grade != ReclaimGrade::kCheckpointEvict || loss.real_ms > loss.counted_ms) return false;
  return std::all_of(job.leases.begin(), job.leases.end(), [&](LeaseId id) {
    return state.find_lease(id)->capabilities.has(ReclaimGrade::kMove);
  });
}

const TaskPlacement* promised_place(const ClusterState& state, const Lease& lease) {
  const JobRecord& job = *state.find_job(lease.job);
  for (const LeaseId id : job.promises) {
    const TaskPlacement& task = state.find_lease(id)->placement;
    if (task.role == lease.placement.role && task.task == lease.placement.task) return &task;
  }
  return nullptr;
}

std::map<JobId, std::vector<TaskPlacement>> moves_of(const Reclaim& reclaim) {
  std::map<JobId, std::vector<TaskPlacement>> moves;
  for (const Victim& victim : reclaim.victims) {
    if (victim.goes_on()) moves[victim.job].push_back(victim.target);
  }
  return moves;
}

std::optional<std::uint32_t> Moves::run(const UnitTable& units, const LeavingLeases& leaving) {
  targets_.clear();
  std::vector<std::uint32_t> taken = units.taken();
  avoid(units, taken, leaving);
  std::stable_sort(taken.begin(), taken.end(), [&](std::uint32_t a, std::uint32_t b) {
    return units.unit(a).cards > units.unit(b).cards;
  });
  for (const std::uint32_t u : taken) {
    if (!place(units.unit(u))) return u;
  }
  return std::nullopt;
}

// Whoever is moved has stopped and waits for nobody else. For the trial these nodes are kept for
// the job that is moved for, which has its places already.
void Moves::avoid(const UnitTable& units, const std::vector<std::uint32_t>& taken,
                  const LeavingLeases& leaving) {
  for (const auto& [id, how] : leaving) avoid(id);
  DurationMs least = kNever;
  for (const std::uint32_t u : taken) least = std::min(least, units.unit(u).loss.latency_ms);
  for (const std::uint32_t u : taken) {
    if (units.unit(u).loss.latency_ms == least) continue;
    for (const LeaseId id : units.unit(u).leases) avoid(id);
  }
}

void Moves::avoid(LeaseId lease) {
  const NodeIndex node = state_.find_lease(lease)->placement.node;
  if (state_.node(node).held_for.is_none()) trial_.keep(node, beneficiary_);
}

// The tasks that it holds, by their numbers.
bool Moves::place(const Unit& unit) {
  const JobRecord& job = *state_.find_job(unit.job);
  const Ask& ask = state_.ask_of(job);
  std::vector<RoleNeed> needs(ask.roles.size());
  for (const LeaseId id : unit.leases) {
    const TaskPlacement& task = state_.find_lease(id)->placement;
    needs[task.role].tasks.push_back(task.task);
    ++needs[task.role].least;
  }
  for (RoleNeed& need : needs) std::sort(need.tasks.begin(), need.tasks.end());
  GangSearch search(trial_, placer_, rooms_, {ask, job.spec, std::move(needs), {}, {}, now_});
  const auto found = search.run();
  return found && note_targets(unit, *found);
}

bool Moves::note_targets(const Unit& unit, const GangPlace& place) {
  const JobRecord& job = *state_.find_job(unit.job);
  const SpecRecord& spec = state_.spec_of(job);
  const auto flavours = [&](const TaskPlacement& task) {
    const Shape& shape = state_.shapes().at(spec.shapes[task.role]);
    const auto charges = state_.charges_of(shape, task.node, task.grants);
    return std::pair(charges.cards, charges.cpus);
  };
  for (const LeaseId id : unit.leases) {
    const TaskPlacement& held = state_.find_lease(id)->placement;
    const auto target =
        std::find_if(place.tasks.begin(), place.tasks.end(), [&](const TaskPlacement& task) {
          return task.role == held.role && task.task == held.task;
        });
    if (target == place.tasks.end() || flavours(*target) != flavours(held)) return false;
    targets_.insert_or_assign(id, *target);
  }
  return true;
}

}  // namespace berth::engine
