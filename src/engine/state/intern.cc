// Interning: equal specs, shapes, kinds and names become one index each.
#include <algorithm>

#include "base/check.h"
#include "engine/state/cluster_state.h"
#include "engine/state/topology_levels.h"
#include "model/serial.h"

namespace berth::engine {
namespace {

constexpr std::size_t kIdleSpecs = 4096;  // specs kept without a live job

// A rule about each task below the node is one about its devices.
bool asks_one_of(const Role& role, const std::string& level) {
  return std::any_of(role.topology.begin(), role.topology.end(), [&](const TopologyRule& rule) {
    return rule.unit == RuleUnit::kTask && rule.strength == RuleStrength::kRequired &&
           rule.within == level;
  });
}

// Whatever the level below the node is called, a shape calls it by one name; levels that hold a
// node hold all devices of a task.
void name_levels(const TopologySpec& topology, const Role& role, Shape& shape) {
  const std::string below = level_below_node(topology);
  const bool all = !below.empty() && asks_one_of(role, below);
  for (DeviceRequest& request : shape.request.devices) {
    const bool asks = all || (!below.empty() && request.within == below);
    request.within = asks ? kBelowNode : request.within == "node" ? "node" : "";
  }
}

}  // namespace

SpecIndex ClusterState::acquire_spec(const JobSpecPtr& spec) {
  if (const SpecIndex* known = specs_by_pointer_.find(spec.get())) {
    ++specs_[known->value()].references;
    return *known;
  }
  const SpecIndex index = intern_spec(spec, home_of(*spec));
  // an equal spec that the record does not hold may die, and its address be used again
  if (specs_[index.value()].spec == spec) specs_by_pointer_.assign(spec.get(), index);
  return index;
}

SpecHome ClusterState::home_of(const JobSpec& spec) {
  SpecHome home;
  home.queue = find_queue(spec.queue);
  BERTH_CHECK(!home.queue.is_none());
  home.partition = partition_of(spec);
  home.trust_domain = spec.trust_domain.empty() ? quota_.queue(home.queue).trust_domain
                                                : intern_trust_domain(spec.trust_domain);
  return home;
}

// Equal specs that were at home in different places stay apart.
SpecIndex ClusterState::intern_spec(const JobSpecPtr& spec, const SpecHome& home) {
  std::string bytes = serial::to_bytes(*spec) + serial::to_bytes(home);
  if (const SpecIndex* known = specs_by_bytes_.find(bytes)) {
    ++specs_[known->value()].references;
    return *known;
  }
  SpecRecord record = make_spec_record(spec, home);
  record.references = 1;
  record.bytes = bytes;
  SpecIndex index;
  if (free_specs_.empty()) {
    index = SpecIndex(static_cast<std::uint32_t>(specs_.size()));
    specs_.push_back(std::move(record));
  } else {
    index = SpecIndex(free_specs_.back());
    free_specs_.pop_back();
    specs_[index.value()] = std::move(record);
  }
  specs_by_bytes_.insert(std::move(bytes), index);
  return index;
}

void ClusterState::release_spec(SpecIndex index) {
  SpecRecord& record = specs_[index.value()];
  BERTH_CHECK(record.references > 0);
  if (--record.references > 0) return;
  idle_specs_.push_back(index);
  if (idle_specs_.size() <= kIdleSpecs) return;
  const SpecIndex oldest = idle_specs_.front();
  idle_specs_.pop_front();
  forget_spec(oldest);
}

void ClusterState::forget_spec(SpecIndex index) {
  SpecRecord& record = specs_[index.value()];
  if (record.references > 0 || record.spec == nullptr) return;  // in use again, or gone
  pending_.forget(index);
  specs_by_pointer_.erase(record.spec.get());
  specs_by_bytes_.erase(record.bytes);
  record = SpecRecord{};
  free_specs_.push_back(index.value());
}

// Jobs that name no kind are of the kind of their queue and size.
KindIndex ClusterState::kind_of(const JobSpec& spec, std::uint64_t cards) {
  if (!spec.kind.empty()) return run_times_.intern("kind " + spec.kind);
  return run_times_.intern("queue " + spec.queue + " cards " + std::to_string(cards));
}

SpecRecord ClusterState::make_spec_record(const JobSpecPtr& spec, const SpecHome& home) {
  SpecRecord record;
  record.spec = spec;
  record.home = home;
  Ask ask;
  ask.domain_resources = spec->domain_resources;
  for (const Role& role : spec->roles) {
    Shape shape;
    shape.request = task_request(role);
    name_levels(*topology_, role, shape);
    Tier tier = Tier::kNone;
    for (const DeviceRequest& r : shape.request.devices) {
      if (r.kind == ShareKind::kShare) tier = std::max(tier, r.min_tier);
    }
    shape.share_mode = mode_of_share(spec->job_class, tier);
    shape.domain = record.home.trust_domain;
    shape.partition = record.home.partition;
    record.shapes.push_back(intern_shape(std::move(shape)));
    record.tasks += role.count;
    record.cards += std::uint64_t{shapes_.at(record.shapes.back()).device_count()} * role.count;
    ask.roles.push_back({record.shapes.back(), role.count, role.min_tasks(), role.elastic,
                         role.optional, role.segment_tasks, role.topology,
                         spec->roles.size() > 1 ? role.name : std::string()});
  }
  record.kind = kind_of(*spec, record.cards);
  record.ask = asks_.intern(std::move(ask));
  return record;
}

// The partition a job names, else the first by name of the kind made for its class, else the first
// that admits it; none where the fleet has no partitions.
PartitionIndex ClusterState::partition_of(const JobSpec& spec) const {
  if (!spec.partition.empty()) return find_partition(spec.partition);
  const PartitionKind own = spec.spot                                  ? PartitionKind::kSpot
                            : spec.job_class == JobClass::kInference   ? PartitionKind::kServing
                            : spec.job_class == JobClass::kInteractive ? PartitionKind::kShared
                                                                       : PartitionKind::kBatch;
  PartitionIndex any;
  for (const std::string& name : partition_names()) {
    const PartitionIndex index = find_partition(name);
    const PartitionSpec& candidate = partition(index);
    if (!admits(candidate, spec.job_class, spec.spot)) continue;
    if (candidate.kind == own) return index;
    if (any.is_none()) any = index;
  }
  return any;
}

TrustDomainIndex ClusterState::intern_trust_domain(const std::string& name) {
  if (const TrustDomainIndex* known = trust_domains_by_name_.find(name)) return *known;
  const TrustDomainIndex index(static_cast<std::uint32_t>(trust_domains_.size()));
  trust_domains_.push_back(name);
  trust_domains_by_name_.insert(name, index);
  return index;
}

CardKind ClusterState::card_kind_of(const NodeSpec& node, const CardSpec& card) const {
  CardKind kind;
  kind.model = find_model(node.model);
  BERTH_CHECK(!kind.model.is_none());
  const ModelRecord& model = models_[kind.model.value()];
  kind.gpu = model.gpu.get();
  kind.mig = model.mig.get();
  const Mib usable_mib = node.card_memory_mib > 0 ? node.card_memory_mib : kind.gpu->memory_mib;
  kind.usable = usable_mib * kEighthsPerMib;
  kind.client_reserve = node.card_reserve_mib * kEighthsPerMib;
  kind.regime = kind.mig == nullptr ? MigRegime::kOff : card.mig;
  kind.replicas = card.timeslice_replicas;
  kind.island = card.island;
  for (const MigInstanceSpec& instance : card.layout) {
    BERTH_CHECK(kind.mig != nullptr);
    const auto profile = kind.mig->find_profile(instance.profile);
    BERTH_CHECK(profile.has_value());
    const auto placement = kind.mig->find_placement(*profile, static_cast<int>(instance.start));
    BERTH_CHECK(placement.has_value());
    kind.layout |= MigGeometry::bit(*placement);
  }
  return kind;
}

CardKindIndex ClusterState::intern_card_kind(const CardKind& kind) {
  const auto same = [&](const CardKind& k) {
    return k.model == kind.model && k.usable == kind.usable &&
           k.client_reserve == kind.client_reserve && k.regime == kind.regime &&
           k.layout == kind.layout && k.replicas == kind.replicas && k.island == kind.island;
  };
  const auto it = std::find_if(card_kinds_.begin(), card_kinds_.end(), same);
  const auto index = static_cast<std::uint16_t>(it - card_kinds_.begin());
  if (it == card_kinds_.end()) card_kinds_.push_back(kind);
  return CardKindIndex(index);
}

NodeKindIndex ClusterState::intern_node_kind(const NodeKind& kind) {
  const NodeKindIndex next(static_cast<std::uint32_t>(node_kinds_.size()));
  const auto [known, is_new] = node_kinds_by_value_.emplace(kind, next);
  if (is_new) node_kinds_.push_back(kind);
  return known->second;
}

// Its selectors are asked about all cards here, so that no search has to.
ShapeIndex ClusterState::intern_shape(Shape shape) {
  shape.selectors = selectors_.intern(shape.request.devices);
  if (!shape.selectors.empty()) {
    if (selectors_.is_coarse()) tell_labels_apart();
    selectors_.catch_up();
  }
  return shapes_.intern(std::move(shape));
}

// No room comes of it: a node is where it was, under another number.
void ClusterState::tell_labels_apart() {
  std::vector<bool> used;
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    NodeRecord& node = nodes_[n];
    NodeKind kind = node_kind(node.kind);
    if (kind.devices.is_none()) continue;
    kind.devices = selectors_.intern_class(kind.model, models_[kind.model.value()].gpu, *node.spec);
    if (used.size() <= kind.devices.value()) used.resize(kind.devices.value() + 1, false);
    used[kind.devices.value()] = true;
    const NodeKindIndex finer = intern_node_kind(kind);
    if (finer == node.kind) continue;
    leave_slot(NodeIndex(n));
    node.kind = finer;
    log_node(NodeIndex(n));
    if (node.takes_work()) node.slot = slots_.enter(nodes_, NodeIndex(n));
  }
  selectors_.retire_all_but(used);
}

// Gives a new node a number between its neighbours by name; renumbers all when there is no gap.
void ClusterState::place_name(NodeIndex index) {
  constexpr std::uint64_t kGap = std::uint64_t{1} << 32;
  const auto it = nodes_by_name_.find(nodes_[index.value()].spec->name);
  const std::uint64_t low =
      it == nodes_by_name_.begin() ? 0 : nodes_[std::prev(it)->second.value()].name_order;
  const auto next = std::next(it);
  const std::uint64_t high =
      next == nodes_by_name_.end() ? low + 2 * kGap : nodes_[next->second.value()].name_order;
  if (high - low >= 2) {
    nodes_[index.value()].name_order = low + (high - low) / 2;
    return;
  }
  std::uint64_t order = 0;
  for (const auto& [name, node] : nodes_by_name_) nodes_[node.value()].name_order = order += kGap;
  slots_.refresh_names(nodes_);
}

}  // namespace berth::engine
