#include "engine/placement/gang_search.h"

#include <algorithm>
#include <utility>

#include "engine/placement/single_search.h"
#include "engine/state/topology_levels.h"

namespace berth::engine {

GangSearch::GangSearch(Trial& trial, Placer& placer, RoomTable& rooms, const Request& request)
    : trial_(trial), state_(trial.state()), placer_(placer), rooms_(rooms), request_(request) {}

std::optional<GangPlace> GangSearch::run() { return search(wishes_to_keep()); }

std::optional<GangPlace> GangSearch::search(const Wishes& wishes) {
  kept_ = wishes;
  steps_ = 0;
  exact_steps_ = 0;
  shortfall_ = {};
  shortfall_.shape = request_.ask.roles.front().shape;
  const Trial::Checkpoint start = trial_.checkpoint();
  if (place_job()) return std::exchange(place_, {});
  undo(start, 0);
  return std::nullopt;
}

// Rules about several tasks that the job would like to be kept.
GangSearch::Wishes GangSearch::wishes() const {
  Wishes found;
  for (const RoleAsk& role : request_.ask.roles) {
    for (const TopologyRule& rule : role.rules) {
      const bool counts = rule.strength == RuleStrength::kPreferred &&
                          rule.unit != RuleUnit::kTask && tree().rank_of(rule.within);
      if (counts) found.push_back(&rule);
    }
  }
  return found;
}

// All of them, or as many as go together and leave as many tasks a place as without any; those
// named first come first.
GangSearch::Wishes GangSearch::wishes_to_keep() {
  Wishes all = wishes();
  if (all.empty()) return {};
  std::size_t wanted = 0;
  for (const RoleNeed& need : request_.needs) wanted += need.tasks.size();
  if (fitting(all) == wanted) return all;
  const std::size_t most = fitting({});
  if (most == 0) return {};
  Wishes kept;
  for (const TopologyRule* wish : all) {
    kept.push_back(wish);
    if (fitting(kept) < most) kept.pop_back();
  }
  return kept;
}

// How many tasks get a place when these wishes bind; 0 when those are too few.
std::size_t GangSearch::fitting(const Wishes& wishes) {
  const Trial::Checkpoint start = trial_.checkpoint();
  const auto found = search(wishes);
  trial_.rollback(start);
  return found ? found->tasks.size() : 0;
}

bool GangSearch::binds(const TopologyRule& rule) const {
  return rule.strength == RuleStrength::kRequired ||
         std::find(kept_.begin(), kept_.end(), &rule) != kept_.end();
}

// Without domains, or where nobody cares where in the fleet tasks lie.
bool GangSearch::is_flat() const {
  return tree().empty() || (state_.policy().locality_ppm == 0 && !segment_rank_);
}

// The lowest level above the node that the rules of the unit bind it to. Lower ones always hold, as
// a task runs on one node.
std::optional<std::uint32_t> GangSearch::rank_of_rule(std::size_t role, RuleUnit unit) const {
  std::optional<std::uint32_t> least;
  for (const TopologyRule& rule : request_.ask.roles[role].rules) {
    if (rule.unit != unit || !binds(rule)) continue;
    const auto rank = tree().rank_of(rule.within);
    if (rank && (!least || *rank < *least)) least = rank;
  }
  return least;
}

// The level at which all of the job lies together: by rule, or because it takes resources there.
std::optional<std::uint32_t> GangSearch::rank_of_job() const {
  std::optional<std::uint32_t> least;
  const auto offer = [&](std::optional<std::uint32_t> rank) {
    if (rank && (!least || *rank < *least)) least = rank;
  };
  for (std::size_t r = 0; r < request_.ask.roles.size(); ++r) {
    offer(rank_of_rule(r, RuleUnit::kJob));
  }
  for (const Countable& wanted : request_.ask.domain_resources) {
    for (std::uint32_t d = 0; d < tree().size(); ++d) {
      if (tree().owner_of(wanted.resource, DomainIndex(d)) != DomainIndex(d)) continue;
      offer(tree().domain(DomainIndex(d)).rank);
    }
  }
  return least;
}

bool GangSearch::place_job() {
  const auto rank = rank_of_job();
  if (!rank) {
    if (!request_.ask.domain_resources.empty()) return false;  // nobody has them
    return place_roles(DomainIndex::none());
  }
  for (std::size_t r = 0; r < request_.needs.size(); ++r) {
    const DomainIndex held = anchor(r, *rank);
    if (!held.is_none()) return place_roles(held);
  }
  role_ = 0;
  std::vector<DomainIndex> domains = candidates(DomainIndex::none(), *rank, 1);
  const std::vector<Countable>& wanted = request_.ask.domain_resources;
  std::erase_if(domains, [&](DomainIndex d) { return tree().lacking(d, wanted) != nullptr; });
  if (domains.empty()) note_resources(*rank);
  while (!domains.empty() && steps_ <= kMostSteps) {
    const Trial::Checkpoint start = trial_.checkpoint();
    const DomainIndex domain = take_best(domains);
    take_resources(domain);
    if (place_roles(domain)) return true;
    undo(start, 0);
    place_.domain = DomainIndex::none();
  }
  note_job_rule(*rank);
  return false;
}

// No domain of the rank holds the job: whether that is by the rule alone.
void GangSearch::note_job_rule(std::uint32_t rank) {
  if (shortfall_.why && shortfall_.why->rule == Rule::kCountable) return;
  role_ = 0;
  if (request_.ask.roles.size() == 1) {
    if (!shortfall_.why) note_topology(DomainIndex::none(), rank, tasks_needed());
    if (!shortfall_.why) note_shortfall(0);
    return;
  }
  const Trial::Checkpoint start = trial_.checkpoint();
  const Shortfall inside = shortfall_;
  if (place_roles(DomainIndex::none())) {
    shortfall_ = inside;
    const std::string level = tree().domain(tree().of_rank(rank).front()).level;
    const auto asked = static_cast<std::int64_t>(tasks_needed());
    shortfall_.why = Rejection{
        Rule::kTopology, level, {{"asked", asked}, {"free", inside.fitted}, {"fleet", asked}}};
  }
  undo(start, 0);
}

std::uint64_t GangSearch::tasks_needed() const {
  std::uint64_t asked = 0;
  for (const RoleNeed& need : request_.needs) asked += need.least;
  return asked;
}

// Tasks that fit somewhere, wherever that is; of several roles those that fitted together.
void GangSearch::note_shortfall(std::size_t role) {
  shortfall_.shape = request_.ask.roles[role].shape;
  failed_role_ = role;
  std::int64_t fitted = fitted_now();
  if (request_.ask.roles.size() == 1 && !tree().empty() && !request_.ask.is_single()) {
    const std::uint64_t most = request_.needs[role].tasks.size();
    const std::uint64_t room = std::min(rooms_.of(state_, shortfall_.shape).in_fleet(), most);
    fitted = std::max(fitted, static_cast<std::int64_t>(room));
  }
  shortfall_.fitted = std::max(shortfall_.fitted, fitted);
}

// Of the least that each role needs, what has a place.
std::int64_t GangSearch::fitted_now() const {
  std::vector<std::uint32_t> counts(request_.needs.size(), 0);
  for (const TaskPlacement& task : place_.tasks) ++counts[task.role];
  std::int64_t fitted = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    fitted += std::min(counts[r], request_.needs[r].least);
  }
  return fitted;
}

