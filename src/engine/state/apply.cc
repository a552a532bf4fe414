// What each event does to the state. An event comes from `decide` or from a journal of decided
// events, so a contradiction here is a broken invariant and stops the program.
#include <algorithm>

#include "base/check.h"
#include "engine/state/cluster_state.h"
#include "model/serial.h"

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

void ClusterState::on(const ModelDeclared& e) {
  ++fit_revision_;
  const ModelIndex index(static_cast<std::uint16_t>(models_.size()));
  ModelRecord record{e.model, nullptr};
  if (e.model->has_mig()) {
    auto geometry = MigGeometry::create(*e.model);
    BERTH_CHECK(geometry.has_value());
    record.mig = std::make_shared<const MigGeometry>(std::move(*geometry));
  }
  models_.push_back(std::move(record));
  models_by_name_.insert(e.model->name, index);
  for (const std::string& alias : e.model->aliases) models_by_name_.insert(alias, index);
}

void ClusterState::on(const TopologyDeclared& e) {
  topology_ = e.topology;
  build_topology_tree();
}

// The same tree as if the nodes that are there had just joined, in the order in which they did.
void ClusterState::build_topology_tree() {
  topology_tree_ = TopologyTree(*topology_);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].condition == NodeCondition::kRemoved) continue;
    topology_tree_.add(NodeIndex(static_cast<std::uint32_t>(n)), *nodes_[n].spec);
  }
}

void ClusterState::on(const PartitionDeclared& e) {
  specs_by_pointer_.clear();  // who may enter where has changed: check specs again
  if (const PartitionIndex* known = partitions_by_name_.find(e.partition->name)) {
    partitions_[known->value()] = e.partition;
    return;
  }
  const PartitionIndex index(static_cast<std::uint32_t>(partitions_.size()));
  partitions_.push_back(e.partition);
  partitions_by_name_.insert(e.partition->name, index);
}

void ClusterState::on(const QueueDeclared& e) {
  QueueRecord record;
  record.spec = e.queue;
  record.parent = e.queue->parent.empty() ? QueueIndex::none() : find_queue(e.queue->parent);
  if (!e.queue->trust_domain.empty()) {
    record.trust_domain = intern_trust_domain(e.queue->trust_domain);
  } else if (record.parent.is_none()) {
    record.trust_domain = intern_trust_domain(e.queue->name);
  } else {
    record.trust_domain = queues_[record.parent.value()].trust_domain;
  }
  if (const QueueIndex* known = queues_by_name_.find(e.queue->name)) {
    record.usage = std::move(queues_[known->value()].usage);
    queues_[known->value()] = std::move(record);
    return;
  }
  const QueueIndex index(static_cast<std::uint32_t>(queues_.size()));
  queues_.push_back(std::move(record));
  queues_by_name_.insert(e.queue->name, index);
}

