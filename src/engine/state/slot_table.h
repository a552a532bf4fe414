// SlotTable: nodes by exact state. Nodes of equal kind, free CPU and multiset of card states share
// a slot, so that placement looks at each distinct state once. Free host memory and the other
// countable resources are per node: they seldom bind and would split slots.
//
// Slots lie in blocks of kLanes that belong to one kind of node, so that whoever keeps figures per
// slot can look at a block at once. Every slot that comes to life or dies, or whose memory bound
// rises, is written to a log; readers go on from their own position and so pay only for what
// changed. A dead slot keeps its state for a while, because states come back. Derived from the
// nodes; never saved.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/state/node_record.h"
#include "engine/state/slot_hash.h"

namespace berth::engine {

// Slots of a block; indexes of one block are consecutive.
inline constexpr std::size_t kLanes = 16;

// Free host memory rounded up to one of eight steps an octave, so that small changes need not be
// told to whoever goes by the most memory of a slot.
Mib memory_bound(Mib memory);

struct Slot {
  NodeKindIndex kind;  // none: never used
  CpuMilli cpu_free = 0;
  std::uint64_t hash = 0;
  std::uint64_t first_name = 0;  // name order of nodes.back(); ties between slots go by it
  Mib memory_most = 0;           // no node of the slot has more free
  std::uint32_t generation = 0;  // raised when the index is given to another state
  std::uint32_t deaths = 0;
  boost::container::small_vector<NodeIndex, 3> nodes;  // LAST name first: the first is at the back
  CardList cards;                                      // sorted

  bool alive() const { return !nodes.empty(); }
};

class SlotTable {
 public:
  // Puts the node into the slot of its state. O(1) amortised plus the insert by name.
  SlotIndex enter(const std::vector<NodeRecord>& nodes, NodeIndex node);
  void leave(const std::vector<NodeRecord>& nodes, NodeIndex node, SlotIndex slot);

  const Slot& slot(SlotIndex index) const { return slots_[index.value()]; }
  std::span<const Slot> slots() const { return slots_; }  // whole blocks
  std::size_t alive_count() const { return alive_; }
  // Nodes in each slot; 0: not alive.
  std::span<const std::uint32_t> node_counts() const { return counts_; }
  std::size_t block_count() const { return block_kinds_.size(); }
  NodeKindIndex block_kind(std::size_t block) const { return block_kinds_[block]; }

  // Slots in the order in which they changed (see above), repeats included. Positions only grow;
  // `log_start` is the oldest one still kept, and whoever is behind it starts from `slots()`.
  std::span<const SlotIndex> log_from(std::uint64_t position) const {
    return std::span(log_).subspan(static_cast<std::size_t>(position - log_start_));
  }
  std::uint64_t log_start() const { return log_start_; }
  std::uint64_t log_end() const { return log_start_ + log_.size(); }

  // Names were renumbered: read them again.
  void refresh_names(const std::vector<NodeRecord>& nodes);

 private:
  // The slots of one kind of node.
  struct Family {
    struct Death {
      std::uint32_t slot = 0;
      std::uint32_t deaths = 0;  // of the slot then
    };
    std::vector<Death> dead;  // oldest first from dead_from; some came back
    std::size_t dead_from = 0;
    std::size_t dead_count = 0;  // without those that came back
    std::size_t alive = 0;
    std::uint32_t fresh = 0;  // never used slots of its last block: from here to fresh_end
    std::uint32_t fresh_end = 0;
  };

  SlotIndex find_or_make(const NodeRecord& node);
  std::uint32_t take_index(Family& family, NodeKindIndex kind);
  void bury(Family& family, std::uint32_t index);
  std::uint32_t oldest_dead(Family& family);
  void log(SlotIndex index);

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> counts_;
  std::vector<NodeKindIndex> block_kinds_;
  std::vector<Family> families_;  // by kind
  SlotHash by_hash_;
  std::vector<SlotIndex> log_;
  std::uint64_t log_start_ = 0;
  std::size_t alive_ = 0;
};

}  // namespace berth::engine
