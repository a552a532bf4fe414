#include "engine/state/slot_table.h"

#include <algorithm>

#include "base/check.h"

namespace berth::engine {
namespace {

// Dead states kept beside the living ones of a kind, so that a state that comes back finds its
// figures: half as many, and some.
constexpr std::size_t kFewestDead = 32;
constexpr std::size_t kAlivePerDead = 2;

std::uint64_t hash_of(const NodeRecord& node) {
  std::uint64_t hash = node.cards_hash ^ (std::uint64_t{node.kind.value()} << 40) ^
                       static_cast<std::uint64_t>(node.cpu_free);
  hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93U;
  hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93U;
  return hash ^ (hash >> 32);
}

bool is_state_of(const Slot& slot, const NodeRecord& node) {
  if (slot.kind != node.kind || slot.cpu_free != node.cpu_free) return false;
  for (std::size_t i = 0; i < node.order.size(); ++i) {
    if (!(slot.cards[i] == node.cards[node.order[i]])) return false;
  }
  return true;
}

}  // namespace

Mib memory_bound(Mib memory) {
  Mib step = 1;
  while (memory / step >= 16) step *= 2;
  return (memory + step - 1) / step * step;
}

SlotIndex SlotTable::enter(const std::vector<NodeRecord>& nodes, NodeIndex node) {
  const NodeRecord& record = nodes[node.value()];
  const SlotIndex index = find_or_make(record);
  Slot& slot = slots_[index.value()];
  if (slot.nodes.empty() || record.name_order < slot.first_name) {
    slot.nodes.push_back(node);
    slot.first_name = record.name_order;
  } else {
    const auto later = [&](NodeIndex a, std::uint64_t name) {
      return nodes[a.value()].name_order > name;
    };
    const auto at =
        std::lower_bound(slot.nodes.begin(), slot.nodes.end(), record.name_order, later);
    slot.nodes.insert(at, node);
  }
  if (counts_[index.value()]++ == 0) {
    slot.memory_most = record.memory_free;
    ++alive_;
    ++families_[slot.kind.value()].alive;
    log(index);
  } else if (slot.memory_most < record.memory_free) {
    const bool rises = memory_bound(slot.memory_most) < record.memory_free;
    slot.memory_most = record.memory_free;
    if (rises) log(index);
  }
  return index;
}

void SlotTable::leave(const std::vector<NodeRecord>& nodes, NodeIndex node, SlotIndex index) {
  Slot& slot = slots_[index.value()];
  if (slot.nodes.back() == node) {
    slot.nodes.pop_back();
  } else {
    const auto at = std::find(slot.nodes.rbegin(), slot.nodes.rend(), node);
    BERTH_CHECK(at != slot.nodes.rend());
    slot.nodes.erase(std::next(at).base());
  }
  if (--counts_[index.value()] > 0) {
    slot.first_name = nodes[slot.nodes.back().value()].name_order;
    return;
  }
  Family& family = families_[slot.kind.value()];
  --alive_;
  --family.alive;
  bury(family, index.value());
  log(index);
}

void SlotTable::bury(Family& family, std::uint32_t index) {
  family.dead.push_back({index, ++slots_[index].deaths});
  ++family.dead_count;
  if (family.dead.size() < 1024 || family.dead.size() < 4 * family.dead_count) return;
  const auto gone = [&](const Family::Death& death) {
    return counts_[death.slot] > 0 || slots_[death.slot].deaths != death.deaths;
  };
  const auto from = family.dead.begin() + static_cast<std::ptrdiff_t>(family.dead_from);
  const auto end = std::remove_if(from, family.dead.end(), gone);
  family.dead.erase(std::move(from, end, family.dead.begin()), family.dead.end());
  family.dead_from = 0;
}

void SlotTable::refresh_names(const std::vector<NodeRecord>& nodes) {
  for (Slot& slot : slots_) {
    if (slot.alive()) slot.first_name = nodes[slot.nodes.back().value()].name_order;
  }
}

SlotIndex SlotTable::find_or_make(const NodeRecord& node) {
  const std::uint64_t hash = hash_of(node);
  if (families_.size() <= node.kind.value()) families_.resize(node.kind.value() + 1);
  Family& family = families_[node.kind.value()];
  const std::uint32_t known =
      by_hash_.find(hash, [&](std::uint32_t s) { return is_state_of(slots_[s], node); });
  if (known != SlotHash::kNone) {
    if (counts_[known] == 0) --family.dead_count;
    return SlotIndex(known);
  }
  const std::uint32_t index = take_index(family, node.kind);
  Slot& slot = slots_[index];
  slot.kind = node.kind;
  slot.cpu_free = node.cpu_free;
  slot.hash = hash;
  ++slot.generation;
  slot.cards.clear();
  for (const std::uint8_t card : node.order) slot.cards.push_back(node.cards[card]);
  by_hash_.insert(hash, index);
  return SlotIndex(index);
}

std::uint32_t SlotTable::take_index(Family& family, NodeKindIndex kind) {
  if (family.dead_count > kFewestDead + family.alive / kAlivePerDead) return oldest_dead(family);
  if (family.fresh == family.fresh_end) {
    family.fresh = static_cast<std::uint32_t>(slots_.size());
    family.fresh_end = family.fresh + static_cast<std::uint32_t>(kLanes);
    slots_.resize(family.fresh_end);
    counts_.resize(family.fresh_end, 0);
    block_kinds_.push_back(kind);
  }
  return family.fresh++;
}

// Frees the slot that has been dead longest; there must be one.
std::uint32_t SlotTable::oldest_dead(Family& family) {
  for (;;) {
    const Family::Death death = family.dead[family.dead_from++];
    const Slot& slot = slots_[death.slot];
    if (counts_[death.slot] > 0 || slot.deaths != death.deaths) continue;
    --family.dead_count;
    by_hash_.erase(slot.hash, death.slot);
    return death.slot;
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