void ClusterState::on(const PolicySet& e) {
  policy_ = e.policy;
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

void ClusterState::on(const NodeJoined& e) {
  BERTH_CHECK(e.node.value() == nodes_.size());
  NodeRecord node;
  node.spec = e.spec;
  NodeKind kind;
  kind.model = e.spec->model.empty() ? ModelIndex::none() : find_model(e.spec->model);
  kind.partition = find_partition(e.spec->partition);
  kind.cpu_milli = e.spec->cpu_milli;
  kind.cards = static_cast<std::uint32_t>(e.spec->cards.size());
  node.kind = intern_node_kind(kind);
  node.cpu_free = e.spec->cpu_milli;
  node.memory_free = e.spec->memory_mib;
  for (const Countable& resource : e.spec->resources) {
    node.resources_free.push_back(resource.amount);
  }
  for (const CardSpec& card : e.spec->cards) {
    const CardKind card_kind = card_kind_of(*e.spec, card);
    node.cards.push_back(empty_card(intern_card_kind(card_kind), card_kind));
    node.cards.back().health = card.health;
  }
  nodes_.push_back(std::move(node));
  nodes_by_name_.emplace(e.spec->name, e.node);
  topology_tree_.add(e.node, *e.spec);
  place_name(e.node);
  enter_slot(e.node);
  ++room_revision_;
}

void ClusterState::on(const NodeConditionChanged& e) {
  leave_slot(e.node);
  nodes_[e.node.value()].condition = e.condition;
  nodes_[e.node.value()].condition_since = now_;
  if (e.condition == NodeCondition::kReady) ledger_.interruptions.erase(e.node);
  if (e.condition == NodeCondition::kRemoved) {
    ledger_.forget(e.node);
    nodes_by_name_.erase(nodes_[e.node.value()].spec->name);
    build_topology_tree();
  }
  enter_slot(e.node);
  ++room_revision_;
}

void ClusterState::on(const CardHealthChanged& e) {
  leave_slot(e.node);
  nodes_[e.node.value()].cards[e.card].health = e.health;
  enter_slot(e.node);
  ++room_revision_;
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
  pending_.insert(pending_key(job));
  sight(specs_[job.spec.value()]);
}

void ClusterState::on(const JobHeld& e) { jobs_.at(e.job).reasons = e.reasons; }

void ClusterState::on(const JobUserHold& e) {
  jobs_.at(e.job).user_held = e.held;
  ++room_revision_;
}

void ClusterState::on(const JobResized& e) {
  JobRecord& job = jobs_.at(e.job);
  const SpecIndex fresh = acquire_spec(e.spec);
  release_spec(job.spec);
  job.spec = fresh;
}

void ClusterState::on(const JobBackedOff& e) { jobs_.at(e.job).backoff_until = e.until; }

void ClusterState::on(const LeaseGranted& e) {
  BERTH_CHECK(e.lease.value() == next_lease_);
  ++next_lease_;
  ++totals_.granted;
  JobRecord& job = jobs_.at(e.job);
  if (job.phase == JobPhase::kPending) {
    pending_.erase(pending_key(job));
    job.phase = JobPhase::kPreparing;
    job.reasons = nullptr;
    totals_.move_credit = earned(totals_.move_credit, *policy_);
  }
  const SpecRecord& spec = spec_of(job);
  const Shape& shape = shapes_.at(spec.shapes[e.placement.role]);
  take(e.placement.node, shape, e.placement.grants);
  charge(spec.home.queue, e.placement.node, e.placement.grants, 1);
  job.leases.push_back(e.lease);
  Lease& lease = leases_.insert(e.lease);
  lease.epoch = e.epoch;
  lease.term = e.term;
  lease.job = e.job;
  lease.placement = e.placement;
  lease.ownership = e.ownership;
  lease.capabilities = e.capabilities;
  lease.receipt = e.receipt;
  lease.granted_at = now_;
}

void ClusterState::on(const LeaseMoved& e) {
  Lease& lease = leases_.at(e.lease);
  const Shape& shape = shape_of(lease);
  const QueueIndex queue = spec_of(jobs_.at(lease.job)).home.queue;
  BERTH_CHECK(e.placement.role == lease.placement.role && e.placement.task == lease.placement.task);
  give(lease.placement.node, shape, lease.placement.grants);
  charge(queue, lease.placement.node, lease.placement.grants, -1);
  take(e.placement.node, shape, e.placement.grants);
  charge(queue, e.placement.node, e.placement.grants, 1);
  lease.placement = e.placement;
  ++totals_.moved;
  totals_.move_credit -= kPpmOne;
  ++room_revision_;
}

// A promise holds room that a reclaim is freeing; the reclaim engine grants it in place.
void ClusterState::on(const LeasePromised& e) {
  BERTH_CHECK(e.lease.value() == next_lease_);
  ++next_lease_;
  Lease& lease = leases_.insert(e.lease);
  lease.job = e.job;
  lease.placement = e.placement;
  lease.receipt = e.receipt;
  lease.state = LeaseState::kPromised;
  lease.deadline = e.expires_at;
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
  for (const LeaseId id : job.leases) {
    Lease& lease = leases_.at(id);
    lease.state = LeaseState::kRunning;
    lease.started_at = now_;
  }
}

void ClusterState::on(const LeaseRevoking& e) {
  Lease& lease = leases_.at(e.lease);
  lease.state = LeaseState::kRevoking;
  lease.deadline = e.deadline;
  JobRecord& job = jobs_.at(lease.job);
  job.phase = JobPhase::kReleasing;
  job.ending = e.reason;
}

void ClusterState::on(const LeaseReleased& e) {
  const Lease& lease = leases_.at(e.lease);
  JobRecord& job = jobs_.at(lease.job);
  const SpecRecord& spec = spec_of(job);
  give(lease.placement.node, shape_of(lease), lease.placement.grants);
  charge(spec.home.queue, lease.placement.node, lease.placement.grants, -1);
  if (e.reason == EndReason::kSucceeded) ++job.ended;
  const auto it = std::find(job.leases.begin(), job.leases.end(), e.lease);
  BERTH_CHECK(it != job.leases.end());
  job.leases.erase(it);
  leases_.erase(e.lease);
  ledger_.forget(e.lease);
  ++room_revision_;
}

void ClusterState::on(const JobRequeued& e) {
  JobRecord& job = jobs_.at(e.job);
  BERTH_CHECK(job.leases.empty());
  job.phase = JobPhase::kPending;
  job.ending = EndReason::kSucceeded;
  job.started_at = kNever;
  job.prepared = 0;
  job.ended = 0;
  ++job.attempts;
  pending_.insert(pending_key(job));
}

void ClusterState::on(const JobEnded& e) {
  const JobRecord& job = jobs_.at(e.job);
  BERTH_CHECK(job.leases.empty());
  if (job.phase == JobPhase::kPending) pending_.erase(pending_key(job));
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
}

void ClusterState::on(const ActivityObserved& e) {
  LeaseObservation& seen = ledger_.observations[e.lease];
  seen.busy_ppm = e.busy_ppm;
  seen.busy_at = now_;
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
    const std::uint64_t half_life = policy_->mix_half_life;
    if (half_life == 0) continue;
    const std::uint64_t halvings = arrivals_ / half_life - before / half_life;
    if (halvings == 0) continue;
    // rounded down: what does not come any more is forgotten in the end
    for (std::uint64_t& seen : sightings_) seen = halvings < 64 ? seen >> halvings : 0;
  }
}

}  // namespace berth::engine
