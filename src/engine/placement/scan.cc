#include "engine/placement/scan.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "engine/placement/filters.h"

namespace berth::engine {
namespace {

constexpr std::int64_t kNoRoom = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMostRemembered = 16'000'000;  // 256 MB; then all is forgotten

}  // namespace

// Least cost, then the lowest name.
struct ScanMethod::Best {
  std::int64_t cost = kNoRoom;
  std::uint64_t name = 0;
  NodeIndex node;
};

ScanMethod::ScanMethod(const PolicySpec& policy) {
  for (const ScoreWeight& wanted : policy.scores) {
    auto score = make_score(wanted.score);
    BERTH_CHECK(score != nullptr);  // SetPolicy refuses unknown scores
    tells_nodes_apart_ = tells_nodes_apart_ || score->tells_nodes_apart();
    scores_.push_back({std::move(score), wanted.weight});
  }
  BERTH_CHECK(!scores_.empty());
}

std::optional<Candidate> ScanMethod::find_in(const ClusterState& state, ShapeIndex index,
                                             const SearchScope& scope) {
  catch_up(state);
  const Shape& shape = state.shapes().at(index);
  Row& row = row_of(state, shape);
  Best best;
  const auto wanted = [&](NodeKindIndex kind) { return is_among(state, kind, scope.models); };
  if (scope.all_nodes) {
    for (const SlotIndex s : alive_.all()) {
      const std::int64_t cost = known_cost(state, s, shape, row);
      if (cost == kNoRoom || !wanted(state.slots().slot(s).kind)) continue;
      visit_slot(state, s, shape, cost, best);
    }
  }
  for (const NodeIndex node : scope.nodes) {
    const NodeRecord& record = state.node(node);
    if (record.slot.is_none() || !wanted(record.kind) || !has_room(state, node, shape)) continue;
    const std::int64_t cost = known_cost(state, record.slot, shape, row);
    if (cost == kNoRoom) continue;
    offer(state, node, saturating_add(cost, cost_of_node(state, node, shape)), best);
  }
  if (best.node.is_none()) return std::nullopt;
  const CardGrants grants = scores_.front().score->grants_on(state, best.node, shape);
  return Candidate{best.node, grants, best.cost};
}

std::int64_t ScanMethod::known_cost(const ClusterState& state, SlotIndex index, const Shape& shape,
                                    Row& row) {
  Remembered& known = row[index.value()];
  const Slot& slot = state.slots().slot(index);
  if (known.generation != slot.generation) {
    known = {cost_of_state(state, slot, shape), slot.generation};
  }
  return known.cost;
}

void ScanMethod::visit_slot(const ClusterState& state, SlotIndex index, const Shape& shape,
                            std::int64_t cost, Best& best) const {
  const Slot& slot = state.slots().slot(index);
  if (!tells_nodes_apart_) {
    if (cost > best.cost) return;
    const NodeIndex node = first_with_room(state, slot, shape);
    if (!node.is_none()) offer(state, node, cost, best);
    return;
  }
  for (const NodeIndex node : slot.nodes) {
    if (!has_room(state, node, shape)) continue;
    offer(state, node, saturating_add(cost, cost_of_node(state, node, shape)), best);
  }
}

void ScanMethod::offer(const ClusterState& state, NodeIndex node, std::int64_t cost,
                       Best& best) const {
  const std::uint64_t name = state.node(node).name_order;
  if (!best.node.is_none() && (cost > best.cost || (cost == best.cost && name > best.name))) {
    return;
  }
  best = {cost, name, node};
}

std::int64_t ScanMethod::cost_of_state(const ClusterState& state, const Slot& slot,
                                       const Shape& shape) const {
  if (!slot_admits(state, slot, shape)) return kNoRoom;
  const auto choice = scores_.front().score->choose(state, slot, shape);
  if (!choice) return kNoRoom;
  std::int64_t cost = 0;
  for (const Weighted& w : scores_) {
    cost = saturating_add(cost, saturating_mul(w.weight, w.score->of(state, slot, shape, *choice)));
  }
  return std::min(cost, kNoRoom - 1);
}

std::int64_t ScanMethod::cost_of_node(const ClusterState& state, NodeIndex node,
                                      const Shape& shape) const {
  std::int64_t cost = 0;
  for (const Weighted& w : scores_) {
    cost = saturating_add(cost, saturating_mul(w.weight, w.score->of_node(state, node, shape)));
  }
  return cost;
}

// Reads which slots have come and gone, and forgets all when the fit is another.
void ScanMethod::catch_up(const ClusterState& state) {
  for (const Weighted& w : scores_) w.score->refresh(state);
  if (fit_revision_ != state.fit_revision()) {
    fit_revision_ = state.fit_revision();
    rows_.clear();
    keys_ = ShapeTable();
  }
  alive_.catch_up(state.slots());
}

ScanMethod::Row& ScanMethod::row_of(const ClusterState& state, const Shape& shape) {
  const std::size_t slots = state.slots().slots().size();
  if (rows_.size() * slots > kMostRemembered) {
    rows_.clear();
    keys_ = ShapeTable();
  }
  Shape key = shape;
  key.request.memory_mib = 0;
  key.request.resources.clear();
  const std::size_t row = keys_.intern(std::move(key)).value();
  if (row >= rows_.size()) rows_.resize(row + 1);
  rows_[row].resize(slots);
  return rows_[row];
}

Prices ScanMethod::quote(const ClusterState& /*state*/) { return {}; }

}  // namespace berth::engine
