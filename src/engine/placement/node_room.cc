#include "engine/placement/node_room.h"

#include <algorithm>

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

std::uint32_t whole_cards(const ClusterState& state, const CardList& cards, const Shape& shape,
                          std::uint32_t most) {
  std::int64_t free = 0;
  for (const CardState& card : cards) {
    if (!card.is_empty()) continue;
    const CardAsk ask = state.ask(shape, 0, card.kind);
    const CardKind& kind = state.card_kind(card.kind);
    if (!sharing_mode(CardMode::kWhole).refuses(kind, card, ask)) ++free;
  }
  return std::min(most, times(free, shape.request.devices.front().count));
}

// Devices of other sorts, one task after the other.
std::uint32_t chosen_cards(const ClusterState& state, NodeKindIndex kind, CardList cards,
                           const Shape& shape, std::uint32_t most) {
  Slot slot;
  slot.kind = kind;
  std::sort(cards.begin(), cards.end());
  slot.cards = std::move(cards);
  std::uint32_t count = 0;
  while (count < most) {
    auto choice = choose_cards(state, slot, shape, NoCost());
    if (!choice) break;
    slot.cards = std::move(choice->after);
    ++count;
  }
  return count;
}

// What is free on a node, wherever that is kept.
struct FreeOnNode {
  const NodeRecord& node;
  CpuMilli cpu = 0;
  Mib memory = 0;
  const boost::container::small_vector<std::int64_t, 2>& resources;  // parallel to the spec's
  const CardList& cards;
};

std::uint32_t count_tasks(const ClusterState& state, const FreeOnNode& free, const Shape& shape) {
  if (!kind_admits(state, free.node.kind, shape)) return 0;
  const TaskRequest& request = shape.request;
  std::uint32_t most =
      std::min(times(free.cpu, request.cpu_milli), times(free.memory, request.memory_mib));
  for (const Countable& wanted : request.resources) {
    std::int64_t left = 0;
    for (std::size_t i = 0; i < free.resources.size(); ++i) {
      if (free.node.spec->resources[i].resource == wanted.resource) left = free.resources[i];
    }
    most = std::min(most, times(left, wanted.amount));
  }
  if (most == 0 || request.devices.empty()) return most;
  return asks_whole_cards(shape) ? whole_cards(state, free.cards, shape, most)
                                 : chosen_cards(state, free.node.kind, free.cards, shape, most);
}

}  // namespace

NodeRoom::NodeRoom(const ClusterState& state, NodeIndex index)
    : state_(&state), node_(&state.node(index)) {
  cpu_free_ = node_->cpu_free;
  memory_free_ = node_->memory_free;
  resources_free_ = node_->resources_free;
  cards_ = node_->cards;
  takes_work_ = node_->takes_work();
}

NodeRoom NodeRoom::empty(const ClusterState& state, NodeIndex index) {
  NodeRoom room;
  room.state_ = &state;
  room.node_ = &state.node(index);
  room.cpu_free_ = room.node_->spec->cpu_milli;
  room.memory_free_ = room.node_->spec->memory_mib;
  for (const Countable& resource : room.node_->spec->resources) {
    room.resources_free_.push_back(resource.amount);
  }
  for (const CardState& card : room.node_->cards) {
    room.cards_.push_back(empty_card(card.kind, state.card_kind(card.kind)));
    room.cards_.back().health = card.health;
  }
  return room;
}

void NodeRoom::give_host(const TaskRequest& request, int sign) {
  cpu_free_ += sign * request.cpu_milli;
  memory_free_ += sign * request.memory_mib;
  for (const Countable& held : request.resources) {
    for (std::size_t i = 0; i < resources_free_.size(); ++i) {
      if (node_->spec->resources[i].resource != held.resource) continue;
      resources_free_[i] += sign * held.amount;
    }
  }
}

void NodeRoom::give(const Shape& shape, const CardGrants& grants) {
  give_host(shape.request, 1);
  for (const CardGrant& grant : grants) {
    CardState& card = cards_[grant.card];
    card = sharing_mode(grant.mode).after_give(state_->card_kind(card.kind), card, grant);
  }
}

void NodeRoom::take(const Shape& shape, const CardGrants& grants) {
  give_host(shape.request, -1);
  for (const CardGrant& grant : grants) {
    CardState& card = cards_[grant.card];
    card = sharing_mode(grant.mode)
               .after_take(state_->card_kind(card.kind), card, grant, shape.domain);
  }
}

std::uint32_t NodeRoom::tasks(const Shape& shape) const {
  if (!takes_work_) return 0;
  return count_tasks(*state_, {*node_, cpu_free_, memory_free_, resources_free_, cards_}, shape);
}

std::uint32_t tasks_on(const ClusterState& state, NodeIndex index, const Shape& shape) {
  const NodeRecord& node = state.node(index);
  if (node.slot.is_none()) return 0;
  return count_tasks(
      state, {node, node.cpu_free, node.memory_free, node.resources_free, node.cards}, shape);
}

std::uint32_t most_tasks_on(const ClusterState& state, NodeIndex node, const Shape& shape) {
  return NodeRoom::empty(state, node).tasks(shape);
}

}  // namespace berth::engine
