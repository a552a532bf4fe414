// Look-ups and the exact accounting of resources; what events do is in apply.cc.
#include "engine/state/cluster_state.h"

#include <algorithm>

#include "base/check.h"
#include "base/nearest.h"

namespace berth::engine {

namespace {

// Cards and instances with a partition of their own are in the model already; placement does not
// know them yet.
Status same_partition(const NodeSpec& node, const CardSpec& card, const std::string& path) {
  const auto same = [&](const std::string& partition, const std::string& field) {
    if (partition.empty() || partition == node.partition) return Status{};
    return Status(fail(ErrorCode::kInvalid,
                       "is '" + partition + "'; only the partition of the node is accepted yet",
                       field));
  };
  for (std::size_t i = 0; i < card.layout.size(); ++i) {
    const std::string field = path + ".layout[" + std::to_string(i) + "].partition";
    if (auto s = same(card.layout[i].partition, field); !s) return s;
  }
  return same(card.partition, path + ".partition");
}

}  // namespace

ClusterState::ClusterState()
    : topology_(std::make_shared<TopologySpec>()), topology_tree_(*topology_) {}

NodeIndex ClusterState::find_node(std::string_view name) const {
  const auto it = nodes_by_name_.find(name);
  return it == nodes_by_name_.end() ? NodeIndex::none() : it->second;
}

ModelIndex ClusterState::find_model(std::string_view name) const {
  const ModelIndex* found = models_by_name_.find(name);
  return found == nullptr ? ModelIndex::none() : *found;
}

PartitionIndex ClusterState::find_partition(std::string_view name) const {
  const PartitionIndex* found = partitions_by_name_.find(name);
  return found == nullptr ? PartitionIndex::none() : *found;
}

const JobRecord* ClusterState::find_job(std::string_view name) const {
  const JobId* id = jobs_by_name_.find(name);
  return id == nullptr ? nullptr : jobs_.find(*id);
}

std::vector<NodeIndex> ClusterState::nodes_by_name() const {
  std::vector<NodeIndex> order;
  order.reserve(nodes_.size());
  for (const auto& [name, index] : nodes_by_name_) order.push_back(index);
  return order;
}

std::vector<std::string> ClusterState::queue_names() const {
  std::vector<std::string> names;
  for (const QueueRecord& queue : queues()) names.push_back(queue.spec->name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> ClusterState::partition_names() const {
  std::vector<std::string> names;
  for (const auto& partition : partitions_) names.push_back(partition->name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> ClusterState::model_names() const {
  std::vector<std::string> names;
  for (const ModelRecord& model : models_) names.push_back(model.gpu->name);
  std::sort(names.begin(), names.end());
  return names;
}

bool ClusterState::fit_due() const {
  if (!policies_.everywhere()->learn_mix) return false;
  if (arrivals_ < std::max<std::uint64_t>(1, policies_.everywhere()->refit_first)) return false;
  if (fitted_at_ == 0) return true;
  // What is forgotten makes room for what is new at a steady pace, however many have arrived.
  const std::uint64_t half_life = policies_.everywhere()->mix_half_life;
  if (half_life > 0 && arrivals_ - fitted_at_ >= std::max<std::uint64_t>(1, half_life / 2)) {
    return true;
  }
  const std::int64_t grown = saturating_mul(static_cast<std::int64_t>(fitted_at_),
                                            kPpmOne + policies_.everywhere()->refit_growth_ppm);
  return static_cast<std::int64_t>(arrivals_) >= grown / kPpmOne && arrivals_ > fitted_at_;
}

bool ClusterState::prices_due() const {
  // Computing prices looks at the fleet: in a large one, where an arrival changes little, less
  // often.
  constexpr std::uint64_t kNodesPerArrival = 24;
  const std::uint64_t period = std::max<std::uint64_t>(policies_.everywhere()->price_every,
                                                       nodes_.size() / kNodesPerArrival);
  return fit_ != nullptr && (priced_at_ == 0 || arrivals_ >= priced_at_ + period);
}

CardAsk ClusterState::ask(const Shape& shape, std::size_t request, CardKindIndex kind) const {
  return resolve(shape.request.devices[request], card_kinds_[kind.value()], shape.share_mode,
                 shape.domain);
}

bool ClusterState::fits(NodeIndex index, const Shape& shape, const CardGrants& grants) const {
  const NodeRecord& node = nodes_[index.value()];
  if (node.condition != NodeCondition::kReady) return false;
  for (const CardGrant& grant : grants) {
    if (grant.card >= node.cards.size() || !node.cards[grant.card].usable()) return false;
  }
  return can_hold(index, shape, grants);
}

bool ClusterState::can_hold(NodeIndex index, const Shape& shape, const CardGrants& grants) const {
  const NodeRecord& node = nodes_[index.value()];
  const TaskRequest& request = shape.request;
  if (request.cpu_milli > node.cpu_free || request.memory_mib > node.memory_free) return false;
  if (lacking_resource(node, request.resources) != nullptr) return false;
  CardList cards = node.cards;
  std::size_t next = 0;
  for (std::size_t r = 0; r < request.devices.size(); ++r) {
    for (std::uint32_t i = 0; i < request.devices[r].count; ++i, ++next) {
      if (next >= grants.size() || grants[next].card >= cards.size()) return false;
      CardState& card = cards[grants[next].card];
      const auto after = after_grant(card, shape, r, grants[next]);
      if (!after) return false;
      card = *after;
    }
  }
  return next == grants.size();
}

std::optional<CardState> ClusterState::after_grant(CardState card, const Shape& shape,
                                                   std::size_t request,
                                                   const CardGrant& grant) const {
  const CardKind& kind = card_kinds_[card.kind.value()];
  const CardAsk wanted = ask(shape, request, card.kind);
  const SharingMode& mode = sharing_mode(wanted.mode);
  const CardHealth health = card.health;
  const std::uint8_t promises = card.promises;
  card.health = CardHealth::kHealthy;
  card.promises = 0;
  if (mode.refuses(kind, card, wanted)) return std::nullopt;
  if (wanted.mode == CardMode::kMig) {
    if (grant.placement >= kMaxMigPlacements) return std::nullopt;
    const MigOccupancy start = MigGeometry::bit(MigPlacementIndex(grant.placement));
    if ((creatable(kind, card, *wanted.profile) & start) == 0) return std::nullopt;
  }
  CardGrant expected = mode.grant(kind, wanted, grant.placement);
  expected.card = grant.card;
  if (wanted.mode != CardMode::kMig) expected.placement = CardGrant::kNoPlacement;
  if (!(expected == grant)) return std::nullopt;
  card = mode.after_take(kind, card, grant, shape.domain);
  card.health = health;
  card.promises = promises;
  return card;
}

Status ClusterState::check_node(const NodeSpec& node) const {
  if (auto s = validate(node); !s) return s;
  if (!node.partition.empty() && find_partition(node.partition).is_none()) {
    return invalid("'" + node.partition + "' is not a partition" +
                       suggestion(node.partition, partition_names()),
                   "partition");
  }
  if (auto s = topology_tree_.check(node); !s) return s;
  if (node.model.empty()) return {};
  const ModelIndex model = find_model(node.model);
  if (model.is_none()) {
    return invalid(
        "'" + node.model + "' is not a GPU model" + suggestion(node.model, model_names()), "model");
  }
  for (std::size_t i = 0; i < node.cards.size(); ++i) {
    const std::string path = "cards[" + std::to_string(i) + "]";
    if (auto s = same_partition(node, node.cards[i], path); !s) return s;
    if (auto s = check_layout(models_[model.value()], node.cards[i], path); !s) return s;
  }
  return {};
}

Status ClusterState::check_layout(const ModelRecord& model, const CardSpec& card,
                                  const std::string& path) {
  if (card.mig == MigRegime::kOff) return {};
  if (model.mig == nullptr)
    return invalid("model " + model.gpu->name + " has no MIG", path + ".mig");
  const auto layout = parse_layout(model, card.layout, path + ".layout");
  return layout ? Status{} : tl::unexpected(layout.error());
}

Result<MigOccupancy> ClusterState::parse_layout(const ModelRecord& model,
                                                const std::vector<MigInstanceSpec>& instances,
                                                const std::string& path) {
  MigOccupancy layout = 0;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const std::string field = path + "[" + std::to_string(i) + "]";
    const auto profile = model.mig->find_profile(instances[i].profile);
    if (!profile) {
      std::vector<std::string> names;
      for (const MigProfile& p : model.gpu->mig_profiles) names.push_back(p.name);
      return invalid("'" + instances[i].profile + "' is not a profile of " + model.gpu->name +
                         suggestion(instances[i].profile, names),
                     field + ".profile");
    }
    const auto start = static_cast<int>(instances[i].start);
    const auto placement = model.mig->find_placement(*profile, start);
    if (!placement || (layout & MigGeometry::bit(*placement)) != 0) {
      return invalid("is " + std::to_string(start) + ", where the profile cannot start",
                     field + ".start");
    }
    layout |= MigGeometry::bit(*placement);
  }
  if (model.mig->is_valid(layout)) return layout;
  return invalid("the instances do not fit together on a card", path);
}

void ClusterState::change(NodeIndex index, const Shape& shape, const CardGrants& grants, int sign) {
  NodeRecord& node = nodes_[index.value()];
  leave_slot(index);
  change_host(node, shape.request, sign);
  for (const CardGrant& grant : grants) {
    const CardState& card = node.cards[grant.card];
    const CardKind& kind = card_kinds_[card.kind.value()];
    const SharingMode& mode = sharing_mode(grant.mode);
    set_card(node, grant.card,
             sign > 0 ? mode.after_take(kind, card, grant, shape.domain)
                      : mode.after_give(kind, card, grant));
  }
  log_node(index);
  if (sign < 0) log_gain(index);
  if (node.takes_work()) node.slot = slots_.enter(nodes_, index);
}

void ClusterState::take(NodeIndex node, const Shape& shape, const CardGrants& grants) {
  change(node, shape, grants, 1);
}

void ClusterState::give(NodeIndex node, const Shape& shape, const CardGrants& grants) {
  change(node, shape, grants, -1);
}

void ClusterState::enter_slot(NodeIndex index) {
  NodeRecord& node = nodes_[index.value()];
  rekey(node);
  log_node(index);
  log_gain(index);
  if (node.takes_work()) node.slot = slots_.enter(nodes_, index);
}

void ClusterState::keep(NodeIndex node, JobId job) {
  leave_slot(node);
  nodes_[node.value()].held_for = job;
  enter_slot(node);
}

// The nodes that a reservation keeps, or no longer keeps.
void ClusterState::keep_nodes(const Reserve& reservation, JobId job) {
  for (const NodeIndex node : reservation.nodes) {
    const JobId holder = nodes_[node.value()].held_for;
    if (holder.is_none() || holder == reservation.job) keep(node, job);
  }
  ++room_revision_;
}

void ClusterState::end_reservation(JobId job) {
  const auto it = ledger_.reservations.find(job);
  if (it == ledger_.reservations.end()) return;
  keep_nodes(*it->second, JobId::none());
  ledger_.reservations.erase(it);
}

void ClusterState::leave_slot(NodeIndex index) {
  NodeRecord& node = nodes_[index.value()];
  if (!node.slot.is_none()) slots_.leave(nodes_, index, node.slot);
  node.slot = SlotIndex::none();
}

const Shape& ClusterState::shape_of(const Lease& lease) const {
  const SpecRecord& spec = spec_of(jobs_.at(lease.job));
  return shapes_.at(spec.shapes[lease.placement.role]);
}

ClusterState::Charges ClusterState::charges_of(const Shape& shape, NodeIndex node,
                                               const CardGrants& grants) const {
  const NodeKind& kind = node_kinds_[nodes_[node.value()].kind.value()];
  Charges charges;
  if (!grants.empty()) {
    charges.cards = kind.flavour;
    for (const CardGrant& grant : grants) charges.of_cards += Charge{grant.compute, grant.memory};
  }
  if (quota_.counts_cpus() && shape.request.cpu_milli > 0) {
    charges.cpus = kind.cpus;
    charges.of_cpus.compute = saturating_mul(shape.request.cpu_milli, kCardMilli);
  }
  return charges;
}

const std::set<JobId>& ClusterState::group_of(const JobRecord& job) const {
  const SpecRecord& spec = spec_of(job);
  return groups_.at({spec.home.queue, spec.spec->group});
}

void ClusterState::join_group(const JobRecord& job) {
  const SpecRecord& spec = spec_of(job);
  if (!spec.spec->group.empty()) groups_[{spec.home.queue, spec.spec->group}].insert(job.id);
}

void ClusterState::leave_group(const JobRecord& job) {
  const SpecRecord& spec = spec_of(job);
  if (spec.spec->group.empty()) return;
  const auto it = groups_.find({spec.home.queue, spec.spec->group});
  it->second.erase(job.id);
  if (it->second.empty()) groups_.erase(it);
}

std::span<const JobId> ClusterState::holders(QueueIndex queue) const {
  if (queue.value() >= holders_.size()) return {};
  return holders_[queue.value()];
}

void ClusterState::note_holder(JobRecord& job) {
  const QueueIndex queue = spec_of(job).home.queue;
  if (holders_.size() <= queue.value()) holders_.resize(queue.value() + 1);
  std::vector<JobId>& holders = holders_[queue.value()];
  job.holder_at = static_cast<std::uint32_t>(holders.size());
  holders.push_back(job.id);
}

void ClusterState::forget_holder(const JobRecord& job) {
  std::vector<JobId>& holders = holders_[spec_of(job).home.queue.value()];
  const JobId last = holders.back();
  holders[job.holder_at] = last;
  jobs_.at(last).holder_at = job.holder_at;
  holders.pop_back();
}

RoleTasks ClusterState::role_tasks(const JobRecord& job, std::size_t role) const {
  const Role& wanted = spec_of(job).spec->roles[role];
  RoleTasks tasks;
  std::vector<std::uint32_t> leaving;  // their numbers are not free yet
  for (const LeaseId id : job.leases) {
    const Lease& lease = leases_.at(id);
    if (lease.placement.role != role) continue;
    const bool leaves = lease.state == LeaseState::kRevoking;
    (leaves ? leaving : tasks.held).push_back(lease.placement.task);
  }
  std::sort(tasks.held.begin(), tasks.held.end());
  std::sort(leaving.begin(), leaving.end());
  const std::uint32_t ended = job.ended_in(role);
  const auto there = static_cast<std::uint32_t>(tasks.held.size()) + ended;
  for (std::uint32_t task = 0, held = 0;
       task < wanted.count && tasks.missing.size() + there < wanted.count; ++task) {
    if (held < tasks.held.size() && tasks.held[held] == task) {
      ++held;
    } else if (!std::binary_search(leaving.begin(), leaving.end(), task)) {
      tasks.missing.push_back(task);
    }
  }
  if (there < wanted.min_tasks()) tasks.least_missing = wanted.min_tasks() - there;
  return tasks;
}

void ClusterState::hold_quota(const SpecRecord& spec, const Charges& charges, int sign) {
  const auto hold = [&](FlavourIndex flavour, Charge amount) {
    if (flavour.is_none()) return;
    if (sign < 0) amount = Charge{-amount.compute, -amount.memory};
    quota_.hold(spec.home.queue, spec.spec->job_class, flavour, amount);
  };
  hold(charges.cards, charges.of_cards);
  hold(charges.cpus, charges.of_cpus);
}

void ClusterState::charge(const SpecRecord& spec, const TaskPlacement& task, int sign) {
  const Shape& shape = shapes_.at(spec.shapes[task.role]);
  const Charges charges = charges_of(shape, task.node, task.grants);
  const DurationMs half_life =
      policies_.everywhere()->history_ppm > 0 ? policies_.everywhere()->usage_half_life_ms : 0;
  const auto book = [&](FlavourIndex flavour, Charge amount) {
    if (flavour.is_none()) return;
    if (sign < 0) amount = Charge{-amount.compute, -amount.memory};
    quota_.charge(spec.home.queue, spec.spec->job_class, flavour, amount, now_, half_life);
  };
  book(charges.cards, charges.of_cards);
  book(charges.cpus, charges.of_cpus);
}

// Quotas with their names resolved; what names an unknown model or partition matches nothing.
QuotaTree::Entries ClusterState::entries_of(const QueueSpec& queue) const {
  QuotaTree::Entries entries;
  for (const FlavourQuota& quota : queue.quotas) {
    QuotaEntry entry;
    entry.pattern.cpu = quota.model == kCpuQuota;
    if (!entry.pattern.cpu && !quota.model.empty()) entry.pattern.model = find_model(quota.model);
    if (!quota.partition.empty()) entry.pattern.partition = find_partition(quota.partition);
    entry.guarantee = quota.guarantee;
    entry.weight = quota.weight;
    entry.limit = quota.limit;
    entry.lend = quota.lend;
    entry.declared = true;
    entries.push_back(entry);
  }
  return entries;
}

void ClusterState::count_capacity(const NodeRecord& node, int sign) {
  const NodeKind& kind = node_kinds_[node.kind.value()];
  const CardUnits cpus = saturating_mul(node.spec->cpu_milli, kCardMilli);
  quota_.change_capacity(kind.cpus, sign * cpus, 0);
  if (kind.flavour.is_none()) return;
  MemoryEighths memory = 0;
  for (const CardState& card : node.cards) memory += card_kinds_[card.kind.value()].usable;
  const auto cards = static_cast<CardUnits>(node.cards.size());
  quota_.change_capacity(kind.flavour, sign * cards * kCard, sign * memory);
}

// The first quota of CPUs: from now on they are charged, and those that are held already.
void ClusterState::count_cpus() {
  for (const LeaseId id : leases_.sorted_ids()) {
    const Lease& lease = leases_.at(id);
    if (lease.state == LeaseState::kPromised) continue;
    const SpecRecord& spec = spec_of(jobs_.at(lease.job));
    Charges charges = charges_of(shape_of(lease), lease.placement.node, lease.placement.grants);
    charges.cards = FlavourIndex::none();
    hold_quota(spec, charges, 1);
  }
}

std::string ClusterState::flavour_name(const Flavour& flavour) const {
  std::string name = flavour.is_cpu() ? "CPUs" : models_[flavour.model.value()].gpu->name;
  if (!flavour.partition.is_none()) name += " in " + partition(flavour.partition).name;
  return name;
}

MicroMoney ClusterState::price_per_gpu_hour(const Flavour& flavour) const {
  if (flavour.is_cpu()) return 0;
  if (!flavour.partition.is_none() && partition(flavour.partition).price_per_gpu_hour > 0) {
    return partition(flavour.partition).price_per_gpu_hour;
  }
  for (const ModelPrice& price : policies_.everywhere()->prices) {
    if (find_model(price.model) == flavour.model) return price.per_gpu_hour;
  }
  return 0;
}

void ClusterState::wake(TimeMs now) {
  for (const JobId id : pending_.take_awake(now)) {
    const JobRecord& job = jobs_.at(id);
    pending_.add(job, spec_of(job), std::max(now, now_));
  }
}

}  // namespace berth::engine
