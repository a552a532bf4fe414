#include "engine/reclaim/cover.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace berth::engine {
namespace {

// Most units of one node that are tried to be done without.
constexpr std::size_t kMostDropped = 64;

}  // namespace

UnitTable::UnitTable(Trial& trial, ReclaimRights& rights, std::vector<Unit> units, Budgets budgets,
                     TimeMs now)
    : trial_(trial),
      rights_(rights),
      budgets_(budgets),
      now_(now),
      units_(std::move(units)),
      states_(units_.size(), State::kOpen) {
  sort_by_node();
  for (std::uint32_t u = 0; u < units_.size(); ++u) {
    if (units_[u].shrinks) elastic_[units_[u].job].push_back(u);
  }
  for (std::uint32_t u = 0; u < units_.size(); ++u) {
    const auto siblings = elastic_.find(units_[u].job);
    if (!units_[u].shrinks && siblings != elastic_.end()) siblings->second.push_back(u);
  }
}

void UnitTable::sort_by_node() {
  const ClusterState& state = trial_.state();
  first_.assign(state.nodes().size() + 1, 0);
  const auto each = [&](const auto& visit) {
    for (std::uint32_t u = 0; u < units_.size(); ++u) {
      for (const LeaseId id : units_[u].leases) {
        visit(u, state.find_lease(id)->placement.node.value());
      }
    }
  };
  each([&](std::uint32_t /*u*/, std::uint32_t node) { ++first_[node + 1]; });
  for (std::size_t n = 1; n < first_.size(); ++n) first_[n] += first_[n - 1];
  by_node_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  each([&](std::uint32_t u, std::uint32_t node) { by_node_[next[node]++] = u; });
  for (std::size_t n = 0; n + 1 < first_.size(); ++n) {
    put_in_order(std::span(by_node_).subspan(first_[n], first_[n + 1] - first_[n]));
  }
}

std::vector<std::uint32_t> UnitTable::in_order() const {
  std::vector<std::uint32_t> indexes(size());
  std::iota(indexes.begin(), indexes.end(), 0);
  put_in_order(indexes);
  return indexes;
}

void UnitTable::put_in_order(std::span<std::uint32_t> indexes) const {
  std::sort(indexes.begin(), indexes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return units_[a].order() < units_[b].order();
  });
}

std::span<const std::uint32_t> UnitTable::on_node(NodeIndex node) const {
  const std::uint32_t from = first_[node.value()];
  return std::span(by_node_).subspan(from, first_[node.value() + std::size_t{1}] - from);
}

void UnitTable::give(std::uint32_t index, NodeIndex node, NodeRoom& room) const {
  const ClusterState& state = trial_.state();
  const Unit& unit = units_[index];
  const SpecRecord& spec = state.spec_of(*state.find_job(unit.job));
  for (const LeaseId id : unit.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.placement.node != node) continue;
    const Shape& shape = state.shapes().at(spec.shapes[lease.placement.role]);
    room.give(shape, lease.placement.grants);
    if (unit.loss.grade != ReclaimGrade::kSuspend) continue;
    const Mib kept = shape.request.memory_mib + state.image_of(lease);
    if (room.memory_free() >= kept) room.take_host(kept);  // else it goes by another grade
  }
}

void UnitTable::set(std::uint32_t index, State state) {
  log_.emplace_back(index, states_[index]);
  states_[index] = state;
}

// Others may have filled the host memory since.
bool UnitTable::is_same_price(Unit& unit) {
  if (unit.loss.grade != ReclaimGrade::kSuspend) return true;
  const Loss loss = loss_of(trial_.state(), *trial_.state().find_job(unit.job), now_);
  if (loss.grade == unit.loss.grade) return true;
  unit.loss = loss;
  unit.price = price_of(trial_.state(), unit);
  return false;
}

// A whole job includes those of its tasks that were to go by themselves; and they are not there to
// go by themselves any more.
bool UnitTable::absorb(const Unit& unit) {
  const auto siblings = elastic_.find(unit.job);
  if (siblings == elastic_.end()) return true;
  for (const std::uint32_t s : siblings->second) {
    if (states_[s] != State::kTaken) continue;
    if (unit.shrinks && !units_[s].shrinks) return false;
    if (unit.shrinks) continue;
    if (!give_unit_back(trial_, units_[s])) return false;
    set(s, State::kSpared);
  }
  return true;
}

bool UnitTable::has_surplus(const Unit& unit) const {
  if (!unit.shrinks) return true;
  const std::vector<std::uint32_t>& siblings = elastic_.at(unit.job);
  const auto gone = std::count_if(siblings.begin(), siblings.end(), [&](std::uint32_t s) {
    return states_[s] == State::kTaken && units_[s].role == unit.role;
  });
  const ClusterState& state = trial_.state();
  return gone < surplus_of(state, *state.find_job(unit.job), unit.role);
}