bool GangSearch::place_role(std::size_t role, DomainIndex scope) {
  role_ = role;
  segment_rank_ = request_.ask.roles[role].segment_tasks > 0
                      ? rank_of_rule(role, RuleUnit::kSegment)
                      : std::nullopt;
  const auto rank = rank_of_rule(role, RuleUnit::kRole);
  if (!rank) return place_role_in(role, scope);
  const DomainIndex held = anchor(role, *rank);
  if (!held.is_none()) return place_role_in(role, held);
  const std::uint32_t least = request_.needs[role].least;
  std::vector<DomainIndex> domains = candidates(scope, *rank, std::max<std::uint32_t>(1, least));
  while (!domains.empty() && steps_ <= kMostSteps) {
    const Trial::Checkpoint start = trial_.checkpoint();
    const std::size_t before = place_.tasks.size();
    if (place_role_in(role, take_best(domains))) return true;
    undo(start, before);
  }
  note_topology(scope, *rank, least);
  return false;
}

// As many tasks as fit; false when those are too few.
bool GangSearch::place_role_in(std::size_t role, DomainIndex scope) {
  const RoleNeed& need = request_.needs[role];
  role_ = role;
  order_ = need.tasks;
  next_ = 0;
  const auto wanted = static_cast<std::uint32_t>(need.tasks.size());
  if (wanted > 1 && !is_flat() && room().in_fleet() < need.least) return false;
  const std::uint32_t placed = segment_rank_ ? fill_segments(scope) : fill(scope, wanted);
  return placed >= need.least;
}

