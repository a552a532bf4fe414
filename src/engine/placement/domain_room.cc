#include "engine/placement/domain_room.h"

#include <algorithm>
#include <iterator>

#include "engine/placement/filters.h"

namespace berth::engine {
namespace {

// Any legal choice will do for counting.
class NoCost final : public CardCost {
 public:
  std::int64_t of_change(const CardKind& /*kind*/, const CardState& /*before*/,
                         const CardState& /*after*/) const override {
    return 0;
  }
};

std::uint32_t times(std::int64_t free, std::int64_t asked) {
  if (asked <= 0) return kMostTasksPerNode;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(free / asked, 0, std::int64_t{kMostTasksPerNode}));
}

bool asks_whole_cards(const Shape& shape) {
  const auto& devices = shape.request.devices;
  return devices.size() == 1 && devices.front().kind == ShareKind::kWhole &&
         !asks_island(devices.front());
}

// By the cards alone.
std::uint32_t by_cards(const ClusterState& state, const Slot& full, const Shape& shape,
                       std::uint32_t most) {
  if (shape.request.devices.empty()) return most;
  if (asks_whole_cards(shape)) {
    std::int64_t free = 0;
    for (const CardState& card : full.cards) {
      const CardAsk ask = state.ask(shape, 0, card.kind);
      const CardKind& kind = state.card_kind(card.kind);
      if (card.is_empty() && !sharing_mode(CardMode::kWhole).refuses(kind, card, ask)) ++free;
    }
    return std::min(most, times(free, shape.request.devices.front().count));
  }
  Slot slot = full;
  std::uint32_t count = 0;
  while (count < most) {
    auto choice = choose_cards(state, slot, shape, NoCost());
    if (!choice) break;
    slot.cards = std::move(choice->after);
    ++count;
  }
  return count;
}

}  // namespace

std::uint32_t tasks_on(const ClusterState& state, NodeIndex index, const Shape& shape) {
  const NodeRecord& node = state.node(index);
  if (node.slot.is_none()) return 0;
  const Slot& slot = state.slots().slot(node.slot);
  if (!slot_admits(state, slot, shape) || !has_room(state, index, shape)) return 0;
  const TaskRequest& request = shape.request;
  std::uint32_t most = std::min(times(node.cpu_free, request.cpu_milli),
                                times(node.memory_free, request.memory_mib));
  for (const Countable& wanted : request.resources) {
    most = std::min(most, times(resource_free(node, wanted.resource), wanted.amount));
  }
  return by_cards(state, slot, shape, most);
}

std::uint32_t most_tasks_on(const ClusterState& state, NodeIndex index, const Shape& shape) {
  const NodeRecord& node = state.node(index);
  Slot slot;
  slot.kind = node.kind;
  slot.cpu_free = node.spec->cpu_milli;
  slot.memory_most = node.spec->memory_mib;
  slot.nodes.push_back(index);
  for (const CardState& card : node.cards) {
    slot.cards.push_back(empty_card(card.kind, state.card_kind(card.kind)));
    slot.cards.back().health = card.health;
  }
  std::sort(slot.cards.begin(), slot.cards.end());
  if (!slot_admits(state, slot, shape)) return 0;
  const TaskRequest& request = shape.request;
  std::uint32_t most = std::min(times(node.spec->cpu_milli, request.cpu_milli),
                                times(node.spec->memory_mib, request.memory_mib));
  for (const Countable& wanted : request.resources) {
    const auto has =
        std::find_if(node.spec->resources.begin(), node.spec->resources.end(),
                     [&](const Countable& one) { return one.resource == wanted.resource; });
    most =
        has == node.spec->resources.end() ? 0 : std::min(most, times(has->amount, wanted.amount));
  }
  return by_cards(state, slot, shape, most);
}

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
