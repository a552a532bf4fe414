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

#include "engine/placement/node_worth.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// Largest part of a cost, and price, with which sums of 32 bits are exact.
inline constexpr std::int64_t kMostPart = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostPrice = 4096;

using Lanes = std::array<std::int32_t, kLanes>;

struct alignas(64) LaneBlock {
  Lanes cpu = {};
  Lanes hole = {};         // most free compute of a usable card
  Lanes whole_cards = {};  // usable empty cards
  std::array<std::uint32_t, kLanes> generation = {};
};

class SlotLanes {
 public:
  explicit SlotLanes(const NodeWorth& worth) : worth_of_(worth) {}

  // Follows the log of the state's slots.
  void catch_up(const ClusterState& state);
  bool is_exact() const { return exact_; }

  std::size_t block_count() const { return blocks_.size(); }
  const LaneBlock& block(std::size_t b) const { return blocks_[b]; }
  const StateWorth& worth(SlotIndex slot) const { return worths_[slot.value()]; }
  ModelIndex model_of_block(std::size_t b) const { return models_[b]; }

  // Slots that came to life, in that order; positions only grow.
  struct Births {
    std::vector<std::uint32_t> slot;
    std::vector<std::int32_t> cpu;
    std::vector<std::int32_t> hole;
    std::vector<std::int32_t> whole_cards;
  };
  const Births& births() const { return births_; }
  std::uint64_t births_start() const { return births_start_; }
  std::uint64_t births_end() const { return births_start_ + births_.slot.size(); }
  // Whether no later birth is of the same slot.
  bool is_latest(std::uint32_t slot, std::uint64_t position) const {
    return last_birth_[slot] == position;
  }

  void prefetch_latest(std::uint32_t slot) const { __builtin_prefetch(&last_birth_[slot]); }
  void prefetch_block(std::size_t b) const { __builtin_prefetch(&blocks_[b].generation); }

  // What is free in the fleet now.
  Remaining remaining(const ClusterState& state) const;

 private:
  struct alignas(64) Free {
    std::array<std::uint32_t, kLanes> idle_milli = {};
    std::array<std::uint32_t, kLanes> blocks[kBlockSizes] = {};
  };

  void grow(const ClusterState& state);
  void note(const ClusterState& state, SlotIndex index);
  void describe(const ClusterState& state, SlotIndex index);
  void bear(SlotIndex index);

  const NodeWorth& worth_of_;
  std::vector<LaneBlock> blocks_;
  std::vector<Free> free_;
  std::vector<ModelIndex> models_;  // by block
  std::vector<StateWorth> worths_;  // by slot
  std::vector<std::uint64_t> last_birth_;
  Births births_;
  std::uint64_t births_start_ = 1;
  std::uint64_t log_position_ = 0;
  bool exact_ = true;
};

}  // namespace berth::engine
