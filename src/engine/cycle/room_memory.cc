#include "engine/cycle/room_memory.h"

#include <algorithm>

#include "engine/placement/filters.h"

namespace berth::engine {
namespace {

// What is not on nodes, or not told by their log.
bool asks_beyond_nodes(const Ask& ask) { return !ask.domain_resources.empty(); }

// How many tasks of the shape a node holds does not depend on which cards the first ones took.
bool is_plain(const Shape& shape) {
  const auto& devices = shape.request.devices;
  if (devices.empty()) return true;
  if (devices.size() > 1 || devices.front().kind == ShareKind::kMig) return false;
  return devices.front().count == 1 ||
         (devices.front().kind == ShareKind::kWhole && !asks_island(devices.front()));
}

// Whether a search that fails proves that there is no room. One for several sorts of tasks may have
// failed by where it put the first ones, and would do otherwise after any change.
bool is_proof(const ClusterState& state, const Ask& ask) {
  if (ask.is_single()) return true;
  return ask.roles.size() == 1 && is_plain(state.shapes().at(ask.roles.front().shape));
}

}  // namespace

bool RoomMemory::is_hopeless(const ClusterState& state, AskIndex index) {
  if (index.value() >= failures_.size() || !failures_[index.value()].known) return false;
  Failure& failure = failures_[index.value()];
  const Ask& ask = state.asks().at(index);
  if (asks_beyond_nodes(ask) && failure.room_revision != state.room_revision()) return false;
  const bool same_costs =
      failure.prices == state.prices_revision() && failure.fit == state.fit_revision();
  if (failure.changes == state.node_log().end() && same_costs) return true;
  if (!is_proof(state, ask)) return false;
  const ChangeLog<NodeIndex>& log = state.gain_log();
  if (failure.gains < log.start()) return false;
  const std::span<const NodeIndex> gains = log.from(failure.gains);
  if (gains.size() > kMostGains) return false;
  const auto matters = [&](NodeIndex node) { return may_matter(state, ask, node); };
  const auto gain = std::find_if(gains.begin(), gains.end(), matters);
  if (gain != gains.end()) {
    if (ask.is_single()) note_place(state, index, *gain);
    return false;
  }
  failure.gains = log.end();
  failure.room_revision = state.room_revision();
  return true;
}

void RoomMemory::note_failure(const ClusterState& state, AskIndex ask) {
  if (failures_.size() <= ask.value()) failures_.resize(state.asks().size());
  failures_[ask.value()] = {true,
                            state.gain_log().end(),
                            state.node_log().end(),
                            state.room_revision(),
                            state.prices_revision(),
                            state.fit_revision()};
}

void RoomMemory::note_place(const ClusterState& state, AskIndex ask, NodeIndex node) {
  if (places_.size() <= ask.value()) places_.resize(state.asks().size());
  places_[ask.value()] = node;
}

bool RoomMemory::has_place(const ClusterState& state, AskIndex ask) const {
  if (ask.value() >= places_.size() || places_[ask.value()].is_none()) return false;
  return may_matter(state, state.asks().at(ask), places_[ask.value()]);
}

void RoomMemory::forget(AskIndex ask) {
  if (ask.value() < failures_.size()) failures_[ask.value()].known = false;
}

// Whether a task of some role fits there.
bool RoomMemory::may_matter(const ClusterState& state, const Ask& ask, NodeIndex node) {
  return std::any_of(ask.roles.begin(), ask.roles.end(), [&](const RoleAsk& role) {
    return serves(state, state.node(node), state.shapes().at(role.shape));
  });
}

}  // namespace berth::engine
