#include "engine/cycle/commit.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/cycle/engine.h"
#include "engine/decide_regeometry.h"
#include "engine/reclaim/loss.h"
#include "engine/reclaim/moves.h"

namespace berth::engine {
namespace {

// Turns decisions into events, each checked against the state as the ones before have left it.
class Committer {
 public:
  Committer(ClusterState& state, TimeMs now)
      : state_(state),
        trial_(state),
        now_(now),
        next_(state.next_lease()),
        credit_(state.totals().move_credit),
        next_receipt_(state.ledger().next_receipt) {}

  // Moves make room for the place that follows them and are committed with it or not at all.
  void operator()(const Move& move) { moves_.push_back(move); }

  // Places of one group are committed together or not at all.
  void operator()(const Place& place) {
    if (!in_group_) group_start_ = {trial_.checkpoint(), events_.size(), next_, credit_, ended_};
    if (!in_group_ || !group_lost_) {
      group_lost_ = !commit(place, std::exchange(moves_, {}));
    }
    in_group_ = place.with_next;
    if (in_group_ || !std::exchange(group_lost_, false)) return;
    ++lost_;
    trial_.rollback(group_start_.trial);
    events_.resize(group_start_.events);
    next_ = group_start_.next;
    credit_ = group_start_.credit;
    ended_ = group_start_.ended;
  }

  void operator()(const Hold& hold) {
    if (pending(hold.job) != nullptr) events_.push_back({now_, JobHeld{hold.job, hold.reasons}});
  }

  void operator()(const Defer& defer) {
    if (pending(defer.job) == nullptr) return;
    events_.push_back({now_, PlacementDeferred{defer.job, defer.waits}});
  }

  void operator()(const Backoff& backoff) {
    if (state_.find_job(backoff.job) == nullptr) return;
    events_.push_back({now_, JobBackedOff{backoff.job, backoff.until}});
  }

  // Decisions that take more than one step are recorded first; their steps follow as events.
  void operator()(const Reserve& reserve) {
    ended_.insert(reserve.job);  // a new one takes the place of the old one
    if (reserve.nodes.empty()) {
      if (!state_.ledger().reservations.contains(reserve.job)) return;
      events_.push_back({now_, ReservationEnded{reserve.job}});
      return;
    }
    if (pending(reserve.job) == nullptr) return;
    events_.push_back({now_, JobReserved{std::make_shared<const Reserve>(reserve)}});
  }
  // Whether the victims still hold what they are to give, and it still makes room.
  void operator()(const Reclaim& reclaim) {
    const JobRecord* job = pending(reclaim.beneficiary);
    if (job == nullptr || job->user_held || !job->receipt.is_none() ||
        !reclaim_holds(*job, reclaim)) {
      ++lost_;
      return;
    }
    const ReceiptId id = issue(*job, reclaim);
    for (const auto& [moved, tasks] : moves_of(reclaim)) issue_move(moved, tasks, reclaim, id);
    for (const Victim& victim : reclaim.victims) {
      taken_.insert({victim.lease, leaving_by(victim, now_)});
      const EndReason reason =
          victim.grade == ReclaimGrade::kShrink ? EndReason::kShrunk : EndReason::kReclaimed;
      events_.push_back({now_, LeaseRevoking{victim.lease, victim.grade,
                                             saturating_add(now_, victim.latency_ms), reason, id}});
    }
  }
  void operator()(const EndReceipt& end) {
    const auto it = state_.ledger().receipts.find(end.receipt);
    if (it == state_.ledger().receipts.end() || it->second.outcome != ReceiptOutcome::kOpen) return;
    if (given_up_.insert(end.receipt).second) end_receipt(end.receipt, end.outcome);
  }
  void operator()(const Resume& resume) {
    if (!may_resume(resume)) {
      ++lost_;
      return;
    }
    events_.push_back({now_, LeaseResumed{resume.lease, resume.placement}});
  }
  void operator()(const Regeometry& change) {
    if (!may_change_layout(state_, change) || changed_.contains({change.node, change.card})) {
      ++lost_;
      return;
    }
    changed_.insert({change.node, change.card});
    begin_layout_change(state_, change, now_, events_);
  }

  Commitment take() {
    follow_layout_changes(state_, now_, events_);
    return {std::move(events_), lost_};
  }

