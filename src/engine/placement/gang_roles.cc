// Roles of a job against each other: which comes first, and what to do when what one took is
// missing to another.
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "engine/placement/gang_search.h"
#include "engine/state/by_name.h"

namespace berth::engine {

bool GangSearch::place_roles(DomainIndex scope) {
  segment_rank_.reset();
  const RoleOrder order = tightest_first(scope);
  return order.size() < 2 ? place_in_order(order, scope) : place_several(order, scope);
}

// All in one lowest domain, else each where it lies best, the tightest role first. That may fail
// though there is a way: then in other orders, then back and forth.
bool GangSearch::place_several(const RoleOrder& order, DomainIndex scope) {
  if (!is_flat() && place_in_one(order, scope)) return true;
  shortfall_.why.reset();
  if (place_in_order(order, scope)) return true;
  note_fitting(order, scope);
  Shortfall first = shortfall_;  // what it says of topology and of the role
  const std::size_t failed = failed_role_;
  const bool hopeless = std::any_of(order.begin(), order.end(), [&](std::size_t role) {
    return room_in(role, scope) < request_.needs[role].least;
  });
  if (!hopeless && (place_in_other_order(order, scope) || place_back_and_forth(order, scope))) {
    return true;
  }
  first.fitted = std::max(first.fitted, shortfall_.fitted);
  shortfall_ = std::move(first);
  if (!shortfall_.why) note_role(failed);
  return false;
}

// How many of the tasks that must start together do, when each role takes what it gets.
void GangSearch::note_fitting(const RoleOrder& order, DomainIndex scope) {
  const Trial::Checkpoint start = trial_.checkpoint();
  const Shortfall noted = shortfall_;
  const std::vector<RoleNeed> needs = request_.needs;
  for (RoleNeed& need : request_.needs) {
    need.tasks.resize(need.least);
    need.least = 0;
  }
  for (const std::size_t role : order) place_role(role, scope);
  request_.needs = needs;
  shortfall_ = noted;
  undo(start, 0);
}

// Roles that want tasks, those with the fewest places first.
GangSearch::RoleOrder GangSearch::tightest_first(DomainIndex scope) {
  RoleOrder order;
  for (std::size_t role = 0; role < request_.needs.size(); ++role) {
    if (!request_.needs[role].tasks.empty()) order.push_back(role);
  }
  if (order.size() < 2) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return room_in(a, scope) < room_in(b, scope);
  });
  return order;
}

std::uint64_t GangSearch::room_in(std::size_t role, DomainIndex scope) {
  const DomainRoom& rooms = room_of(role);
  return scope.is_none() ? rooms.in_fleet() : rooms.in_domain(scope);
}

bool GangSearch::place_in_order(const RoleOrder& order, DomainIndex scope) {
  const Trial::Checkpoint start = trial_.checkpoint();
  const std::size_t before = place_.tasks.size();
  for (const std::size_t role : order) {
    if (place_role(role, scope)) continue;
    note_shortfall(role);
    undo(start, before);
    return false;
  }
  return true;
}

bool GangSearch::place_in_other_order(const RoleOrder& order, DomainIndex scope) {
  constexpr int kMostOrders = 6;  // all of three roles
  std::vector<std::size_t> turns(order.size());
  std::iota(turns.begin(), turns.end(), 0);
  for (int tries = 1; tries < kMostOrders && steps_ <= kMostSteps; ++tries) {
    if (!std::next_permutation(turns.begin(), turns.end())) return false;
    RoleOrder other;
    for (const std::size_t turn : turns) other.push_back(order[turn]);
    if (place_in_order(other, scope)) return true;
  }
  return false;
}

// All roles in one lowest domain. First where each has nodes of its own; what only fits closer
// together is tried after that.
bool GangSearch::place_in_one(const RoleOrder& order, DomainIndex scope) {
  role_ = order.front();
  std::vector<DomainIndex> domains = candidates(scope, 0, 1);
  std::erase_if(domains, [&](DomainIndex domain) { return !may_hold_all(domain); });
  const auto closer = std::stable_partition(
      domains.begin(), domains.end(), [&](DomainIndex domain) { return holds_apart(domain); });
  return place_in_one_of(order, {domains.begin(), closer}) ||
         place_in_one_of(order, {closer, domains.end()});
}

bool GangSearch::place_in_one_of(const RoleOrder& order, std::vector<DomainIndex> domains) {
  constexpr std::size_t kMostTries = 8;
  for (std::size_t tries = 0; tries < kMostTries && !domains.empty(); ++tries) {
    role_ = order.front();
    if (place_in_order(order, take_best(domains))) return true;
  }
  return false;
}

// By the room of each role alone.
bool GangSearch::may_hold_all(DomainIndex domain) {
  for (std::size_t role = 0; role < request_.needs.size(); ++role) {
    if (room_of(role).in_domain(domain) < request_.needs[role].tasks.size()) return false;
  }
  return true;
}

