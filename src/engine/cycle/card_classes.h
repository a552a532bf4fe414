// CardClasses: the slots that have nodes, by the kind of node and the states of its cards, so that
// what depends on the cards alone is asked once for all of them. Derived from the state; forgetting
// it changes nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/placement/alive_slots.h"
#include "engine/state/cluster_state.h"
#include "engine/state/slot_hash.h"

namespace berth::engine {

class CardClasses {
 public:
  void catch_up(const ClusterState& state);

  // In no particular order.
  std::span<const SlotIndex> slots() const { return alive_.all(); }
  std::uint32_t of(SlotIndex slot) const { return known_[slot.value()].number; }
  std::size_t size() const { return classes_.size(); }

 private:
  struct Class {
    NodeKindIndex kind;
    CardList cards;
  };
  struct Known {
    std::uint32_t number = 0;
    std::uint32_t generation = 0;  // of the slot then; 0: not known
  };

  std::uint32_t number_of(const ClusterState& state, const Slot& slot);

  AliveSlots alive_;
  std::vector<Known> known_;  // by slot
  std::vector<Class> classes_;
  SlotHash by_hash_;
};

}  // namespace berth::engine
