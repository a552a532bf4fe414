// Lending by account: what the standings of the queues (model/standing.h) mean for one job. A queue
// that has waited longer than it would have alone goes first with what is within its guarantee;
// others leave free a part of what tenants that cannot well lend it would have free alone.
//
// Knows no place: it counts free cards and wholly free nodes. Integers only, and nothing here goes
// by a name. Off unless the policy asks (lending_reserve_ppm).
#pragma once

#include <optional>
#include <vector>

#include "engine/quota/job_quota.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// Whose job goes first, before the policy's order.
enum class LendingTier : std::uint8_t {
  kBehind,   // its queue is behind and stays within its guarantee
  kOverdue,  // it would have started long ago alone, and its queue stays within its guarantee
  kBeyond,   // its queue is behind and goes beyond its guarantee
  kOther
};

// Whether the policy keeps the rules of lending and the standings are known.
inline bool lends_by_account(const ClusterState& state) {
  return state.policy().lending_reserve_ppm > 0 && state.standings() != nullptr;
}
// Whether some job may go before its order.
bool anyone_first(const ClusterState& state);

LendingTier lending_tier(const ClusterState& state, AskFlavours& flavours, const SpecRecord& spec,
                         JobId job);

// What is free of the cards of a flavour, on ready nodes.
struct FreeRoom {
  std::uint64_t cards = 0;
  std::uint64_t nodes = 0;                // wholly free
  std::uint32_t node_cards = 0;           // of the largest node
  std::vector<std::uint32_t> part_nodes;  // partly free nodes by free cards
};
FreeRoom free_room(const ClusterState& state, FlavourIndex flavour);

// The flavour whose cards the job is counted against; none: it asks for no cards.
FlavourIndex lending_flavour(const ClusterState& state, AskFlavours& flavours, AskIndex ask);

// Why the job may not have the room, when too little would be left to others.
std::optional<Rejection> lending_refusal(const ClusterState& state, FlavourIndex flavour,
                                         const FreeRoom& room, const SpecRecord& spec, TimeMs now);

}  // namespace berth::engine
