// CardTable: the distinct card states of a fleet, numbered, so that what depends on one card is
// worked out once for all cards that are in its state. Derived; never saved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/state/card_state.h"
#include "engine/state/slot_hash.h"

namespace berth::engine {

using CardStateId = std::uint16_t;

class CardTable {
 public:
  static constexpr CardStateId kNone = 0xFFFF;
  static constexpr std::size_t kMost = 8192;  // states numbered; later ones get kNone

  CardStateId intern(const CardState& card) {
    const std::uint64_t hash = hash_of(card);
    const std::uint32_t known =
        by_hash_.find(hash, [&](std::uint32_t id) { return states_[id] == card; });
    if (known != SlotHash::kNone) return static_cast<CardStateId>(known);
    if (states_.size() == kMost) return kNone;
    by_hash_.insert(hash, static_cast<std::uint32_t>(states_.size()));
    states_.push_back(card);
    return static_cast<CardStateId>(states_.size() - 1);
  }
  const CardState& at(CardStateId id) const { return states_[id]; }
  std::size_t size() const { return states_.size(); }

 private:
  static std::uint64_t hash_of(const CardState& card) {
    std::uint64_t words[sizeof(CardState) / 8];
    std::memcpy(words, &card, sizeof(words));
    std::uint64_t hash = 0;
    for (const std::uint64_t word : words) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 32;
    }
    return hash;
  }

  std::vector<CardState> states_;
  SlotHash by_hash_;
};

// The cards of a node state as runs of equal ones, in their order.
struct CardRun {
  CardStateId state = CardTable::kNone;
  std::uint16_t count = 0;
};
struct CardRuns {
  static constexpr std::size_t kMost = 7;

  std::uint16_t count = 0;
  bool complete = true;  // false: too many runs or states; look at the cards
  CardRun run[kMost];
};
static_assert(sizeof(CardRuns) == 32);

}  // namespace berth::engine
