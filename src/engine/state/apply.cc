// What each event does to the state. An event comes from `decide` or from a journal of decided
// events, so a contradiction here is a broken invariant and stops the program.
#include <algorithm>

#include "base/check.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {
namespace {

constexpr std::size_t kRequestsSeen = 100'000;  // request ids remembered
constexpr std::uint64_t kSighting = 1024;       // one sighting; headroom for halving

}  // namespace

void ClusterState::apply(const Event& event) {
  BERTH_CHECK(event.at >= now_);
  now_ = event.at;
  ++revision_;
  std::visit([this](const auto& body) { on(body); }, event.body);
}

void ClusterState::on(const QueueDeclared& e) {
  TrustDomainIndex trust_domain;
  if (!e.queue->trust_domain.empty()) {
    trust_domain = intern_trust_domain(e.queue->trust_domain);
  } else if (e.queue->parent.empty()) {
    trust_domain = intern_trust_domain(e.queue->name);
  } else {
    trust_domain = quota_.queue(find_queue(e.queue->parent)).trust_domain;
  }
  const bool counted = quota_.counts_cpus();
  quota_.declare(e.queue, entries_of(*e.queue), trust_domain);
  if (!counted && quota_.counts_cpus()) count_cpus();
  ++room_revision_;
}

void ClusterState::on(const PolicySet& e) {
  policies_.on(e);
  ++fit_revision_;
}

void ClusterState::on(const TrialEnded& e) {
  policies_.on(e);
  ++fit_revision_;
}

void ClusterState::on(const FitObserved& e) {
  fit_ = e.fit;
  fitted_at_ = std::max<std::uint64_t>(1, arrivals_);
  priced_at_ = 0;
  ++fit_revision_;
}

void ClusterState::on(const PricesObserved& e) {
  prices_ = e.prices;
  ++prices_revision_;
  priced_at_ = std::max<std::uint64_t>(1, arrivals_);
}

void ClusterState::on(const JobSubmitted& e) {
  BERTH_CHECK(e.job.value() == next_job_);
  ++next_job_;
  ++totals_.submitted;
  JobRecord& job = jobs_.insert(e.job);
  job.name = e.name;
  job.spec = acquire_spec(e.spec);
  job.submitted_at = now_;
  BERTH_CHECK(jobs_by_name_.insert(job.name, job.id));
  join_line(job);
  join_group(job);
  sight(specs_[job.spec.value()]);
}

void ClusterState::on(const JobHeld& e) {
  JobRecord& job = jobs_.at(e.job);
  if (job.phase == JobPhase::kPending) pending_.note_reasons(job);
  job.reasons = e.reasons;
}

void ClusterState::on(const JobUserHold& e) {
  JobRecord& job = jobs_.at(e.job);
  const bool waits = job.phase == JobPhase::kPending;
  if (waits) leave_line(job);
  job.user_held = e.held;
  if (waits) join_line(job);
  ++room_revision_;
}

void ClusterState::on(const JobResized& e) {
  JobRecord& job = jobs_.at(e.job);
  const bool waits = job.phase == JobPhase::kPending;
  if (waits) leave_line(job);
  const SpecIndex fresh = acquire_spec(e.spec);
  if (job.started_at != kNever) {
    run_times_.stop(spec_of(job).kind, job.running_since());
    run_times_.start(specs_[fresh.value()].kind, job.running_since());
  }
  release_spec(job.spec);
  job.spec = fresh;
  job.reasons = nullptr;
  if (waits) join_line(job);
  note_short(job);
  ++room_revision_;
}

void ClusterState::on(const JobBackedOff& e) {
  JobRecord& job = jobs_.at(e.job);
  const bool waits = job.phase == JobPhase::kPending;
  if (waits) leave_line(job);
  job.backoff_until = e.until;
  if (waits) join_line(job);
}