// Whether no more tasks of its job are down at once than it allows. The owner of a guarantee takes
// back what is his all the same.
bool UnitTable::within_budget(const Unit& unit) const {
  const ClusterState& state = trial_.state();
  const JobRecord& job = *state.find_job(unit.job);
  const std::uint32_t most = state.spec_of(job).spec->max_unavailable;
  const bool owner = rights_.right() == ReclaimRight::kGuarantee;
  if (most == 0 || owner || budgets_ == Budgets::kIgnore) return true;
  std::size_t down = tasks_down(state, job) + unit.leases.size();
  if (const auto siblings = elastic_.find(unit.job); siblings != elastic_.end()) {
    for (const std::uint32_t s : siblings->second) {
      if (states_[s] == State::kTaken) down += units_[s].leases.size();
    }
  }
  return down <= most;
}

bool UnitTable::may_take(const Unit& unit) {
  const ClusterState& state = trial_.state();
  const QueueIndex queue = state.spec_of(*state.find_job(unit.job)).home.queue;
  return state.policy().may_use(unit.loss.grade) && has_surplus(unit) && within_budget(unit) &&
         std::all_of(unit.charges.begin(), unit.charges.end(), [&](const auto& charge) {
           return rights_.may_take(queue, charge.first, charge.second);
         });
}

bool UnitTable::take(std::uint32_t index) {
  Unit& unit = units_[index];
  if (states_[index] != State::kOpen || !is_same_price(unit)) return false;
  const Trial::Checkpoint start = trial_.checkpoint();
  const std::size_t before = mark();
  if (!absorb(unit) || !may_take(unit)) {
    trial_.rollback(start);
    back_without(before, index);
    return false;
  }
  take_unit(trial_, unit);
  set(index, State::kTaken);
  return true;
}

std::vector<std::uint32_t> UnitTable::taken() const {
  std::vector<std::uint32_t> indexes;
  for (const auto& [index, before] : log_) {
    if (states_[index] == State::kTaken) indexes.push_back(index);
  }
  std::sort(indexes.begin(), indexes.end());
  indexes.erase(std::unique(indexes.begin(), indexes.end()), indexes.end());
  return indexes;
}

void UnitTable::back_to(std::size_t mark) {
  while (log_.size() > mark) {
    states_[log_.back().first] = log_.back().second;
    log_.pop_back();
  }
}

void UnitTable::back_without(std::size_t mark, std::uint32_t index) {
  back_to(mark);
  set(index, State::kRefused);
}

Cover::Cover(Trial& trial, UnitTable& units, ShapeIndex shape, CardUnits useful)
    : trial_(trial),
      state_(trial.state()),
      units_(units),
      shape_(shape),
      asked_(state_.shapes().at(shape)),
      useful_(std::max<CardUnits>(1, useful)) {}

std::uint32_t Cover::run(std::span<const NodeIndex> nodes, std::uint32_t tasks) {
  nodes_.assign(nodes.begin(), nodes.end());
  std::sort(nodes_.begin(), nodes_.end());
  stamps_.assign(nodes_.size(), 0);
  for (const NodeIndex node : nodes) offer(node);
  std::uint32_t gained = 0;
  while (gained < tasks && !offers_.empty()) {
    const Offer best = offers_.top();
    offers_.pop();
    if (best.stamp != stamp_of(best.node)) continue;
    gained += take(best);
    ++stamp_of(best.node);
    offer(best.node);
  }
  return gained;
}

std::optional<MicroMoney> Cover::next_price() const {
  if (offers_.empty()) return std::nullopt;
  return offers_.top().cost.price;
}

// All of its units, or none; how many more tasks fit then, on other nodes, too.
std::uint32_t Cover::take(const Offer& offer) {
  const Trial::Checkpoint start = trial_.checkpoint();
  const std::size_t mark = units_.mark();
  const std::vector<NodeIndex> beside = nodes_beside(offer);
  const std::uint32_t before = tasks_now(beside);
  for (const std::uint32_t u : offer.units) {
    if (units_.take(u)) continue;
    const bool refused = !units_.is_open(u);
    trial_.rollback(start);
    if (refused) {
      units_.back_without(mark, u);
    } else {
      units_.back_to(mark);
    }
    return 0;
  }
  const std::uint32_t gained = offer.tasks + tasks_now(beside) - before;
  for (const NodeIndex node : beside) {
    ++stamp_of(node);
    this->offer(node);
  }
  return gained;
}