 private:
  // Whether the place still holds; then its events are there.
  bool commit(const Place& place, const std::vector<Move>& moves) {
    const JobRecord* job = state_.find_job(place.job);
    if (job == nullptr || !wants(*job, place) || !may_use(place)) return false;
    const Trial::Checkpoint start = trial_.checkpoint();
    const Ppm price = static_cast<Ppm>(moves.size()) * kPpmOne;
    if (price > credit_ || !move_all(trial_, moves)) return false;
    const bool promised = !job->receipt.is_none() && !given_up_.contains(job->receipt);
    if (promised) take_back_promises(trial_, *job);
    const bool admitted = is_admitted(state_, state_.spec_of(*job), place.tasks, now_);
    if (!admitted || !place_exactly(trial_, *job, place.tasks)) {
      trial_.rollback(start);
      return false;
    }
    if (!place.domain.is_none() && !take_domain(*job, place.domain)) {
      trial_.rollback(start);
      return false;
    }
    if (job->phase == JobPhase::kPending) credit_ = earned(credit_ - price, state_.policy());
    // what was kept for it beyond its place is free for those behind it
    if (state_.ledger().reservations.contains(job->id)) ended_.insert(job->id);
    if (promised) {
      const bool kept = place.receipt == job->receipt;
      events_.push_back({now_, ReceiptEnded{job->receipt, kept ? ReceiptOutcome::kGranted
                                                               : ReceiptOutcome::kElsewhere}});
    }
    for (const Move& move : moves) events_.push_back({now_, LeaseMoved{move.lease, move.target}});
    for (const TaskPlacement& task : place.tasks) {
      LeaseGranted grant = grant_of(state_, *job, take_lease_id(), task, place.ownership);
      grant.receipt = place.receipt;
      events_.push_back({now_, std::move(grant)});
    }
    return true;
  }

  ReceiptId issue(const JobRecord& job, const Reclaim& reclaim) {
    auto receipt = std::make_shared<Reclaim>(reclaim);
    receipt->receipt = ReceiptId(next_receipt_++);
    receipt->made_at = now_;
    const ReceiptId id = receipt->receipt;
    events_.push_back({now_, ReceiptIssued{std::move(receipt)}});
    if (reclaim.part_of.is_none()) {
      promise_places(trial_, job, reclaim.placement);
    } else {
      promise_room(trial_, job, reclaim.placement);
    }
    for (const TaskPlacement& task : reclaim.placement) {
      events_.push_back(
          {now_, LeasePromised{take_lease_id(), job.id, task, id, reclaim.expires_at}});
    }
    return id;
  }

  // Where a job that is moved goes on.
  void issue_move(JobId moved, const std::vector<TaskPlacement>& tasks, const Reclaim& whole,
                  ReceiptId part_of) {
    const JobRecord& job = *state_.find_job(moved);
    Reclaim part;
    part.part_of = part_of;
    part.beneficiary = moved;
    part.name = job.name;
    part.right = whole.right;
    part.ownership = state_.find_lease(job.leases.front())->ownership;
    part.placement = tasks;
    part.expires_at = whole.expires_at;
    issue(job, part);
  }

  LeaseId take_lease_id() { return std::exchange(next_, LeaseId(next_.value() + 1)); }

  void end_receipt(ReceiptId id, ReceiptOutcome outcome) {
    const JobRecord* job = state_.find_job(state_.ledger().receipts.at(id).reclaim->beneficiary);
    if (job != nullptr && job->receipt == id) take_back_promises(trial_, *job);
    events_.push_back({now_, ReceiptEnded{id, outcome}});
  }

  bool reclaim_holds(const JobRecord& job, const Reclaim& reclaim) {
    const Trial::Checkpoint start = trial_.checkpoint();
    const auto moves = moves_of(reclaim);
    bool holds = !reclaim.placement.empty();
    release_leaving(trial_, leaving_leases(state_));
    release_leaving(trial_, taken_);
    for (const Victim& victim : reclaim.victims) {
      const Lease* lease = state_.find_lease(victim.lease);
      holds = holds && lease != nullptr && lease->state == LeaseState::kRunning &&
              !taken_.contains(victim.lease);
      if (holds) release_victim(trial_, *lease, victim.grade);
    }
    for (const auto& [moved, tasks] : moves) {
      const JobRecord* other = state_.find_job(moved);
      holds = holds && other->receipt.is_none() && place_exactly(trial_, *other, tasks);
    }
    holds = holds && is_admitted(state_, state_.spec_of(job), reclaim.placement, now_) &&
            place_exactly(trial_, job, reclaim.placement);
    trial_.rollback(start);
    return holds;
  }