void ClusterState::on(const LeaseGranted& e) {
  BERTH_CHECK(e.lease.value() == next_lease_);
  ++next_lease_;
  ++totals_.granted;
  JobRecord& job = jobs_.at(e.job);
  if (job.phase == JobPhase::kPending) {
    leave_line(job);
    end_reservation(job.id);
    job.phase = JobPhase::kPreparing;
    job.reasons = nullptr;
    end_deferral(job);
    job.deferred_ms = 0;
    totals_.move_credit = earned(totals_.move_credit, *policies_.everywhere());
  }
  const SpecRecord& spec = spec_of(job);
  const Shape& shape = shapes_.at(spec.shapes[e.placement.role]);
  take(e.placement.node, shape, e.placement.grants);
  note_lease(e.placement.node, e.lease, true);
  charge(spec, e.placement, 1);
  job.leases.push_back(e.lease);
  if (job.leases.size() == 1) note_holder(job);
  Lease& lease = leases_.insert(e.lease);
  lease.epoch = e.epoch;
  lease.term = e.term;
  lease.job = e.job;
  lease.placement = e.placement;
  lease.ownership = e.ownership;
  lease.capabilities = e.capabilities;
  lease.receipt = e.receipt;
  lease.granted_at = now_;
  note_short(job);
}

void ClusterState::on(const LeaseMoved& e) {
  Lease& lease = leases_.at(e.lease);
  const Shape& shape = shape_of(lease);
  const SpecRecord& spec = spec_of(jobs_.at(lease.job));
  BERTH_CHECK(e.placement.role == lease.placement.role && e.placement.task == lease.placement.task);
  give(lease.placement.node, shape, lease.placement.grants);
  charge(spec, lease.placement, -1);
  take(e.placement.node, shape, e.placement.grants);
  note_lease(lease.placement.node, e.lease, false);
  note_lease(e.placement.node, e.lease, true);
  charge(spec, e.placement, 1);
  lease.placement = e.placement;
  ++totals_.moved;
  totals_.move_credit -= kPpmOne;
  ++room_revision_;
}

void ClusterState::on(const LeasePrepared& e) {
  Lease& lease = leases_.at(e.lease);
  BERTH_CHECK(lease.state == LeaseState::kGranted);
  lease.state = LeaseState::kPrepared;
  ++jobs_.at(lease.job).prepared;
}

void ClusterState::on(const JobStarted& e) {
  JobRecord& job = jobs_.at(e.job);
  job.phase = JobPhase::kRunning;
  job.started_at = now_;
  job.stop = {};
  job.formed = true;
  job.base_ms = job.saved_ms;
  job.checkpoint_at = kNever;
  run_times_.start(spec_of(job).kind, job.running_since());
  for (const LeaseId id : job.leases) {
    Lease& lease = leases_.at(id);
    lease.state = LeaseState::kRunning;
    lease.started_at = now_;
  }
  note_short(job);
}

void ClusterState::on(const LeaseStarted& e) {
  Lease& lease = leases_.at(e.lease);
  lease.state = LeaseState::kRunning;
  lease.started_at = now_;
}

void ClusterState::on(const JobRepairing& e) {
  JobRecord& job = jobs_.at(e.job);
  job.repairs.emplace_back(e.role, e.until);
  if (!spec_of(job).spec->roles[e.role].optional) job.phase = JobPhase::kRepairing;
}

void ClusterState::on(const JobRepaired& e) {
  JobRecord& job = jobs_.at(e.job);
  std::erase_if(job.repairs, [&](const auto& repair) { return repair.first == e.role; });
  const auto& roles = spec_of(job).spec->roles;
  const bool broken = std::any_of(job.repairs.begin(), job.repairs.end(), [&](const auto& repair) {
    return !roles[repair.first].optional;
  });
  if (!broken && job.phase == JobPhase::kRepairing) job.phase = JobPhase::kRunning;
}

