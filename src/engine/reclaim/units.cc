#include "engine/reclaim/units.h"

#include <algorithm>

#include "engine/cycle/commit.h"
#include "engine/decide_regeometry.h"
#include "engine/reclaim/moves.h"

namespace berth::engine {
namespace {

class Collector {
 public:
  Collector(const ClusterState& state, ReclaimRights& rights, const LeavingLeases& leaving,
            CardUnits most, TimeMs now)
      : state_(state), rights_(rights), leaving_(leaving), most_(most), now_(now) {}

  std::vector<Unit> run() {
    for (std::uint32_t q = 0; q < state_.queues().size(); ++q) {
      const QueueIndex queue(q);
      if (!state_.holders(queue).empty()) add_queue(queue);
    }
    return std::move(units_);
  }

 private:
  void add_queue(QueueIndex queue) {
    const bool all = may_ask(queue);
    without_cards_ = rights_.may_ask_without_cards(queue);
    if (!all && !without_cards_) return;
    for (const JobId id : state_.holders(queue)) {
      const JobRecord& job = *state_.find_job(id);
      if (all || state_.spec_of(job).cards == 0) add_job(job);
    }
  }

  bool may_ask(QueueIndex queue) {
    const auto& usage = state_.quota().queue(queue).usage;
    return std::any_of(usage.begin(), usage.end(), [&](const FlavourUsage& held) {
      return rights_.may_ask(queue, held.flavour);
    });
  }

  bool may_take(const JobRecord& job) {
    const bool runs = job.phase == JobPhase::kRunning || job.phase == JobPhase::kRepairing;
    if (!runs || !rights_.may_ask(job)) return false;
    return std::all_of(job.leases.begin(), job.leases.end(), [&](LeaseId id) {
      const Lease& lease = *state_.find_lease(id);
      return lease.state == LeaseState::kRunning && !leaving_.contains(id) &&
             !is_to_go(state_, lease);
    });
  }

  void add_job(const JobRecord& job) {
    if (!may_take(job)) return;
    const SpecRecord& spec = state_.spec_of(job);
    Unit all = unit_of(job, spec);
    bool useful = false;
    for (const LeaseId id : job.leases) useful = add_lease(all, spec, id) || useful;
    if (!useful) return;
    all.loss = loss_of(state_, job, now_);
    if (rights_.right() == ReclaimRight::kConsolidation) {
      if (!can_move(state_, job, all.loss)) return;
      all.loss.grade = ReclaimGrade::kMove;
      return finish(std::move(all));
    }
    finish(std::move(all));
    if (spec.tasks > 1) add_surplus(job, spec);
  }

  // Tasks of elastic roles beyond their minimum, each by itself.
  void add_surplus(const JobRecord& job, const SpecRecord& spec) {
    for (const LeaseId id : job.leases) {
      const std::uint16_t role = state_.find_lease(id)->placement.role;
      const Role& wanted = spec.spec->roles[role];
      const bool may = wanted.elastic && state_.policy().may_use(ReclaimGrade::kShrink);
      if (!may || surplus_of(state_, job, role) == 0) continue;
      Unit one = unit_of(job, spec);
      one.role = role;
      one.shrinks = true;
      if (!add_lease(one, spec, id)) continue;
      one.loss = loss_of_shrinking(*spec.spec);
      finish(std::move(one));
    }
  }

  Unit unit_of(const JobRecord& job, const SpecRecord& spec) const {
    Unit unit;
    unit.job = job.id;
    unit.job_class = spec.spec->job_class;
    unit.priority = spec.spec->priority;
    unit.ownership = state_.find_lease(job.leases.front())->ownership;
    if (state_.policy().order == berth::QueueOrder::kAttainedService) {
      unit.turn = rights_.levels().of(job.id);
    }
    if (state_.policy().victims == VictimOrder::kYoungest) unit.lead = -job.started_at;
    unit.evictions = count_since(job.evictions, now_ - kEvictionWindowMs);
    return unit;
  }

  // Whether the lease holds something that is wanted; without cards it may stand in the way of
  // those that are free.
  bool add_lease(Unit& unit, const SpecRecord& spec, LeaseId id) {
    const TaskPlacement& task = state_.find_lease(id)->placement;
    unit.leases.push_back(id);
    const Shape& shape = state_.shapes().at(spec.shapes[task.role]);
    const auto charges = state_.charges_of(shape, task.node, task.grants);
    if (!charges.cpus.is_none()) add_charge(unit.charges, charges.cpus, charges.of_cpus);
    if (charges.cards.is_none()) return without_cards_;
    unit.cards += charges.of_cards.compute;
    add_charge(unit.charges, charges.cards, charges.of_cards);
    return rights_.concerns(charges.cards);
  }

