// Events of reclaims: receipts, the room that they promise, and tasks that are off their cards.
#include <algorithm>
#include <set>

#include "base/check.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

namespace {

// Takes (or, negative, gives) an amount of which some may be owed to promises.
void change_amount(std::int64_t& free, std::int64_t& owed, std::int64_t taken) {
  const std::int64_t net = free - owed - taken;
  free = std::max<std::int64_t>(0, net);
  owed = std::max<std::int64_t>(0, -net);
}

}  // namespace

void ClusterState::change_host(NodeRecord& node, const TaskRequest& request, int sign) {
  change_amount(node.cpu_free, node.cpu_owed, sign * request.cpu_milli);
  change_amount(node.memory_free, node.memory_owed, sign * request.memory_mib);
  for (const Countable& wanted : request.resources) {
    for (std::size_t i = 0; i < node.spec->resources.size(); ++i) {
      if (node.spec->resources[i].resource != wanted.resource) continue;
      change_amount(node.resources_free[i], node.resources_owed[i], sign * wanted.amount);
    }
  }
}

void ClusterState::promise(NodeIndex index, const Shape& shape, const CardGrants& grants,
                           int sign) {
  NodeRecord& node = nodes_[index.value()];
  leave_slot(index);
  change_host(node, shape.request, sign);
  for (const CardGrant& grant : grants) {
    CardState card = node.cards[grant.card];
    card.promises = static_cast<std::uint8_t>(card.promises + sign);
    set_card(node, grant.card, card);
  }
  log_node(index);
  if (sign < 0) log_gain(index);
  if (node.takes_work()) node.slot = slots_.enter(nodes_, index);
}

void ClusterState::take_host(NodeIndex index, Mib mib, int sign) {
  NodeRecord& node = nodes_[index.value()];
  leave_slot(index);
  change_amount(node.memory_free, node.memory_owed, sign * mib);
  log_node(index);
  if (sign < 0) log_gain(index);
  if (node.takes_work()) node.slot = slots_.enter(nodes_, index);
}

Mib ClusterState::image_of(const Lease& lease) const {
  const Mib said = spec_of(jobs_.at(lease.job)).spec->checkpoint.size_mib;
  if (said > 0) return said;
  MemoryEighths held = 0;
  for (const CardGrant& grant : lease.placement.grants) held += grant.memory;
  return (held + 7) / 8;
}

bool ClusterState::counts_promise(const JobRecord& job, const TaskPlacement& task) const {
  return std::none_of(job.leases.begin(), job.leases.end(), [&](LeaseId id) {
    const TaskPlacement& held = leases_.at(id).placement;
    return held.role == task.role && held.task == task.task;
  });
}

// What a task that is moved no longer holds in its old place it holds in the new one.
void ClusterState::charge_promise_of(const JobRecord& job, const TaskPlacement& released) {
  for (const LeaseId id : job.promises) {
    const TaskPlacement& task = leases_.at(id).placement;
    if (task.role != released.role || task.task != released.task) continue;
    charge(spec_of(job), task, 1);
  }
}

// A promise holds room that a reclaim is freeing, and counts as held by its queue, until the job is
// granted it or the receipt ends.
void ClusterState::on(const LeasePromised& e) {
  BERTH_CHECK(e.lease.value() == next_lease_);
  ++next_lease_;
  JobRecord& job = jobs_.at(e.job);
  const SpecRecord& spec = spec_of(job);
  promise(e.placement.node, shapes_.at(spec.shapes[e.placement.role]), e.placement.grants, 1);
  if (counts_promise(job, e.placement)) charge(spec, e.placement, 1);
  job.promises.push_back(e.lease);
  Lease& lease = leases_.insert(e.lease);
  lease.job = e.job;
  lease.placement = e.placement;
  lease.receipt = e.receipt;
  lease.state = LeaseState::kPromised;
  lease.deadline = e.expires_at;
}

void ClusterState::on(const ReceiptIssued& e) {
  ledger_.on(e);
  jobs_.at(e.receipt->beneficiary).receipt = e.receipt->receipt;
  note_evictions(*e.receipt);
}

