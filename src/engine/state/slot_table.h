// SlotTable: nodes by exact state. Nodes of equal kind, free CPU and multiset of card states share
// a slot, so that placement looks at each distinct state once. Free host memory and the other
// countable resources are per node: they seldom bind and would split slots.
//
// Every slot that comes to life or dies is written to a log; whoever keeps figures per slot reads
// the log from its own position and so pays only for what changed. A dead slot keeps its state for
// a while, because states come back. Derived from the nodes; never saved.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/lookup_map.h"
#include "engine/state/node_record.h"

namespace berth::engine {

struct Slot {
  NodeKindIndex kind;
  CpuMilli cpu_free = 0;
  CardList cards;                 // sorted
  std::vector<NodeIndex> nodes;   // by name, LAST name first, so that the first is at the back
  std::uint64_t hash = 0;
  std::uint64_t first_name = 0;   // name order of nodes.back(); ties between slots go by it
  std::uint32_t generation = 0;   // raised when the index is given to another state

  bool alive() const { return !nodes.empty(); }
};

class SlotTable {
 public:
  // Puts the node into the slot of its state. O(1) amortised plus the insert by name.
  SlotIndex enter(const std::vector<NodeRecord>& nodes, NodeIndex node);
  void leave(const std::vector<NodeRecord>& nodes, NodeIndex node, SlotIndex slot);

  const Slot& slot(SlotIndex index) const { return slots_[index.value()]; }
  std::span<const Slot> slots() const { return slots_; }
  std::size_t alive_count() const { return alive_; }

  // Slots in the order in which they came to life or died, repeats included. Positions only grow;
  // `log_start` is the oldest one still kept, and whoever is behind it starts from `slots()`.
  std::span<const SlotIndex> log_from(std::uint64_t position) const {
    return std::span(log_).subspan(static_cast<std::size_t>(position - log_start_));
  }
  std::uint64_t log_start() const { return log_start_; }
  std::uint64_t log_end() const { return log_start_ + log_.size(); }

  // Names were renumbered: read them again.
  void refresh_names(const std::vector<NodeRecord>& nodes);

 private:
  SlotIndex find_or_make(const NodeRecord& node, const CardList& sorted, std::uint64_t hash);
  SlotIndex fresh_index();
  void unlink(SlotIndex index);
  void log(SlotIndex index);

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> dead_;                  // candidates for reuse; may hold revived ones
  std::size_t dead_from_ = 0;                        // dead_ before this was used up
  LookupMap<std::uint64_t, std::uint32_t> by_hash_;  // hash -> first slot of the chain
  std::vector<std::uint32_t> next_same_hash_;        // chain of equal hashes; kNoSlot ends it
  std::vector<SlotIndex> log_;
  std::uint64_t log_start_ = 0;
  std::size_t alive_ = 0;
};

}  // namespace berth::engine
