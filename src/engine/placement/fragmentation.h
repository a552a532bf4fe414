// The fragmentation gauge: how much capacity is free and yet cannot serve a wanted shape, per
// dimension and by cause, and whether one move of one lease would help. It reads the state and
// decides nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/state/cluster_state.h"

namespace berth::engine {

// Why free capacity of a card does not serve the shape: the first that applies, from the node down
// to the hole that is left on the card.
enum class StrandedBy : std::uint8_t {
  kNodeState,     // node cordoned, draining or lost
  kCardHealth,    // card out of service
  kModel,         // a model or device that the shape does not accept, or that never serves it
  kMode,          // the card is in another sharing mode
  kTrustDomain,   // the card's clients are of another trust domain
  kClients,       // the card is at its client limit
  kMigPlacement,  // slots are free but no start is
  kCardCompute,   // too little compute left on the card
  kCardMemory,    // too little memory left on the card
  kCardBoth,      // too little of both
  kTooFewCards,   // cards have room, but too few of them on one node
  kDomain,        // enough on the node, too few in one domain of it
  kNodeCpu,       // the cards have room, the node lacks CPU
  kNodeMemory,    // ... host memory
  kNodeResource,  // ... another countable resource
};
inline constexpr std::size_t kStrandedCauses = 15;
// "card-memory", stable words for reports.
std::string_view stranded_word(StrandedBy cause);

struct FragmentationGauge {
  Charge free;      // of all cards in the shape's partition, out of service included
  Charge stranded;  // part of `free`; the sum of all causes
  std::array<Charge, kStrandedCauses> by_cause = {};

  const Charge& of(StrandedBy cause) const { return by_cause[static_cast<std::size_t>(cause)]; }
};

// Free capacity counts as stranded for the shape when its card could not be among the devices of a
// task of the shape that starts now. O(nodes); cards are looked at once per distinct node state.
FragmentationGauge gauge_of(const ClusterState& state, ShapeIndex shape);

struct WeightedShape {
  ShapeIndex shape;
  std::int64_t weight = 1;  // above 0; relative
};
// Expected over a draw of the mix, rounded down per cause.
FragmentationGauge gauge_of(const ClusterState& state, std::span<const WeightedShape> mix);

// One lease that could stand elsewhere, so that a task of the shape fits then.
struct HelpfulMove {
  LeaseId lease;
  NodeIndex node;
  CardGrants grants;  // its new place, which is free now
};
// The cheapest by what it moves (compute, then memory, then lease id), to the first place by node
// name and cards; nothing when no single move helps, or when the shape fits without one. A target
// is held before the old place is given up. Leases of one device are tried at every place they
// could take, leases of several at one choice of cards per island. The state is as before when it
// returns.
std::optional<HelpfulMove> find_helpful_move(ClusterState& state, ShapeIndex shape);

}  // namespace berth::engine