  // A suspended task goes on where its memory is.
  bool may_resume(const Resume& resume) {
    const Lease* lease = state_.find_lease(resume.lease);
    if (lease == nullptr || lease->state != LeaseState::kSuspended) return false;
    const JobRecord& job = *state_.find_job(lease->job);
    const SpecRecord& spec = state_.spec_of(job);
    const Trial::Checkpoint start = trial_.checkpoint();
    give_back_image(trial_, *lease);
    if (resume.placement.node == lease->placement.node &&
        is_admitted(state_, spec, {resume.placement}, now_) &&
        place_exactly(trial_, job, {resume.placement})) {
      return true;
    }
    trial_.rollback(start);
    return false;
  }

  // Whether the job still lacks the tasks: all of them, or some of one that runs.
  bool wants(const JobRecord& job, const Place& place) const {
    if (job.phase == JobPhase::kPending) return !job.user_held;
    if (job.phase != JobPhase::kRunning && job.phase != JobPhase::kRepairing) return false;
    return std::all_of(place.tasks.begin(), place.tasks.end(), [&](const TaskPlacement& task) {
      const RoleTasks tasks = state_.role_tasks(job, task.role);
      return std::binary_search(tasks.missing.begin(), tasks.missing.end(), task.task);
    });
  }

  // Room that is kept is for its job, for who ends before it starts, and for whom it was promised
  // to before it was kept.
  bool may_use(const Place& place) const {
    return place.backfills || !place.receipt.is_none() ||
           std::all_of(place.tasks.begin(), place.tasks.end(), [&](const TaskPlacement& task) {
             const JobId holder = state_.node(task.node).held_for;
             return holder.is_none() || holder == place.job || ended_.contains(holder);
           });
  }

  bool take_domain(const JobRecord& job, DomainIndex index) {
    const Domain& domain = state_.topology_tree().domain(index);
    const std::vector<Countable>& wanted = state_.spec_of(job).spec->domain_resources;
    if (state_.topology_tree().lacking(index, wanted) != nullptr) return false;
    trial_.take(index, wanted);
    events_.push_back({now_, DomainTaken{job.id, domain.level, domain.name}});
    return true;
  }

  const JobRecord* pending(JobId id) const {
    const JobRecord* job = state_.find_job(id);
    return job == nullptr || job->phase != JobPhase::kPending ? nullptr : job;
  }

