// NodeRecord: a node of the fleet with what is free on it now.
#pragma once

#include <boost/container/small_vector.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "engine/quota/flavour.h"
#include "engine/state/card_state.h"
#include "engine/state/selector_table.h"
#include "model/fleet.h"

namespace berth::engine {

// What never changes about a node and matters for placement, shared by all equal nodes. A node gets
// another kind only when a selector reads labels that none has read before.
using NodeKindIndex = StrongId<struct NodeKindTag, std::uint32_t>;
struct NodeKind {
  ModelIndex model;  // none: no cards
  PartitionIndex partition;
  FlavourIndex flavour;  // of its cards; none: no cards
  FlavourIndex cpus;     // of its CPUs
  CpuMilli cpu_milli = 0;
  std::uint32_t cards = 0;
  DeviceClassIndex devices;  // what selectors see of its cards; none: no cards

  friend auto operator<=>(const NodeKind&, const NodeKind&) = default;
};

using SlotIndex = StrongId<struct SlotTag, std::uint32_t>;
using CardList = boost::container::small_vector<CardState, 8>;

// Positions of a node's cards in the order of their states.
using CardOrder = boost::container::small_vector<std::uint8_t, 8>;

struct NodeRecord {
  std::shared_ptr<const NodeSpec> spec;
  std::uint64_t name_order = 0;  // orders nodes by name; may be renumbered, the order stays
  NodeKindIndex kind;
  NodeCondition condition = NodeCondition::kReady;
  NodeCondition otherwise = NodeCondition::kReady;  // while it is lost: what it is once it is back
  TimeMs condition_since = 0;
  JobId held_for;  // its room is kept for this job's reservation; none: for nobody
  CpuMilli cpu_free = 0;
  Mib memory_free = 0;
  boost::container::small_vector<std::int64_t, 2> resources_free;  // parallel to spec->resources
  // Promised beyond what is free: it goes there as it is given back. Never > 0 where some is free.
  CpuMilli cpu_owed = 0;
  Mib memory_owed = 0;
  boost::container::small_vector<std::int64_t, 2> resources_owed;  // parallel to spec->resources
  CardList cards;  // change them by set_card, or rekey the node afterwards
  SlotIndex slot;  // none while the node takes no new work, or is kept
  CardOrder order;
  boost::container::small_vector<LeaseId, 2> leases;  // without promises, rising
  std::uint64_t cards_hash = 0;                       // of the multiset of card states

  bool takes_work() const { return condition == NodeCondition::kReady && held_for.is_none(); }
};

// Derives `order` and `cards_hash` from the cards.
void rekey(NodeRecord& node);
// Changes one card of a node and keeps up what is derived from it.
void set_card(NodeRecord& node, std::size_t card, const CardState& state);

// What is free of a countable resource; 0 where the node has none of it.
std::int64_t resource_free(const NodeRecord& node, std::string_view resource);
// The first resource of which the node has too little; null when it has enough of all.
const Countable* lacking_resource(const NodeRecord& node, const std::vector<Countable>& wanted);

}  // namespace berth::engine
