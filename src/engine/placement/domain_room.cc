#include "engine/placement/domain_room.h"

#include <algorithm>
#include <iterator>

#include "engine/placement/node_room.h"

namespace berth::engine {

void DomainRoom::catch_up(const ClusterState& state) {
  const ChangeLog<NodeIndex>& log = state.node_log();
  const bool stale = version_ != state.topology_tree().version() + 1 || position_ < log.start();
  if (stale || log.end() - position_ > state.nodes().size()) return start_over(state);
  for (const NodeIndex node : log.from(position_)) note(state, node);
  position_ = log.end();
}

void DomainRoom::start_over(const ClusterState& state) {
  version_ = state.topology_tree().version() + 1;
  position_ = state.node_log().end();
  on_node_.assign(state.nodes().size(), 0);
  most_on_.assign(state.nodes().size(), kNotCounted);
  in_domain_.assign(state.topology_tree().size(), 0);
  loose_.clear();
  in_fleet_ = 0;
  for (std::uint32_t n = 0; n < state.nodes().size(); ++n) {
    const NodeIndex node(n);
    if (state.topology_tree().lowest(node).is_none()) loose_.push_back(node);
    note(state, node);
  }
}

void DomainRoom::note(const ClusterState& state, NodeIndex node) {
  most_on_[node.value()] = kNotCounted;
  const std::uint32_t now = tasks_on(state, node, state.shapes().at(shape_));
  const std::uint32_t before = on_node_[node.value()];
  if (now == before) return;
  on_node_[node.value()] = now;
  const std::uint64_t change = std::uint64_t{now} - before;  // wraps around and back
  in_fleet_ += change;
  const TopologyTree& tree = state.topology_tree();
  for (DomainIndex d = tree.lowest(node); !d.is_none(); d = tree.domain(d).parent) {
    in_domain_[d.value()] += change;
  }
}

std::uint32_t DomainRoom::most_on(const ClusterState& state, NodeIndex node) {
  std::uint32_t& most = most_on_[node.value()];
  if (most == kNotCounted) most = most_tasks_on(state, node, state.shapes().at(shape_));
  return most;
}

DomainRoom& RoomTable::of(const ClusterState& state, ShapeIndex shape) {
  constexpr std::size_t kMostRooms = 256;
  const auto same = [&](const Entry& entry) { return entry.shape == shape; };
  auto it = std::find_if(entries_.begin(), entries_.end(), same);
  if (it == entries_.end()) {
    if (entries_.size() == kMostRooms) {
      entries_.erase(
          std::min_element(entries_.begin(), entries_.end(),
                           [](const Entry& a, const Entry& b) { return a.used_at < b.used_at; }));
    }
    entries_.push_back({shape, 0, std::make_unique<DomainRoom>(shape)});
    it = std::prev(entries_.end());
  }
  it->used_at = ++uses_;
  it->room->catch_up(state);
  return *it->room;
}

}  // namespace berth::engine