// Other nodes on which its units lie, in order.
std::vector<NodeIndex> Cover::nodes_beside(const Offer& offer) const {
  std::vector<NodeIndex> nodes;
  for (const std::uint32_t u : offer.units) {
    if (units_.unit(u).leases.size() == 1) continue;
    for (const LeaseId id : units_.unit(u).leases) {
      const NodeIndex node = state_.find_lease(id)->placement.node;
      if (node != offer.node && is_inside(node)) nodes.push_back(node);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::uint32_t Cover::tasks_now(const std::vector<NodeIndex>& nodes) const {
  std::uint32_t tasks = 0;
  for (const NodeIndex node : nodes) tasks += tasks_on(state_, node, asked_);
  return tasks;
}

std::vector<std::uint32_t> Cover::open_units(NodeIndex node) const {
  std::vector<std::uint32_t> open;
  for (const std::uint32_t u : units_.on_node(node)) {
    if (units_.is_open(u) && (open.empty() || open.back() != u)) open.push_back(u);
  }
  return open;
}

// Tasks that fit on the node if these units ended.
std::uint32_t Cover::tasks_without(NodeIndex node, std::span<const std::uint32_t> units) const {
  NodeRoom room(state_, node);
  for (const std::uint32_t u : units) units_.give(u, node, room);
  return room.tasks(asked_);
}

void Cover::offer(NodeIndex node) {
  const std::vector<std::uint32_t> open = open_units(node);
  if (open.empty()) return;
  NodeRoom room(state_, node);
  const std::uint32_t before = room.tasks(asked_);
  Offer one;
  one.node = node;
  for (const std::uint32_t u : open) {
    units_.give(u, node, room);
    one.units.push_back(u);
    one.tasks = room.tasks(asked_);
    if (one.tasks > before) break;
  }
  if (one.tasks <= before) return;
  drop_needless(one, before);
  one.tasks -= before;
  one.name = state_.node(node).name_order;
  one.stamp = stamp_of(node);
  one.cost = cost_of(one);
  offers_.push(std::move(one));
}

// Those that the last one has made needless, dearest first; it is needed itself, and who gives the
// same as one that is needed is needed, too.
void Cover::drop_needless(Offer& offer, std::uint32_t before) const {
  if (offer.units.size() > kMostDropped) return;
  std::uint32_t needed = offer.units.back();
  for (std::size_t i = offer.units.size() - 1; i-- > 0;) {
    const std::uint32_t unit = offer.units[i];
    if (gives_the_same(unit, needed)) continue;
    auto fewer = offer.units;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const std::uint32_t tasks = tasks_without(offer.node, fewer);
    if (tasks <= before) {
      needed = unit;
      continue;
    }
    offer.tasks = tasks;
    offer.units = std::move(fewer);
  }
}

// Whether to have the one is as good as to have the other of two units of one node: whole cards in
// equal states, and as much of the host, where no task asks for cards that lie together.
bool Cover::gives_the_same(std::uint32_t one, std::uint32_t other) const {
  const Unit& a = units_.unit(one);
  const Unit& b = units_.unit(other);
  if (a.leases.size() != 1 || b.leases.size() != 1 || a.loss.grade != b.loss.grade) return false;
  if (a.loss.grade == ReclaimGrade::kSuspend) return false;  // an image may or may not fit
  const TaskPlacement& first = state_.find_lease(a.leases.front())->placement;
  const TaskPlacement& second = state_.find_lease(b.leases.front())->placement;
  const auto shape = [&](const Unit& unit, const TaskPlacement& task) {
    return state_.spec_of(*state_.find_job(unit.job)).shapes[task.role];
  };
  const auto& devices = asked_.request.devices;
  if (shape(a, first) != shape(b, second) || first.grants.size() != second.grants.size() ||
      std::any_of(devices.begin(), devices.end(),
                  [](const DeviceRequest& device) { return !device.within.empty(); })) {
    return false;
  }
  const CardList& cards = state_.node(first.node).cards;
  for (std::size_t i = 0; i < first.grants.size(); ++i) {
    const CardGrant& x = first.grants[i];
    const CardGrant& y = second.grants[i];
    if (x.mode != CardMode::kWhole || y.mode != CardMode::kWhole) return false;
    if (!(cards[x.card] == cards[y.card])) return false;
  }
  return true;
}

UnitCost Cover::cost_of(const Offer& offer) const {
  UnitCost cost;
  for (const std::uint32_t u : offer.units) {
    cost.add(units_.unit(u), part_of(units_.unit(u), offer.node));
  }
  return cost;
}

// What of the unit's price falls to the node: by its cards here, of those that are of use in all.
MicroMoney Cover::part_of(const Unit& unit, NodeIndex node) const {
  if (unit.leases.size() == 1) return unit.price;
  CardUnits here = 0;
  for (const LeaseId id : unit.leases) {
    const TaskPlacement& task = state_.find_lease(id)->placement;
    if (task.node != node) continue;
    for (const CardGrant& grant : task.grants) here += grant.compute;
  }
  const CardUnits useful = std::max<CardUnits>(1, std::min(unit.cards, useful_));
  const __int128 part = static_cast<__int128>(unit.price) * std::min(here, useful) / useful;
  return static_cast<MicroMoney>(part);
}

}  // namespace berth::engine
