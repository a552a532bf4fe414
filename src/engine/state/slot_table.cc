#include "engine/state/slot_table.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"

namespace berth::engine {
namespace {

constexpr std::uint32_t kNoSlot = SlotIndex::kNoneValue;
// Dead states kept per living one, so that a state that comes back finds its figures.
constexpr std::size_t kDeadPerAlive = 4;
constexpr std::size_t kFewestDead = 1024;

CardList sorted_cards(const CardList& cards) {
  CardList sorted = cards;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::uint64_t hash_of(const NodeRecord& node, const CardList& sorted) {
  const std::uint64_t seed =
      (static_cast<std::uint64_t>(node.kind.value()) << 40) ^ static_cast<std::uint64_t>(node.cpu_free);
  const auto* bytes = reinterpret_cast<const char*>(sorted.data());
  return stable_hash({bytes, sorted.size() * sizeof(CardState)}, seed);
}

}  // namespace

SlotIndex SlotTable::enter(const std::vector<NodeRecord>& nodes, NodeIndex node) {
  const NodeRecord& record = nodes[node.value()];
  const CardList sorted = sorted_cards(record.cards);
  const SlotIndex index = find_or_make(record, sorted, hash_of(record, sorted));
  Slot& slot = slots_[index.value()];
  const auto later = [&](NodeIndex a, std::uint64_t name) {
    return nodes[a.value()].name_order > name;
  };
  const auto at =
      std::lower_bound(slot.nodes.begin(), slot.nodes.end(), record.name_order, later);
  slot.nodes.insert(at, node);
  slot.first_name = nodes[slot.nodes.back().value()].name_order;
  if (slot.nodes.size() == 1) {
    ++alive_;
    log(index);
  }
  return index;
}

void SlotTable::leave(const std::vector<NodeRecord>& nodes, NodeIndex node, SlotIndex index) {
  Slot& slot = slots_[index.value()];
  const auto at = std::find(slot.nodes.rbegin(), slot.nodes.rend(), node);
  BERTH_CHECK(at != slot.nodes.rend());
  slot.nodes.erase(std::next(at).base());
  if (slot.alive()) {
    slot.first_name = nodes[slot.nodes.back().value()].name_order;
    return;
  }
  --alive_;
  dead_.push_back(index.value());
  log(index);
}

void SlotTable::refresh_names(const std::vector<NodeRecord>& nodes) {
  for (Slot& slot : slots_) {
    if (slot.alive()) slot.first_name = nodes[slot.nodes.back().value()].name_order;
  }
}

SlotIndex SlotTable::find_or_make(const NodeRecord& node, const CardList& sorted,
                                  std::uint64_t hash) {
  const std::uint32_t* head = by_hash_.find(hash);
  for (std::uint32_t i = head == nullptr ? kNoSlot : *head; i != kNoSlot; i = next_same_hash_[i]) {
    const Slot& slot = slots_[i];
    if (slot.kind == node.kind && slot.cpu_free == node.cpu_free && slot.cards == sorted) {
      return SlotIndex(i);
    }
  }
  const SlotIndex index = fresh_index();
  Slot& slot = slots_[index.value()];
  slot.kind = node.kind;
  slot.cpu_free = node.cpu_free;
  slot.cards = sorted;
  slot.hash = hash;
  ++slot.generation;
  const std::uint32_t* chain = by_hash_.find(hash);
  next_same_hash_[index.value()] = chain == nullptr ? kNoSlot : *chain;
  by_hash_.assign(hash, index.value());
  return index;
}

SlotIndex SlotTable::fresh_index() {
  const std::size_t dead_kept = std::max(kFewestDead, alive_ * kDeadPerAlive);
  while (dead_.size() - dead_from_ > dead_kept) {
    const SlotIndex oldest(dead_[dead_from_++]);
    if (slots_[oldest.value()].alive()) continue;  // came back meanwhile
    unlink(oldest);
    return oldest;
  }
  if (dead_from_ > kFewestDead && dead_from_ * 2 > dead_.size()) {
    dead_.erase(dead_.begin(), dead_.begin() + static_cast<std::ptrdiff_t>(dead_from_));
    dead_from_ = 0;
  }
  slots_.emplace_back();
  next_same_hash_.push_back(kNoSlot);
  return SlotIndex(static_cast<std::uint32_t>(slots_.size() - 1));
}

void SlotTable::unlink(SlotIndex index) {
  const std::uint64_t hash = slots_[index.value()].hash;
  std::uint32_t* head = by_hash_.find(hash);
  if (head == nullptr) return;  // listed as dead twice and already reused
  if (*head == index.value()) {
    const std::uint32_t next = next_same_hash_[index.value()];
    if (next == kNoSlot) {
      by_hash_.erase(hash);
    } else {
      *head = next;
    }
    return;
  }
  for (std::uint32_t i = *head; i != kNoSlot; i = next_same_hash_[i]) {
    if (next_same_hash_[i] == index.value()) {
      next_same_hash_[i] = next_same_hash_[index.value()];
      return;
    }
  }
}

void SlotTable::log(SlotIndex index) {
  log_.push_back(index);
  const std::size_t most = 4096 + 8 * slots_.size();
  if (log_.size() <= 2 * most) return;
  const std::size_t dropped = log_.size() - most;
  log_.erase(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(dropped));
  log_start_ += dropped;
}

}  // namespace berth::engine
