// What declarations of the fleet do to the state: models, topology, partitions, nodes and what
// becomes of them.
#include "base/check.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

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
  topology_tree_ = TopologyTree(*topology_, topology_tree_.version() + 1);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].condition == NodeCondition::kRemoved) continue;
    topology_tree_.add(NodeIndex(static_cast<std::uint32_t>(n)), *nodes_[n].spec);
  }
  for (const JobId id : jobs_.sorted_ids()) {
    const JobRecord& job = jobs_.at(id);
    if (job.domain_level.empty()) continue;
    take(topology_tree_.find(job.domain_level, job.domain_name),
         spec_of(job).spec->domain_resources, 1);
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

void ClusterState::on(const NodeJoined& e) {
  BERTH_CHECK(e.node.value() == nodes_.size());
  NodeRecord node;
  node.spec = e.spec;
  node.condition_since = now_;
  NodeKind kind;
  kind.model = e.spec->model.empty() ? ModelIndex::none() : find_model(e.spec->model);
  kind.partition = find_partition(e.spec->partition);
  kind.cpus = quota_.intern({ModelIndex::none(), kind.partition});
  if (!kind.model.is_none()) kind.flavour = quota_.intern({kind.model, kind.partition});
  kind.cpu_milli = e.spec->cpu_milli;
  kind.cards = static_cast<std::uint32_t>(e.spec->cards.size());
  if (!kind.model.is_none()) {
    kind.devices = selectors_.intern_class(kind.model, models_[kind.model.value()].gpu, *e.spec);
    selectors_.catch_up();
  }
  node.kind = intern_node_kind(kind);
  node.cpu_free = e.spec->cpu_milli;
  node.memory_free = e.spec->memory_mib;
  for (const Countable& resource : e.spec->resources) {
    node.resources_free.push_back(resource.amount);
    node.resources_owed.push_back(0);
  }
  for (const CardSpec& card : e.spec->cards) {
    const CardKind card_kind = card_kind_of(*e.spec, card);
    node.cards.push_back(empty_card(intern_card_kind(card_kind), card_kind));
    node.cards.back().health = card.health;
  }
  count_capacity(node, 1);
  nodes_.push_back(std::move(node));
  nodes_by_name_.emplace(e.spec->name, e.node);
  topology_tree_.add(e.node, *e.spec);
  place_name(e.node);
  enter_slot(e.node);
  ++room_revision_;
}

// Whom its provider takes away comes back as another machine.
NodeCondition ClusterState::after_loss(NodeIndex node) const {
  const NodeCondition before = nodes_[node.value()].condition;
  return ledger_.interruptions.contains(node) ? NodeCondition::kReady : before;
}

void ClusterState::on(const NodeConditionChanged& e) {
  leave_slot(e.node);
  NodeRecord& node = nodes_[e.node.value()];
  const bool is_lost = e.condition == NodeCondition::kLost;
  node.otherwise = is_lost ? after_loss(e.node) : NodeCondition::kReady;
  node.condition = e.condition;
  node.condition_since = now_;
  if (e.condition == NodeCondition::kReady) ledger_.interruptions.erase(e.node);
  if (e.condition == NodeCondition::kRemoved) {
    ledger_.forget(e.node);
    count_capacity(nodes_[e.node.value()], -1);
    nodes_by_name_.erase(nodes_[e.node.value()].spec->name);
    build_topology_tree();
  }
  enter_slot(e.node);
  ++room_revision_;
}

void ClusterState::on(const NodeConditionWanted& e) {
  nodes_[e.node.value()].otherwise = e.condition;
}

void ClusterState::on(const CardHealthChanged& e) {
  leave_slot(e.node);
  nodes_[e.node.value()].cards[e.card].health = e.health;
  enter_slot(e.node);
  ++room_revision_;
}

}  // namespace berth::engine
