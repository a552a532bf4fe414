#include "engine/cycle/card_classes.h"

namespace berth::engine {

void CardClasses::catch_up(const ClusterState& state) {
  alive_.catch_up(state.slots());
  if (classes_.size() > 1024 + 4 * alive_.all().size()) {  // most stand for no node any more
    known_.clear();
    classes_.clear();
    by_hash_ = SlotHash();
  }
  known_.resize(state.slots().slots().size());
  for (const SlotIndex index : alive_.all()) {
    const Slot& slot = state.slots().slot(index);
    Known& known = known_[index.value()];
    if (known.generation == slot.generation) continue;
    known = {number_of(state, slot), slot.generation};
  }
}

std::uint32_t CardClasses::number_of(const ClusterState& state, const Slot& slot) {
  std::uint64_t hash = state.node(slot.nodes.back()).cards_hash ^ slot.kind.value();
  hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93U;
  hash ^= hash >> 32;
  const std::uint32_t known = by_hash_.find(hash, [&](std::uint32_t c) {
    return classes_[c].kind == slot.kind && classes_[c].cards == slot.cards;
  });
  if (known != SlotHash::kNone) return known;
  const auto number = static_cast<std::uint32_t>(classes_.size());
  classes_.push_back({slot.kind, slot.cards});
  by_hash_.insert(hash, number);
  return number;
}

}  // namespace berth::engine