  const ClusterState& state_;
  Trial trial_;
  TimeMs now_;
  LeaseId next_;
  Ppm credit_;
  struct GroupStart {
    Trial::Checkpoint trial = 0;
    std::size_t events = 0;
    LeaseId next;
    Ppm credit = 0;
    std::set<JobId> ended = {};
  };
  std::uint64_t next_receipt_;
  LeavingLeases taken_;                   // by reclaims of the plan
  std::set<JobId> ended_;                 // of whom the plan ends the reservation
  std::set<ReceiptId> given_up_;          // that the plan ends
  std::set<Ledger::CardOfNode> changed_;  // cards to which the plan gives another layout
  GroupStart group_start_;
  bool in_group_ = false;
  bool group_lost_ = false;
  std::vector<Move> moves_;
  EventBatch events_;
  std::size_t lost_ = 0;
};

}  // namespace

bool is_admitted(const ClusterState& state, const SpecRecord& spec,
                 const std::vector<TaskPlacement>& tasks, TimeMs now) {
  if (is_unruled(state, spec)) return true;
  std::map<FlavourIndex, Charge> sums;
  for (const TaskPlacement& task : tasks) {
    const Shape& shape = state.shapes().at(spec.shapes[task.role]);
    const auto charges = state.charges_of(shape, task.node, task.grants);
    if (!charges.cards.is_none()) sums[charges.cards] += charges.of_cards;
    if (!charges.cpus.is_none()) sums[charges.cpus] += charges.of_cpus;
  }
  return std::all_of(sums.begin(), sums.end(), [&](const auto& sum) {
    const QuotaAsk ask{spec.home.queue, spec.spec->job_class, sum.first, sum.second,
                       spec.spec->is_protected};
    return !admit(state.quota(), state, ask, now).refusal.has_value();
  });
}

LeaseGranted grant_of(const ClusterState& state, const JobRecord& job, LeaseId lease,
                      const TaskPlacement& task, LeaseOwnership ownership) {
  LeaseGranted grant;
  grant.lease = lease;
  grant.epoch = job.attempts + 1;
  grant.term = state.term();
  grant.job = job.id;
  grant.placement = task;
  grant.ownership = ownership;
  grant.capabilities = capabilities_of(state, state.spec_of(job), task);
  return grant;
}

bool place_exactly(Trial& trial, const JobRecord& job, const std::vector<TaskPlacement>& tasks) {
  const SpecRecord& spec = trial.state().spec_of(job);
  const Trial::Checkpoint start = trial.checkpoint();
  for (const TaskPlacement& task : tasks) {
    const ShapeIndex shape = spec.shapes[task.role];
    if (!trial.state().fits(task.node, trial.state().shapes().at(shape), task.grants)) {
      trial.rollback(start);
      return false;
    }
    trial.take(shape, task.node, task.grants);
    trial.charge(job.spec, shape, task.node, task.grants);
  }
  return true;
}

void release_victim(Trial& trial, const Lease& lease, ReclaimGrade grade) {
  const ClusterState& state = trial.state();
  const JobRecord& job = *state.find_job(lease.job);
  const ShapeIndex shape = state.spec_of(job).shapes[lease.placement.role];
  trial.give(shape, lease.placement.node, lease.placement.grants);
  if (lease.is_charged()) {
    trial.uncharge(job.spec, shape, lease.placement.node, lease.placement.grants);
  }
  if (grade != ReclaimGrade::kSuspend) return;
  const Mib own = state.shapes().at(shape).request.memory_mib;
  const Mib image = lease.image_mib > 0 ? 0 : state.image_of(lease);  // else it is there already
  trial.take_host(lease.placement.node, own + image, 1);
}

void release_leaving(Trial& trial, const LeavingLeases& leaving) {
  const ClusterState& state = trial.state();
  for (const auto& [id, how] : leaving) {
    const Lease& lease = *state.find_lease(id);
    release_victim(trial, lease, how.grade);
    const TaskPlacement* next =
        how.target.node.is_none() ? promised_place(state, lease) : &how.target;
    if (next == nullptr) continue;
    const JobRecord& job = *state.find_job(lease.job);
    trial.charge(job.spec, state.spec_of(job).shapes[next->role], next->node, next->grants);
  }
}

void give_back_image(Trial& trial, const Lease& lease) {
  const ClusterState& state = trial.state();
  const JobRecord& job = *state.find_job(lease.job);
  const ShapeIndex shape = state.spec_of(job).shapes[lease.placement.role];
  const Mib own = state.shapes().at(shape).request.memory_mib;
  trial.take_host(lease.placement.node, own + lease.image_mib, -1);
}

void promise_room(Trial& trial, const JobRecord& job, const std::vector<TaskPlacement>& tasks) {
  const SpecRecord& spec = trial.state().spec_of(job);
  for (const TaskPlacement& task : tasks) {
    trial.promise(spec.shapes[task.role], task.node, task.grants, 1);
  }
}

void promise_places(Trial& trial, const JobRecord& job, const std::vector<TaskPlacement>& tasks) {
  const SpecRecord& spec = trial.state().spec_of(job);
  promise_room(trial, job, tasks);
  for (const TaskPlacement& task : tasks) {
    trial.charge(job.spec, spec.shapes[task.role], task.node, task.grants);
  }
}

void take_back_promises(Trial& trial, const JobRecord& job) {
  const ClusterState& state = trial.state();
  for (const LeaseId id : job.promises) {
    const TaskPlacement& task = state.find_lease(id)->placement;
    const ShapeIndex shape = state.spec_of(job).shapes[task.role];
    trial.promise(shape, task.node, task.grants, -1);
    if (state.counts_promise(job, task)) {
      trial.uncharge(job.spec, shape, task.node, task.grants);
    }
  }
}

LeaseOwnership ownership_of(const ClusterState& state, const JobRecord& job,
                            const std::vector<TaskPlacement>& tasks) {
  const SpecRecord& spec = state.spec_of(job);
  const auto is_owned = [&](FlavourIndex flavour) {
    return flavour.is_none() || within_guarantee(state.quota(), spec.home.queue, flavour, {});
  };
  const bool owned = std::all_of(tasks.begin(), tasks.end(), [&](const TaskPlacement& task) {
    const auto charges =
        state.charges_of(state.shapes().at(spec.shapes[task.role]), task.node, task.grants);
    return is_owned(charges.cards) && is_owned(charges.cpus);
  });
  return owned && !is_unruled(state, spec) ? LeaseOwnership::kOwned : LeaseOwnership::kBorrowed;
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

Commitment Engine::commit(const Plan& plan, TimeMs now) {
  Committer committer(state_, now);
  for (const Decision& decision : plan.decisions) std::visit(committer, decision);
  return committer.take();
}

}  // namespace berth::engine