// The domain around the tasks of the role that run already.
DomainIndex GangSearch::anchor(std::size_t role, std::uint32_t rank) const {
  for (const Anchor& held : request_.anchors) {
    if (held.role == role) return tree().at_rank(tree().lowest(held.node), rank);
  }
  return DomainIndex::none();
}

// Why no domain of the rank has all of them, if none has: of the first resource that is short the
// most that one has left which has enough of those before.
void GangSearch::note_resources(std::uint32_t rank) {
  std::vector<DomainIndex> domains = candidates(DomainIndex::none(), rank, 1);
  if (domains.empty()) return;  // that no task finds room is said of the cards
  const std::string level = tree().domain(domains.front()).level;
  for (const Countable& wanted : request_.ask.domain_resources) {
    const auto free = [&](DomainIndex domain) { return tree().free_of(wanted.resource, domain); };
    std::int64_t most = 0;
    for (const DomainIndex domain : domains) most = std::max(most, free(domain));
    std::erase_if(domains, [&](DomainIndex domain) { return free(domain) < wanted.amount; });
    if (!domains.empty()) continue;
    shortfall_.why =
        Rejection{Rule::kCountable, level, {{wanted.resource, wanted.amount}, {"free", most}}};
    return;
  }
}

// Each from its owner; of the owners the place names the lowest.
void GangSearch::take_resources(DomainIndex domain) {
  const std::vector<Countable>& wanted = request_.ask.domain_resources;
  for (const Countable& one : wanted) {
    const DomainIndex owner = tree().owner_of(one.resource, domain);
    const bool lower =
        place_.domain.is_none() || tree().domain(owner).rank < tree().domain(place_.domain).rank;
    if (lower) place_.domain = owner;
  }
  if (!wanted.empty()) trial_.take(place_.domain, wanted);
}

// Tasks placed inside the scope (none: the fleet), at most `wanted`.
std::uint32_t GangSearch::fill(DomainIndex scope, std::uint32_t wanted) {
  if (scope.is_none() && is_flat()) return fill_nodes({}, wanted);
  return weighs_bandwidth(wanted) ? fill_cheapest(scope, wanted) : fill_near(scope, wanted);
}

// In as few domains as it can be.
std::uint32_t GangSearch::fill_near(DomainIndex scope, std::uint32_t wanted) {
  if (++steps_ > kMostSteps) return 0;
  const std::vector<DomainIndex> used = used_domains();
  if (wanted == 1 && (used.empty() || !has_room_in(used))) return place_single(scope) ? 1 : 0;
  std::uint32_t placed = 0;
  for (const DomainShare& share : spread(used).over(scope, wanted)) {
    placed += fill_nodes(tree().domain(share.domain).nodes, share.tasks);
  }
  if (placed == wanted) return placed;
  // nodes that lie in no lowest domain, and what the counts promised too much
  std::vector<NodeIndex> buffer;
  return placed + fill_nodes(nodes_in(scope, buffer), wanted - placed);
}

// The nodes of the scope; empty stands for all nodes.
std::span<const NodeIndex> GangSearch::nodes_in(DomainIndex scope,
                                                std::vector<NodeIndex>& buffer) const {
  if (scope.is_none()) return {};
  if (tree().domain(scope).children.empty()) return tree().domain(scope).nodes;
  tree().collect_nodes(scope, buffer);
  return buffer;
}

bool GangSearch::has_room_in(std::span<const DomainIndex> domains) {
  const DomainRoom& rooms = room();
  return std::any_of(domains.begin(), domains.end(),
                     [&](DomainIndex domain) { return rooms.in_domain(domain) > 0; });
}

// Where a task that comes alone lies best.
bool GangSearch::place_single(DomainIndex scope) {
  std::vector<NodeIndex> buffer;
  SingleSearch search(state_, placer_, request_.now);
  const auto place =
      search.find(request_.ask.roles[role_].shape, scope_of(nodes_in(scope, buffer)));
  return place && place_on(*place);
}

std::uint32_t GangSearch::fill_nodes(std::span<const NodeIndex> nodes, std::uint32_t wanted) {
  const SearchScope scope = scope_of(nodes);
  std::uint32_t placed = 0;
  while (placed < wanted && place_next(scope)) ++placed;
  return placed;
}

