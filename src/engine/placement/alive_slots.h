// AliveSlots: the slots that have nodes, followed through the log of a SlotTable, for whoever keeps
// figures per slot. O(changes since the last call); in no particular order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/state/slot_table.h"

namespace berth::engine {

class AliveSlots {
 public:
  void catch_up(const SlotTable& table) {
    place_.resize(table.slots().size(), kNotAlive);
    if (position_ < table.log_start()) {
      for (std::uint32_t s = 0; s < table.slots().size(); ++s) note(table, SlotIndex(s));
    } else {
      for (const SlotIndex s : table.log_from(position_)) note(table, s);
    }
    position_ = table.log_end();
  }
  std::span<const SlotIndex> all() const { return alive_; }

 private:
  static constexpr std::uint32_t kNotAlive = 0xFFFFFFFF;

  void note(const SlotTable& table, SlotIndex index) {
    std::uint32_t& place = place_[index.value()];
    if (table.slot(index).alive() == (place != kNotAlive)) return;
    if (place == kNotAlive) {
      place = static_cast<std::uint32_t>(alive_.size());
      alive_.push_back(index);
      return;
    }
    alive_[place] = alive_.back();
    place_[alive_[place].value()] = place;
    alive_.pop_back();
    place = kNotAlive;
  }

  std::vector<SlotIndex> alive_;
  std::vector<std::uint32_t> place_;  // of each slot in alive_
  std::uint64_t position_ = 0;        // in the log
};

}  // namespace berth::engine