// Whether each role finds enough nodes of the domain that no role before it needs.
bool GangSearch::holds_apart(DomainIndex domain) {
  std::vector<NodeIndex> nodes;
  tree().collect_nodes(domain, nodes);
  sort_by_name(state_, nodes);
  for (std::size_t role = 0; role < request_.needs.size(); ++role) {
    const DomainRoom& rooms = room_of(role);
    std::size_t missing = request_.needs[role].tasks.size();
    std::erase_if(nodes, [&](NodeIndex node) {
      const std::size_t here = std::min<std::size_t>(missing, rooms.on_node(node));
      missing -= here;
      return here > 0;
    });
    if (missing > 0) return false;
  }
  return true;
}

// The least that each role needs, task by task, every node tried, until the steps are used up.
bool GangSearch::place_back_and_forth(const RoleOrder& order, DomainIndex scope) {
  single_tasks_.clear();
  for (const std::size_t role : order) {
    const RoleNeed& need = request_.needs[role];
    for (std::uint32_t i = 0; i < need.least; ++i) single_tasks_.push_back({role, need.tasks[i]});
  }
  nodes_.clear();
  if (scope.is_none()) {
    for (std::uint32_t n = 0; n < state_.nodes().size(); ++n) nodes_.emplace_back(n);
  } else {
    tree().collect_nodes(scope, nodes_);
  }
  sort_by_name(state_, nodes_);
  return place_from(0, 0);
}

// The tasks from this one on; of tasks that are bound alike a later one goes to no earlier node.
bool GangSearch::place_from(std::size_t at, std::size_t first_node) {
  if (at == single_tasks_.size()) return true;
  const SingleTask task = single_tasks_[at];
  const bool alike = at + 1 < single_tasks_.size() && is_bound_alike(task, single_tasks_[at + 1]);
  for (const std::size_t n : choices_for(task, first_node)) {
    const Trial::Checkpoint start = trial_.checkpoint();
    const std::size_t before = place_.tasks.size();
    role_ = task.role;
    order_ = {task.number};
    next_ = 0;
    if (!place_next(scope_of({&nodes_[n], 1}))) continue;
    if (place_from(at + 1, alike ? n : 0)) return true;
    undo(start, before);
  }
  return false;
}

// Nodes that the task may go to, one of those in the same state and domain. Each one looked at is a
// step.
std::vector<std::size_t> GangSearch::choices_for(const SingleTask& task, std::size_t first_node) {
  std::vector<std::size_t> choices;
  std::set<std::pair<SlotIndex, DomainIndex>> seen;
  const DomainRoom& rooms = room_of(task.role);
  for (std::size_t n = first_node; n < nodes_.size() && exact_steps_ < kMostExactSteps; ++n) {
    const NodeIndex node = nodes_[n];
    if (rooms.on_node(node) == 0) continue;
    ++exact_steps_;
    if (!obeys_rules(task, node)) continue;
    if (seen.insert({state_.node(node).slot, tree().lowest(node)}).second) choices.push_back(n);
  }
  return choices;
}

// Whether the two may change places.
bool GangSearch::is_bound_alike(const SingleTask& a, const SingleTask& b) const {
  if (a.role != b.role) return false;
  const std::uint32_t size = request_.ask.roles[a.role].segment_tasks;
  return size == 0 || a.number / size == b.number / size;
}

// With all that have a place already.
bool GangSearch::obeys_rules(const SingleTask& task, NodeIndex node) const {
  const auto role_rank = rank_of_rule(task.role, RuleUnit::kRole);
  const std::uint32_t size = request_.ask.roles[task.role].segment_tasks;
  const auto segment_rank = size > 0 ? rank_of_rule(task.role, RuleUnit::kSegment) : std::nullopt;
  const auto domain = [&](NodeIndex of, std::uint32_t rank) {
    return tree().at_rank(tree().lowest(of), rank);
  };
  if (role_rank && domain(node, *role_rank).is_none()) return false;
  if (segment_rank && domain(node, *segment_rank).is_none()) return false;
  const auto agrees = [&](const auto& other) {
    if (other.role != task.role) return true;
    if (role_rank && domain(node, *role_rank) != domain(other.node, *role_rank)) return false;
    if (!segment_rank || other.task / size != task.number / size) return true;
    return domain(node, *segment_rank) == domain(other.node, *segment_rank);
  };
  return std::all_of(place_.tasks.begin(), place_.tasks.end(), agrees) &&
         std::all_of(request_.anchors.begin(), request_.anchors.end(), agrees);
}

// Of which role too little fits beside the others.
void GangSearch::note_role(std::size_t role) {
  const std::string& name = request_.ask.roles[role].name;
  const auto asked = static_cast<std::int64_t>(tasks_needed());
  shortfall_.why =
      Rejection{Rule::kGang, "role " + name, {{"asked", asked}, {"free", shortfall_.fitted}}};
}

}  // namespace berth::engine