void ClusterState::on(const DomainTaken& e) {
  JobRecord& job = jobs_.at(e.job);
  job.domain_level = e.level;
  job.domain_name = e.name;
  take(topology_tree_.find(e.level, e.name), spec_of(job).spec->domain_resources, 1);
}

void ClusterState::release_domain(JobRecord& job) {
  if (job.domain_level.empty()) return;
  take(topology_tree_.find(job.domain_level, job.domain_name), spec_of(job).spec->domain_resources,
       -1);
  job.domain_level.clear();
  job.domain_name.clear();
  ++room_revision_;
}

void ClusterState::on(const PlacementDeferred& e) {
  JobRecord& job = jobs_.at(e.job);
  if (!e.waits) return end_deferral(job);
  if (job.deferred_since != kNever) return;
  job.deferred_since = now_;
  deferring_.insert(e.job);
}

void ClusterState::end_deferral(JobRecord& job) {
  if (job.deferred_since == kNever) return;
  job.deferred_ms += now_ - job.deferred_since;
  job.deferred_since = kNever;
  deferring_.erase(job.id);
}

void ClusterState::note_lease(NodeIndex index, LeaseId lease, bool there) {
  auto& leases = nodes_[index.value()].leases;
  const auto at = std::lower_bound(leases.begin(), leases.end(), lease);
  if (there) {
    leases.insert(at, lease);
  } else {
    leases.erase(at);
  }
}

void ClusterState::note_short(const JobRecord& job) {
  if (job.phase == JobPhase::kSuspended) return pending_.set_short(job.id, true);
  const bool runs = job.phase == JobPhase::kRunning || job.phase == JobPhase::kRepairing;
  if (!runs) return pending_.set_short(job.id, false);
  std::size_t there = 0;
  for (const LeaseId id : job.leases) {
    if (leases_.at(id).state != LeaseState::kRevoking) ++there;
  }
  for (const std::uint32_t ended : job.ended) there += ended;
  pending_.set_short(job.id, there < spec_of(job).tasks);
}

void ClusterState::on(const LeaseRevoking& e) {
  Lease& lease = leases_.at(e.lease);
  lease.state = LeaseState::kRevoking;
  lease.deadline = e.deadline;
  lease.grade = e.grade;
  if (!e.receipt.is_none()) lease.receipt = e.receipt;
  JobRecord& job = jobs_.at(lease.job);
  if (e.grade == ReclaimGrade::kSuspend && lease.image_mib == 0) {
    lease.image_mib = image_of(lease);
    take_host(lease.placement.node, lease.image_mib, 1);
  }
  if (e.reason == EndReason::kShrunk) return note_short(job);
  if (e.reason == EndReason::kDrained && job.phase != JobPhase::kReleasing) note_eviction(job);
  pending_.set_short(job.id, false);
  job.phase = JobPhase::kReleasing;
  job.ending = e.reason;
  if (!e.receipt.is_none()) job.stop.receipt = e.receipt;
}

void ClusterState::on(const LeaseReleased& e) {
  const Lease& lease = leases_.at(e.lease);
  JobRecord& job = jobs_.at(lease.job);
  const SpecRecord& spec = spec_of(job);
  const Shape& shape = shape_of(lease);
  if (lease.off_cards) {
    take_host(lease.placement.node, shape.request.memory_mib, -1);
  } else {
    give(lease.placement.node, shape, lease.placement.grants);
    if (lease.is_charged()) charge(spec, lease.placement, -1);
  }
  if (lease.image_mib > 0) take_host(lease.placement.node, lease.image_mib, -1);
  note_lease(lease.placement.node, e.lease, false);
  job.attained.add(card_time(lease, now_));
  if (e.reason == EndReason::kSucceeded) {
    job.ended.resize(spec.shapes.size(), 0);
    ++job.ended[lease.placement.role];
  }
  const auto it = std::find(job.leases.begin(), job.leases.end(), e.lease);
  BERTH_CHECK(it != job.leases.end());
  job.leases.erase(it);
  if (job.leases.empty()) forget_holder(job);
  charge_promise_of(job, lease.placement);
  leases_.erase(e.lease);
  ledger_.forget(e.lease);
  ++room_revision_;
  note_short(job);
}