  void finish(Unit unit) {
    unit.oversized = unit.cards > most_;
    unit.price = price_of(state_, unit);
    units_.push_back(std::move(unit));
  }

  const ClusterState& state_;
  ReclaimRights& rights_;
  const LeavingLeases& leaving_;
  CardUnits most_;
  TimeMs now_;
  bool without_cards_ = false;  // of the queue that is being looked at: such leases may be asked
  std::vector<Unit> units_;
};

}  // namespace

std::vector<Unit> units_of(const ClusterState& state, ReclaimRights& rights,
                           const LeavingLeases& leaving, CardUnits most, TimeMs now) {
  return Collector(state, rights, leaving, most, now).run();
}

std::uint32_t tasks_down(const ClusterState& state, const JobRecord& job) {
  std::uint32_t there = 0;
  for (const LeaseId id : job.leases) {
    if (state.find_lease(id)->state == LeaseState::kRunning) ++there;
  }
  for (const std::uint32_t ended : job.ended) there += ended;
  const std::uint32_t all = state.spec_of(job).tasks;
  return all > there ? all - there : 0;
}

std::uint32_t surplus_of(const ClusterState& state, const JobRecord& job, std::uint16_t role) {
  const RoleTasks tasks = state.role_tasks(job, role);
  const auto there = static_cast<std::uint32_t>(tasks.held.size()) + job.ended_in(role);
  const std::uint32_t least = state.spec_of(job).spec->roles[role].min_tasks();
  return there > least ? there - least : 0;
}

bool is_leaving(const ClusterState& state, const Victim& victim, ReceiptId receipt) {
  const Lease* lease = state.find_lease(victim.lease);
  return lease != nullptr && lease->state == LeaseState::kRevoking && !lease->off_cards &&
         lease->receipt == receipt;
}

Leaving leaving_by(const Victim& victim, TimeMs now) {
  return {victim.grade, saturating_add(now, victim.latency_ms), victim.target};
}

LeavingLeases leaving_leases(const ClusterState& state) {
  LeavingLeases leaving;
  for (const auto& [id, record] : state.ledger().receipts) {
    for (const Victim& victim : record.reclaim->victims) {
      if (!is_leaving(state, victim, id)) continue;
      const Lease& lease = *state.find_lease(victim.lease);
      if (lease.lateness == Lateness::kStuck) continue;
      leaving.insert({lease.id, {lease.grade, lease.deadline, {}}});
    }
  }
  return leaving;
}

MicroMoney price_of(const ClusterState& state, const Unit& unit) {
  MicroMoney price = 0;
  for (const auto& [flavour, charge] : unit.charges) {
    if (state.quota().flavour(flavour).is_cpu()) continue;  // it is cards that are paid for
    price = saturating_add(
        price, worth_of(state, flavour, unit.job_class, charge.compute, unit.loss.counted_ms));
  }
  return price;
}

void take_unit(Trial& trial, const Unit& unit) {
  for (const LeaseId id : unit.leases) {
    release_victim(trial, *trial.state().find_lease(id), unit.loss.grade);
  }
}

bool give_unit_back(Trial& trial, const Unit& unit) {
  const ClusterState& state = trial.state();
  const Trial::Checkpoint start = trial.checkpoint();
  const SpecRecord& spec = state.spec_of(*state.find_job(unit.job));
  for (const LeaseId id : unit.leases) {
    const Lease& lease = *state.find_lease(id);
    const TaskPlacement& task = lease.placement;
    const ShapeIndex shape = spec.shapes[task.role];
    if (unit.loss.grade == ReclaimGrade::kSuspend) {
      const Mib own = state.shapes().at(shape).request.memory_mib;
      trial.take_host(task.node, own + state.image_of(lease), -1);
    }
    if (!state.can_hold(task.node, state.shapes().at(shape), task.grants)) {
      trial.rollback(start);
      return false;
    }
    trial.take(shape, task.node, task.grants);
    trial.charge(state.find_job(unit.job)->spec, shape, task.node, task.grants);
  }
  return true;
}

}  // namespace berth::engine
