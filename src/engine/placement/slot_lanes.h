// SlotLanes: what the cost rows need of each slot, in columns of a block of slots, and the slots
// born since, in columns as well. Derived from the state under one fit.
//
// Costs of rows are 32-bit. A fleet whose figures are too large for that is said to be not exact,
// and whoever asks takes the plain way.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/placement/card_table.h"
#include "engine/placement/node_worth.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// Largest part of a cost, and price, with which sums of 32 bits are exact.
inline constexpr std::int64_t kMostPart = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostPrice = 4096;

using Lanes = std::array<std::int32_t, kLanes>;

using Stamps = std::array<std::uint32_t, kLanes>;

inline constexpr std::int32_t kClosed = 1 << 30;  // a cost that none can have

struct alignas(64) LaneBlock {
  LaneBlock() { shut.fill(kClosed); }

  Lanes cpu = {};
  Lanes hole = {};         // most free compute of a usable card
  Lanes whole_cards = {};  // usable empty cards
  Lanes memory = {};       // no node has more free, MiB
  Stamps stamp = {};       // another one for each state that is looked at; 0: none yet
  Lanes shut;              // kClosed: no node is in the state; else -kClosed
};

// What is known of the state of a slot.
struct SlotFacts {
  StateWorth worth;
  CardRuns runs;
};

class SlotLanes {
 public:
  explicit SlotLanes(const NodeWorth& worth) : worth_of_(worth) {}

  // Follows the log of the state's slots.
  void catch_up(const ClusterState& state);
  // The worth of everything is another: looks at every slot again. Stamps go on where they were.
  void start_over();
  // Stamps will run out: forget all that was made of them, and start over.
  bool is_worn() const { return stamp_ > kMostStamps; }
  void renew_stamps() { stamp_ = 0; }
  bool is_exact() const { return exact_; }

  std::size_t block_count() const { return blocks_.size(); }
  const LaneBlock& block(std::size_t b) const { return blocks_[b]; }
  const SlotFacts& facts(SlotIndex slot) const { return facts_[slot.value()]; }
  const CardTable& card_states() const { return card_states_; }
  ModelIndex model_of_block(std::size_t b) const { return models_[b]; }

  // Slots that came to life, in that order; positions only grow. Those that died since, or were
  // born again, have cpu -1.
  struct Births {
    std::vector<std::uint32_t> slot;
    std::vector<std::int32_t> cpu;
    std::vector<std::int32_t> hole;
    std::vector<std::int32_t> whole_cards;
    std::vector<std::int32_t> memory;
  };
  const Births& births() const { return births_; }
  std::uint64_t births_start() const { return births_start_; }
  std::uint64_t births_end() const { return births_start_ + births_.slot.size(); }

  void prefetch_block(std::size_t b) const {
    __builtin_prefetch(&blocks_[b].stamp);
    __builtin_prefetch(&blocks_[b].shut);
  }

  void prefetch_facts(SlotIndex slot) const {
    __builtin_prefetch(&facts_[slot.value()].worth);
    __builtin_prefetch(&facts_[slot.value()].runs);
  }

  // What is free in the fleet now.
  Remaining remaining(const ClusterState& state) const;

 private:
  struct alignas(64) Free {
    std::array<std::uint32_t, kLanes> idle_milli = {};
    std::array<std::uint32_t, kLanes> blocks[kBlockSizes] = {};
  };

  static constexpr std::uint32_t kMostStamps = 0xF000'0000;

  void grow(const ClusterState& state);
  void note(const ClusterState& state, SlotIndex index);
  void describe(const ClusterState& state, SlotIndex index);
  CardRuns runs_of(const CardList& cards);
  void bear(SlotIndex index);
  void unbear(SlotIndex index);

  const NodeWorth& worth_of_;
  std::vector<LaneBlock> blocks_;
  std::vector<Free> free_;
  std::vector<ModelIndex> models_;  // by block
  CardTable card_states_;
  std::vector<SlotFacts> facts_;           // by slot
  std::vector<std::uint32_t> described_;   // generation of the slot then
  std::vector<std::uint64_t> last_birth_;  // position; 0: none
  std::uint32_t stamp_ = 0;                // the last one given
  Births births_;
  std::uint64_t births_start_ = 1;
  std::uint64_t log_position_ = 0;
  bool exact_ = true;
};

}  // namespace berth::engine