void ClusterState::on(const JobRequeued& e) {
  JobRecord& job = jobs_.at(e.job);
  BERTH_CHECK(job.leases.empty());
  job.phase = JobPhase::kPending;
  job.ending = EndReason::kSucceeded;
  note_stop(job, e.reason);
  if (job.started_at != kNever) run_times_.stop(spec_of(job).kind, job.running_since());
  job.started_at = kNever;
  job.prepared = 0;
  job.ended.clear();
  job.repairs.clear();
  release_domain(job);
  pending_.set_short(job.id, false);
  ++job.attempts;
  join_line(job);
}

void ClusterState::on(const JobEnded& e) {
  JobRecord& job = jobs_.at(e.job);
  BERTH_CHECK(job.leases.empty());
  release_domain(job);
  pending_.set_short(job.id, false);
  if (job.phase == JobPhase::kPending) leave_line(job);
  end_deferral(job);
  leave_group(job);
  end_reservation(e.job);
  BERTH_CHECK(job.promises.empty());
  if (job.started_at != kNever) run_times_.stop(spec_of(job).kind, job.running_since());
  const bool ran = job.started_at != kNever &&
                   (e.reason == EndReason::kSucceeded || e.reason == EndReason::kFailed);
  if (ran) run_times_.record(spec_of(job).kind, now_ - job.running_since());
  jobs_by_name_.erase(job.name);
  release_spec(job.spec);
  jobs_.erase(e.job);
  ledger_.forget(e.job);
  ++totals_.ended;
}

void ClusterState::on(const TimePassed& /*e*/) {}

void ClusterState::on(const CheckpointObserved& e) {
  LeaseObservation& seen = ledger_.observations[e.lease];
  seen.checkpoint = e.checkpoint;
  seen.checkpoint_at = now_;
  JobRecord& job = jobs_.at(leases_.at(e.lease).job);
  if (job.started_at == kNever) return;
  job.checkpoint_at = now_;
  job.saved_ms = now_ - job.running_since();
}

void ClusterState::on(const ActivityObserved& e) {
  LeaseObservation& seen = ledger_.observations[e.lease];
  seen.busy_ppm = e.busy_ppm;
  seen.busy_at = now_;
}

void ClusterState::on(const JobReserved& e) {
  end_reservation(e.reservation->job);
  ledger_.on(e);
  keep_nodes(*e.reservation, e.reservation->job);
}

void ClusterState::on(const RunTimesObserved& e) {
  ledger_.on(e);
  run_times_.seed(run_times_.intern("kind " + e.kind), e.times.median_ms, e.times.p90_ms,
                  e.times.jobs);
}

void ClusterState::on(const RequestSeen& e) {
  if (!requests_.insert(e.request_id, e.job)) return;
  request_order_.push_back(e.request_id);
  if (request_order_.size() <= kRequestsSeen) return;
  requests_.erase(request_order_.front());
  request_order_.pop_front();
}

void ClusterState::sight(const SpecRecord& spec) {
  sightings_.resize(shapes_.size(), 0);
  for (std::size_t role = 0; role < spec.shapes.size(); ++role) {
    const std::uint32_t count = spec.spec->roles[role].count;
    sightings_[spec.shapes[role].value()] += kSighting * count;
    const std::uint64_t before = arrivals_;
    arrivals_ += count;
    const std::uint64_t half_life = policies_.everywhere()->mix_half_life;
    if (half_life == 0) continue;
    const std::uint64_t halvings = arrivals_ / half_life - before / half_life;
    if (halvings == 0) continue;
    // rounded down: what does not come any more is forgotten in the end
    for (std::uint64_t& seen : sightings_) seen = halvings < 64 ? seen >> halvings : 0;
  }
}

}  // namespace berth::engine
