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

std::optional<Candidate> ScanMethod::find(const ClusterState& state, ShapeIndex index) {
  catch_up(state);
  const Shape& shape = state.shapes().at(index);
  Row& row = row_of(state, shape);
  Best best;
  for (const SlotIndex s : alive_.all()) {
    Remembered& known = row[s.value()];
    const Slot& slot = state.slots().slot(s);
    if (known.generation != slot.generation) {
      known = {cost_of_state(state, slot, shape), slot.generation};
    }
    if (known.cost == kNoRoom) continue;
    if (!tells_nodes_apart_) {
      if (known.cost > best.cost) continue;
      const NodeIndex node = first_with_room(state, slot, shape);
      if (!node.is_none()) offer(state, node, known.cost, best);
      continue;
    }
    for (const NodeIndex node : slot.nodes) {
      if (!has_room(state, node, shape)) continue;
      offer(state, node, saturating_add(known.cost, cost_of_node(state, node, shape)), best);
    }
  }
  if (best.node.is_none()) return std::nullopt;
  const CardGrants grants = scores_.front().score->grants_on(state, best.node, shape);
  return Candidate{best.node, grants, best.cost};
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
