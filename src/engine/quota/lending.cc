#include "engine/quota/lending.h"

#include <algorithm>

namespace berth::engine {
namespace {

const QueueStanding* standing_of(const Standings& standings, QueueIndex queue) {
  const auto same = [&](const QueueStanding& one) { return one.queue == queue; };
  const auto it = std::find_if(standings.queues.begin(), standings.queues.end(), same);
  return it == standings.queues.end() ? nullptr : &*it;
}

Charge charge_of(const RoleFlavours& role, FlavourIndex flavour, const RoleAsk& ask) {
  for (const FlavourOption& option : role.cards) {
    if (option.flavour != flavour) continue;
    return {saturating_mul(option.per_task.compute, ask.count),
            saturating_mul(option.per_task.memory, ask.count)};
  }
  return {};
}

bool within_its_guarantee(const ClusterState& state, AskFlavours& flavours,
                          const SpecRecord& spec) {
  const FlavourIndex flavour = lending_flavour(state, flavours, spec.ask);
  if (flavour.is_none()) return false;
  const auto& roles = flavours.of(state, spec.ask);
  Charge all;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    all += charge_of(roles[r], flavour, state.asks().at(spec.ask).roles[r]);
  }
  return within_guarantee(state.quota(), spec.home.queue, flavour, all);
}

// Wholly free nodes that the job would break into.
std::uint64_t nodes_taken(const ClusterState& state, const FreeRoom& room, const SpecRecord& spec) {
  std::uint64_t taken = 0;
  for (const RoleAsk& role : state.asks().at(spec.ask).roles) {
    const std::uint32_t cards = state.shapes().at(role.shape).device_count();
    if (cards == 0) continue;
    std::uint64_t beside = 0;  // tasks that fit beside others
    for (std::size_t free = cards; free < room.part_nodes.size(); ++free) {
      beside += room.part_nodes[free] * (free / cards);
    }
    if (beside >= role.count) continue;
    const std::uint32_t per_node = std::max(1U, room.node_cards / cards);
    taken += (role.count - beside + per_node - 1) / per_node;
  }
  return taken;
}

struct Kept {
  std::int64_t cards = 0;
  std::int64_t nodes = 0;
};

// The policy's part of what others than the queue would have free of the flavour.
Kept kept_from(const ClusterState& state, QueueIndex queue, FlavourIndex flavour) {
  Kept sum;
  for (const QueueStanding& one : state.standings()->queues) {
    if (one.queue == queue || state.quota().entry(one.queue, flavour) == nullptr) continue;
    sum.cards += one.kept_cards;
    sum.nodes += one.kept_nodes;
  }
  const Ppm part = state.policy().lending_reserve_ppm;
  const auto up = [&](std::int64_t all) {
    return (saturating_mul(all, part) + kPpmOne - 1) / kPpmOne;
  };
  return {up(sum.cards), up(sum.nodes)};
}

}  // namespace

bool anyone_first(const ClusterState& state) {
  if (!lends_by_account(state)) return false;
  const Standings& standings = *state.standings();
  const auto behind = [](const QueueStanding& one) { return one.is_behind; };
  return !standings.overdue.empty() ||
         std::any_of(standings.queues.begin(), standings.queues.end(), behind);
}

LendingTier lending_tier(const ClusterState& state, AskFlavours& flavours, const SpecRecord& spec,
                         JobId job) {
  if (!lends_by_account(state)) return LendingTier::kOther;
  const Standings& standings = *state.standings();
  const QueueStanding* standing = standing_of(standings, spec.home.queue);
  const bool behind = standing != nullptr && standing->is_behind;
  const auto& overdue = standings.overdue;
  const bool late = std::find(overdue.begin(), overdue.end(), job) != overdue.end();
  if (!behind && !late) return LendingTier::kOther;
  const bool within = within_its_guarantee(state, flavours, spec);
  if (behind) return within ? LendingTier::kBehind : LendingTier::kBeyond;
  return within ? LendingTier::kOverdue : LendingTier::kOther;
}

FlavourIndex lending_flavour(const ClusterState& state, AskFlavours& flavours, AskIndex ask) {
  for (const RoleFlavours& role : flavours.of(state, ask)) {
    if (!role.cards.empty()) return role.cards.front().flavour;
  }
  return FlavourIndex::none();
}

FreeRoom free_room(const ClusterState& state, FlavourIndex flavour) {
  FreeRoom room;
  for (const NodeRecord& node : state.nodes()) {
    const NodeKind& kind = state.node_kind(node.kind);
    if (kind.flavour != flavour || node.condition != NodeCondition::kReady) continue;
    std::uint32_t free = 0;
    for (const CardState& card : node.cards) free += card.usable() && card.is_empty() ? 1 : 0;
    room.cards += free;
    room.node_cards = std::max(room.node_cards, kind.cards);
    if (free == kind.cards) {
      ++room.nodes;
    } else {
      if (room.part_nodes.size() <= free) room.part_nodes.resize(free + 1);
      ++room.part_nodes[free];
    }
  }
  return room;
}

std::optional<Rejection> lending_refusal(const ClusterState& state, FlavourIndex flavour,
                                         const FreeRoom& room, const SpecRecord& spec, TimeMs now) {
  const PolicySpec& policy = state.policy();
  const bool small = spec.cards <= policy.lending_small;
  if (small && state.expected_run(spec, now) <= policy.lending_short_ms) return std::nullopt;
  const Kept kept = kept_from(state, spec.home.queue, flavour);
  const auto cards = static_cast<std::int64_t>(room.cards) - static_cast<std::int64_t>(spec.cards);
  const auto nodes = static_cast<std::int64_t>(room.nodes) -
                     static_cast<std::int64_t>(nodes_taken(state, room, spec));
  const bool whole = spec.cards > 0 && (cards < kept.cards || nodes < kept.nodes);
  if (!whole) return std::nullopt;
  return Rejection{Rule::kLendingReserve,
                   {},
                   {{"asked", static_cast<std::int64_t>(spec.cards)},
                    {"free", static_cast<std::int64_t>(room.cards)},
                    {"kept_cards", kept.cards},
                    {"kept_nodes", kept.nodes}}};
}

}  // namespace berth::engine