// A job counts once, however many tasks it loses; shrinking interrupts nothing.
void ClusterState::note_evictions(const Reclaim& reclaim) {
  std::set<JobId> interrupted;
  for (const Victim& victim : reclaim.victims) {
    if (victim.grade == ReclaimGrade::kShrink || !interrupted.insert(victim.job).second) continue;
    note_eviction(jobs_.at(victim.job));
  }
}

void ClusterState::note_eviction(JobRecord& job) {
  const auto note = [&](std::vector<TimeMs>& times, DurationMs window) {
    std::erase_if(times, [&](TimeMs at) { return at <= now_ - window; });
    times.push_back(now_);
  };
  note(ledger_.evictions, kHourMs);
  note(job.evictions, kEvictionWindowMs);
}

void ClusterState::on(const ReceiptEnded& e) {
  JobRecord* job = jobs_.find(ledger_.receipts.at(e.receipt).reclaim->beneficiary);
  ledger_.on(e, now_);
  if (job != nullptr && job->receipt == e.receipt) end_promises(*job);
}

void ClusterState::end_promises(JobRecord& job) {
  const SpecRecord& spec = spec_of(job);
  for (const LeaseId id : job.promises) {
    const TaskPlacement& task = leases_.at(id).placement;
    promise(task.node, shapes_.at(spec.shapes[task.role]), task.grants, -1);
    if (counts_promise(job, task)) charge(spec, task, -1);
    leases_.erase(id);
  }
  job.promises.clear();
  job.receipt = ReceiptId::none();
  ++room_revision_;
}

// Who never got to run has only failed to start. Who was stopped before waits since then.
void ClusterState::note_stop(JobRecord& job, EndReason reason) const {
  const bool held_cards = job.started_at != kNever || !job.stop.receipt.is_none();
  if (!held_cards || reason == EndReason::kPrepareFailed) return;
  job.stop.reason = reason;
  if (job.stop.at == kNever) job.stop.at = now_;
}

// Its memory is on the host: it is charged nothing, and what it had done is not lost.
void ClusterState::on(const LeaseSuspended& e) {
  Lease& lease = leases_.at(e.lease);
  JobRecord& job = jobs_.at(lease.job);
  const SpecRecord& spec = spec_of(job);
  const Shape& shape = shape_of(lease);
  give(lease.placement.node, shape, lease.placement.grants);
  take_host(lease.placement.node, shape.request.memory_mib, 1);
  charge(spec, lease.placement, -1);
  job.attained.add(card_time(lease, now_));
  run_times_.stop(spec.kind, job.running_since());
  job.base_ms += now_ - job.started_at;
  note_stop(job, EndReason::kReclaimed);
  job.started_at = kNever;
  job.phase = JobPhase::kSuspended;
  job.ending = EndReason::kSucceeded;
  lease.state = LeaseState::kSuspended;
  lease.off_cards = true;
  lease.started_at = kNever;
  lease.deadline = kNever;
  ++room_revision_;
  note_short(job);
}

// Its job's claim is over. Whoever waits in its queue waits for it no longer, its cards apart.
void ClusterState::on(const LeaseOverdue& e) {
  Lease& lease = leases_.at(e.lease);
  if (lease.is_charged()) charge(spec_of(jobs_.at(lease.job)), lease.placement, -1);
  lease.lateness = e.lateness;
  lease.deadline = e.deadline;
  ++room_revision_;
}

void ClusterState::on(const LeaseResumed& e) {
  Lease& lease = leases_.at(e.lease);
  JobRecord& job = jobs_.at(lease.job);
  const SpecRecord& spec = spec_of(job);
  const Shape& shape = shape_of(lease);
  take_host(lease.placement.node, shape.request.memory_mib + lease.image_mib, -1);
  take(e.placement.node, shape, e.placement.grants);
  charge(spec, e.placement, 1);
  lease.placement = e.placement;
  lease.state = LeaseState::kRunning;
  lease.off_cards = false;
  lease.image_mib = 0;
  lease.started_at = now_;
  job.phase = JobPhase::kRunning;
  job.started_at = now_;
  job.stop = {};
  run_times_.start(spec.kind, job.running_since());
  note_short(job);
}

}  // namespace berth::engine