SearchScope GangSearch::scope_of(std::span<const NodeIndex> nodes) const {
  SearchScope scope;
  if (!request_.models.empty()) scope.models = request_.models[role_];
  scope.all_nodes = nodes.empty();
  scope.nodes = nodes;
  return scope;
}

bool GangSearch::place_next(const SearchScope& scope) {
  const auto candidate = placer_.find_in(state_, request_.ask.roles[role_].shape, scope);
  return candidate && place_on(*candidate);
}

bool GangSearch::place_on(const Candidate& candidate) {
  const ShapeIndex shape = request_.ask.roles[role_].shape;
  const CardGrants grants = on_same_rails(state_.node(candidate.node), candidate.grants);
  trial_.take(shape, candidate.node, grants);
  if (!request_.spec.is_none()) trial_.charge(request_.spec, shape, candidate.node, grants);
  place_.tasks.push_back(
      {static_cast<std::uint16_t>(role_), order_[next_++], candidate.node, grants});
  packing_ = saturating_add(packing_, candidate.cost);
  return true;
}

// Of the role that is being placed, as things stand in the trial.
DomainRoom& GangSearch::room() { return room_of(role_); }

DomainRoom& GangSearch::room_of(std::size_t role) {
  return rooms_.of(state_, request_.ask.roles[role].shape);
}

Spread GangSearch::spread(std::span<const DomainIndex> used) {
  return {state_, room(), request_.now, used};
}

// Lowest domains that have tasks of the job.
std::vector<DomainIndex> GangSearch::used_domains() const {
  std::vector<NodeIndex> nodes;
  for (const TaskPlacement& task : place_.tasks) nodes.push_back(task.node);
  for (const Anchor& held : request_.anchors) nodes.push_back(held.node);
  return lowest_domains(tree(), nodes);
}

// Domains of the rank inside the scope (none: the fleet), the scope itself included.
std::vector<DomainIndex> GangSearch::domains_at(DomainIndex scope, std::uint32_t rank) const {
  std::vector<DomainIndex> found;
  for (const DomainIndex domain : tree().of_rank(rank)) {
    if (scope.is_none() || tree().at_rank(domain, tree().domain(scope).rank) == scope) {
      found.push_back(domain);
    }
  }
  if (found.empty() && !scope.is_none() && tree().domain(scope).rank < rank) found = {scope};
  return found;
}

// Domains of the rank inside the scope with room for `least` tasks, the tightest first.
std::vector<DomainIndex> GangSearch::candidates(DomainIndex scope, std::uint32_t rank,
                                                std::uint64_t least) {
  const DomainRoom& rooms = room();
  std::vector<DomainIndex> domains = domains_at(scope, rank);
  std::erase_if(domains, [&](DomainIndex domain) { return rooms.in_domain(domain) < least; });
  std::sort(domains.begin(), domains.end(), [&](DomainIndex a, DomainIndex b) {
    if (rooms.in_domain(a) != rooms.in_domain(b)) return rooms.in_domain(a) < rooms.in_domain(b);
    return tree().domain(a).name < tree().domain(b).name;
  });
  return domains;
}

DomainIndex GangSearch::take_best(std::vector<DomainIndex>& domains) {
  const std::vector<DomainIndex> used = used_domains();
  const auto best = domains.begin() + static_cast<std::ptrdiff_t>(spread(used).best_of(domains));
  const DomainIndex domain = *best;
  domains.erase(best);
  return domain;
}

void GangSearch::note_topology(DomainIndex scope, std::uint32_t rank, std::uint64_t asked) {
  const DomainRoom& room = rooms_.of(state_, request_.ask.roles[role_].shape);
  if (room.in_fleet() < asked) return;  // there is not enough, wherever it lies
  std::uint64_t most = 0;
  std::string level;
  for (const DomainIndex domain : domains_at(scope, rank)) {
    most = std::max(most, room.in_domain(domain));
    level = tree().domain(domain).level;
  }
  shortfall_.why = Rejection{Rule::kTopology,
                             level,
                             {{"asked", static_cast<std::int64_t>(asked)},
                              {"free", static_cast<std::int64_t>(most)},
                              {"fleet", static_cast<std::int64_t>(room.in_fleet())}}};
}

void GangSearch::undo(Trial::Checkpoint to, std::size_t tasks) {
  shortfall_.fitted = std::max(shortfall_.fitted, fitted_now());
  trial_.rollback(to);
  place_.tasks.resize(tasks);
}

}  // namespace berth::engine
