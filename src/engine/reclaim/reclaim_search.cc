#include "engine/reclaim/reclaim_search.h"

#include <algorithm>
#include <utility>

#include "engine/cycle/commit.h"

namespace berth::engine {
namespace {

// Searches of a consolidation in one domain, each without a unit that could not be moved.
constexpr int kMostTries = 8;

CardUnits most_cards(const ReclaimRights::Claims& claims) {
  CardUnits most = 0;
  for (const auto& [flavour, charge] : claims.cards) most = std::max(most, charge.compute);
  return most;
}

}  // namespace

ReclaimSearch::ReclaimSearch(Trial& trial, Placer& placer, RoomTable& rooms, const Known& known,
                             Request request)
    : trial_(trial),
      state_(trial.state()),
      placer_(placer),
      rooms_(rooms),
      known_(known),
      request_(std::move(request)),
      spec_(state_.spec_of(request_.job)),
      ask_(state_.ask_of(request_.job)),
      moves_(trial, placer, rooms, request_.job.id, request_.now) {}

std::optional<Reclaim> ReclaimSearch::run() {
  const Trial::Checkpoint start = trial_.checkpoint();
  release_leaving(trial_, request_.leaving);  // nobody's to take twice, and room that comes
  const ReclaimRights::Claims wanted = claims();
  if (!consolidates() || is_enough_free(wanted)) list_units(wanted);
  std::optional<Reclaim> found;
  if (units_) {
    if (!cover_quota()) {
      trial_.rollback(start);
      return std::nullopt;
    }
    for (const DomainIndex scope : scopes()) {
      found = search_in(scope);
      if (found) break;
    }
  }
  trial_.rollback(start);
  return found;
}

std::optional<Reclaim> ReclaimSearch::search_in(DomainIndex scope) {
  for (int tries = consolidates() ? kMostTries : 1; tries > 0; --tries) {
    const Trial::Checkpoint before = trial_.checkpoint();
    const std::size_t mark = units_->mark();
    if (!cover(scope) || !prove(scope) || !quota_holds()) {
      trial_.rollback(before);
      units_->back_to(mark);
      return std::nullopt;
    }
    spare_needless();
    const auto stays = consolidates() ? moves_.run(*units_, request_.leaving) : std::nullopt;
    if (!stays) return receipt();
    trial_.rollback(before);
    units_->back_without(mark, *stays);
  }
  return std::nullopt;
}

// By count, of some flavour: moving makes no more of it.
bool ReclaimSearch::is_enough_free(const ReclaimRights::Claims& claims) const {
  const QuotaTree& quota = state_.quota();
  return std::any_of(claims.cards.begin(), claims.cards.end(), [&](const auto& claim) {
    CardUnits free = quota.capacity(claim.first).units;
    for (const QueueIndex root : quota.roots()) free -= quota.used(root, nullptr, claim.first, {});
    return free >= claim.second.compute;
  });
}

void ReclaimSearch::list_units(const ReclaimRights::Claims& wanted) {
  useful_ = most_cards(wanted);
  rights_.emplace(state_, known_.shares, known_.levels, request_.job, request_.right,
                  request_.floor, wanted, request_.now);
  if (!rights_->holds()) return;
  std::vector<Unit> units = units_of(state_, *rights_, request_.leaving, useful_, request_.now);
  effort_.candidates += units.size();
  units_.emplace(trial_, *rights_, std::move(units), request_.budgets, request_.now);
}

void ReclaimSearch::take_all() {
  release_leaving(trial_, request_.leaving);
  list_units(claims());
  if (!units_) return;
  for (const std::uint32_t u : units_->in_order()) units_->take(u);
}

// Where the quota refuses the job: takes what counts against it, until it does not any more.
bool ReclaimSearch::cover_quota() {
  TaskCounts tasks;
  for (const RoleNeed& need : request_.needs) tasks.push_back(need.least);
  QuotaCover quota(trial_, known_.flavours, request_.job, std::move(tasks), request_.now);
  auto admitted = quota.admitted();
  if (!admitted && consolidates()) return false;  // nobody will hold less
  if (!admitted) admitted = quota_.emplace(std::move(quota)).run(*units_);
  return admitted && restrict_to(admitted->models);
}

// By role, to what it may use already; false where one could use none of them.
bool ReclaimSearch::restrict_to(const std::vector<ModelChoice>& models) {
  std::vector<ModelChoice>& own = request_.attempt.models;
  if (own.empty()) own = models;
  for (std::size_t r = 0; r < std::min(own.size(), models.size()); ++r) {
    if (models[r].empty()) continue;
    if (own[r].empty()) own[r] = models[r];
    std::erase_if(own[r], [&](ModelIndex model) {
      return std::find(models[r].begin(), models[r].end(), model) == models[r].end();
    });
    if (own[r].empty()) return false;
  }
  return true;
}

// What it would hold of each flavour, if all of it went there.
ReclaimRights::Claims ReclaimSearch::claims() {
  ReclaimRights::Claims claims;
  const std::vector<RoleFlavours>& roles = known_.flavours.of(state_, spec_.ask);
  const auto count = [&](std::size_t r) { return request_.needs[r].least; };
  for (std::size_t r = 0; r < roles.size(); ++r) {
    for (const FlavourOption& option : roles[r].cards) {
      const auto& models = request_.attempt.models;
      const bool may =
          models.empty() || models[r].empty() ||
          std::find(models[r].begin(), models[r].end(), option.model) != models[r].end();
      const bool known =
          std::any_of(claims.cards.begin(), claims.cards.end(),
                      [&](const auto& claim) { return claim.first == option.flavour; });
      if (may && !known) {
        claims.cards.emplace_back(option.flavour, charge_of(roles, option.flavour, count));
      }
    }
    const RoleFlavours& role = roles[r];
    if (!role.cpus.is_none()) {
      add_charge(claims.cpus, role.cpus, times(role.cpus_per_task, count(r)));
    }
  }
  return claims;
}

// Where all of a role, or of the job, must lie in one domain: each of those, the cheapest first.
std::vector<DomainIndex> ReclaimSearch::scopes() {
  const TopologyTree& tree = state_.topology_tree();
  std::optional<std::uint32_t> rank;
  for (const RoleAsk& role : ask_.roles) {
    for (const TopologyRule& rule : role.rules) {
      const bool whole = rule.unit == RuleUnit::kJob || rule.unit == RuleUnit::kRole;
      if (!whole || rule.strength != RuleStrength::kRequired) continue;
      const auto at = tree.rank_of(rule.within);
      if (at && (!rank || *at < *rank)) rank = at;
    }
  }
  if (!rank) return {DomainIndex::none()};
  struct Priced {
    UnitCost cost;
    DomainIndex domain;
  };
  std::vector<Priced> priced;
  for (const DomainIndex domain : tree.of_rank(*rank)) {
    const Trial::Checkpoint before = trial_.checkpoint();
    const std::size_t mark = units_->mark();
    if (cover(domain)) priced.push_back({cost_of_taken(), domain});
    trial_.rollback(before);
    units_->back_to(mark);
  }
  std::sort(priced.begin(), priced.end(), [&](const Priced& a, const Priced& b) {
    if (a.cost.key() != b.cost.key()) return a.cost.key() < b.cost.key();
    return tree.domain(a.domain).name < tree.domain(b.domain).name;
  });
  if (priced.size() > 1) runner_up_ = priced[1].cost.price;
  std::vector<DomainIndex> order;
  for (const Priced& one : priced) order.push_back(one.domain);
  return order;
}

std::vector<NodeIndex> ReclaimSearch::nodes_in(DomainIndex scope) const {
  std::vector<NodeIndex> nodes;
  if (!scope.is_none()) {
    state_.topology_tree().collect_nodes(scope, nodes);
    return nodes;
  }
  nodes.resize(state_.nodes().size());
  for (std::uint32_t n = 0; n < nodes.size(); ++n) nodes[n] = NodeIndex(n);
  return nodes;
}

// Whether there is room for as many tasks as are needed, by count, once the units are taken.
bool ReclaimSearch::cover(DomainIndex scope) {
  const std::vector<NodeIndex> nodes = nodes_in(scope);
  for (std::size_t r = 0; r < ask_.roles.size(); ++r) {
    const std::uint32_t least = request_.needs[r].least;
    if (least == 0) continue;
    const ShapeIndex shape = ask_.roles[r].shape;
    // of several roles each may find the free room taken by another: sparing sets that right
    std::uint64_t free = 0;
    if (r == 0) {
      DomainRoom& room = rooms_.of(state_, shape);
      free = scope.is_none() ? room.in_fleet() : room.in_domain(scope);
    }
    if (free >= least) continue;
    const auto lacking = static_cast<std::uint32_t>(least - free);
    Cover cover(trial_, *units_, shape, useful_);
    if (cover.run(nodes, lacking) < lacking && r == 0) return false;
    if (scope.is_none()) runner_up_ = lacking == 1 ? cover.next_price() : std::nullopt;
  }
  return true;
}

UnitCost ReclaimSearch::cost_of_taken() const {
  UnitCost cost;
  for (const std::uint32_t u : units_->taken()) {
    cost.add(units_->unit(u), units_->unit(u).price);
  }
  return cost;
}

std::optional<GangPlace> ReclaimSearch::place(const std::vector<RoleNeed>& needs,
                                              std::span<const Anchor> anchors) {
  ++effort_.proofs;
  GangSearch search(
      trial_, placer_, rooms_,
      {ask_, request_.job.spec, needs, request_.attempt.models, anchors, request_.now});
  return search.run();
}

// Where counting was not enough: more units of the scope, in their order, twice as many each time.
bool ReclaimSearch::prove(DomainIndex scope) {
  std::vector<std::uint32_t> order;
  std::size_t next = 0;
  for (std::size_t count = 1;; count *= 2) {
    if (auto found = place(request_.needs, {})) {
      place_ = std::move(*found);
      return true;
    }
    if (consolidates()) return false;  // what counting does not find is not worth it
    if (order.empty()) {
      for (const NodeIndex node : nodes_in(scope)) {
        for (const std::uint32_t u : units_->on_node(node)) order.push_back(u);
      }
      units_->put_in_order(order);
      order.erase(std::unique(order.begin(), order.end()), order.end());
    }
    if (!take_more(order, next, count)) return false;
  }
}

bool ReclaimSearch::take_more(std::span<const std::uint32_t> order, std::size_t& next,
                              std::size_t count) {
  bool any = false;
  for (; next < order.size() && count > 0; ++next) {
    if (!units_->is_open(order[next]) || !units_->take(order[next])) continue;
    any = true;
    --count;
  }
  return any;
}

void ReclaimSearch::spare_needless() {
  note_tasks();
  std::vector<std::uint32_t> taken = units_->taken();
  std::sort(taken.begin(), taken.end(), [&](std::uint32_t a, std::uint32_t b) {
    return units_->unit(b).order() < units_->unit(a).order();
  });
  for (const std::uint32_t u : taken) {
    const Unit& unit = units_->unit(u);
    if (spare_beside(unit) || spare_elsewhere(unit)) units_->spare(u);
  }
}

// Where the job does not use what it holds.
bool ReclaimSearch::spare_beside(const Unit& unit) {
  const Trial::Checkpoint start = trial_.checkpoint();
  if (give_unit_back(trial_, unit) && quota_holds()) return true;
  trial_.rollback(start);
  return false;
}

// Where the tasks of the job that lie on its nodes find other places.
bool ReclaimSearch::spare_elsewhere(const Unit& unit) {
  const std::vector<std::size_t> displaced = tasks_beside(unit);
  if (!may_have_room(unit, displaced)) return false;
  const Trial::Checkpoint start = trial_.checkpoint();
  std::vector<RoleNeed> needs(request_.needs.size());
  for (const std::size_t t : displaced) {
    const TaskPlacement& task = place_.tasks[t];
    trial_.release(request_.job.spec, spec_.shapes[task.role], task.node, task.grants);
    needs[task.role].tasks.push_back(task.task);
    ++needs[task.role].least;
  }
  if (give_unit_back(trial_, unit)) {
    if (const auto found = place(needs, anchors_without(displaced))) {
      const std::vector<TaskPlacement> before = place_.tasks;
      replace(displaced, found->tasks);
      if (quota_holds()) return true;
      place_.tasks = before;
      note_tasks();
    }
  }
  trial_.rollback(start);
  return false;
}

// The tasks of the job on the nodes of the unit, rising.
std::vector<std::size_t> ReclaimSearch::tasks_beside(const Unit& unit) const {
  std::vector<std::size_t> tasks;
  for (const LeaseId id : unit.leases) {
    const auto here = tasks_on_.find(state_.find_lease(id)->placement.node);
    if (here == tasks_on_.end()) continue;
    tasks.insert(tasks.end(), here->second.begin(), here->second.end());
  }
  std::sort(tasks.begin(), tasks.end());
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  return tasks;
}

std::vector<Anchor> ReclaimSearch::anchors_without(std::span<const std::size_t> displaced) const {
  std::vector<Anchor> anchors;
  for (std::size_t t = 0; t < place_.tasks.size(); ++t) {
    if (std::binary_search(displaced.begin(), displaced.end(), t)) continue;
    const TaskPlacement& task = place_.tasks[t];
    anchors.push_back({task.role, task.task, task.node});
  }
  return anchors;
}

void ReclaimSearch::replace(std::span<const std::size_t> displaced,
                            const std::vector<TaskPlacement>& tasks) {
  for (std::size_t i = 0; i < displaced.size(); ++i) place_.tasks[displaced[i]] = tasks[i];
  note_tasks();
}

void ReclaimSearch::note_tasks() {
  tasks_on_.clear();
  for (std::size_t t = 0; t < place_.tasks.size(); ++t) {
    tasks_on_[place_.tasks[t].node].push_back(t);
  }
}

// By count, which costs little: whether the displaced tasks may find room with the unit back. What
// is counted as room may still be of no use.
bool ReclaimSearch::may_have_room(const Unit& unit, std::span<const std::size_t> displaced) {
  std::map<std::uint16_t, std::uint64_t> wanted;
  for (const std::size_t t : displaced) ++wanted[place_.tasks[t].role];
  for (const auto& [role, tasks] : wanted) {
    const ShapeIndex shape = ask_.roles[role].shape;
    DomainRoom& room = rooms_.of(state_, shape);
    std::uint64_t there = room.in_fleet();
    for (const NodeIndex node : nodes_of(unit)) {
      there -= room.on_node(node);
      there += tasks_with(unit, node, state_.shapes().at(shape));
    }
    if (there < tasks) return false;
  }
  return true;
}

std::set<NodeIndex> ReclaimSearch::nodes_of(const Unit& unit) const {
  std::set<NodeIndex> nodes;
  for (const LeaseId id : unit.leases) nodes.insert(state_.find_lease(id)->placement.node);
  return nodes;
}

// Tasks of the shape that would fit on the node with the unit back and none of the job's there.
std::uint32_t ReclaimSearch::tasks_with(const Unit& unit, NodeIndex node,
                                        const Shape& shape) const {
  NodeRoom room(state_, node);
  const auto here = tasks_on_.find(node);
  if (here != tasks_on_.end()) {
    for (const std::size_t t : here->second) {
      const TaskPlacement& task = place_.tasks[t];
      room.give(state_.shapes().at(spec_.shapes[task.role]), task.grants);
    }
  }
  const SpecRecord& other = state_.spec_of(*state_.find_job(unit.job));
  for (const LeaseId id : unit.leases) {
    const TaskPlacement& task = state_.find_lease(id)->placement;
    if (task.node != node) continue;
    room.take(state_.shapes().at(other.shapes[task.role]), task.grants);
  }
  return room.tasks(shape);
}

Reclaim ReclaimSearch::receipt() const {
  Reclaim reclaim;
  reclaim.beneficiary = request_.job.id;
  reclaim.name = request_.job.name;
  reclaim.right = request_.right;
  reclaim.ownership = ownership_of(state_, request_.job, place_.tasks);
  reclaim.placement = place_.tasks;
  reclaim.runner_up_price = runner_up_;
  DurationMs latency = 0;
  std::vector<std::uint32_t> taken = units_->taken();
  std::sort(taken.begin(), taken.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Unit& first = units_->unit(a);
    const Unit& second = units_->unit(b);
    return std::pair(first.job, first.lease_key()) < std::pair(second.job, second.lease_key());
  });
  for (const std::uint32_t u : taken) {
    const Unit& unit = units_->unit(u);
    reclaim.price = saturating_add(reclaim.price, unit.price);
    latency = std::max(latency, unit.loss.latency_ms);
    for (const LeaseId id : unit.leases) {
      const Lease& lease = *state_.find_lease(id);
      Victim victim;
      victim.lease = id;
      victim.grade = unit.loss.grade;
      victim.lost_ms = unit.loss.counted_ms;
      victim.latency_ms = unit.loss.latency_ms;
      for (const CardGrant& grant : lease.placement.grants) victim.cards += grant.compute;
      const TaskRequest& request = state_.shape_of(lease).request;
      victim.cpu_milli = request.cpu_milli;
      victim.memory_mib = request.memory_mib;
      victim.price = unit.cards > 0 ? static_cast<MicroMoney>(static_cast<__int128>(unit.price) *
                                                              victim.cards / unit.cards)
                                    : 0;
      victim.job = unit.job;
      victim.name = state_.find_job(unit.job)->name;
      victim.node = lease.placement.node;
      victim.ownership = lease.ownership;
      if (consolidates()) victim.target = moves_.target(id);
      reclaim.victims.push_back(std::move(victim));
    }
  }
  reclaim.expires_at = std::max(saturating_add(request_.now, latency), others_gone_at());
  return reclaim;
}

// When what leaves already has left the nodes of the place.
TimeMs ReclaimSearch::others_gone_at() const {
  TimeMs at = request_.now;
  for (const auto& [id, how] : request_.leaving) {
    const bool beside = tasks_on_.contains(state_.find_lease(id)->placement.node);
    if (beside) at = std::max(at, how.until);
  }
  return at;
}

}  // namespace berth::engine
