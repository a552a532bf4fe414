#include "engine/placement/slot_lanes.h"

#include <algorithm>
#include <limits>

namespace berth::engine {
namespace {

constexpr Mib kMostMemory = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kBirthsKept = 16'384;  // and four for each living slot

template <typename T>
void drop_front(std::vector<T>& column, std::size_t count) {
  column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

void SlotLanes::catch_up(const ClusterState& state) {
  const SlotTable& table = state.slots();
  if (log_position_ == table.log_end() && log_position_ > 0) return;
  grow(state);
  if (log_position_ < table.log_start() || log_position_ == 0) {
    for (std::uint32_t s = 0; s < table.slots().size(); ++s) note(state, SlotIndex(s));
  } else {
    for (const SlotIndex s : table.log_from(log_position_)) note(state, s);
  }
  log_position_ = table.log_end();
  if (births_.slot.size() < kBirthsKept + 4 * table.alive_count()) return;
  const std::size_t half = births_.slot.size() / 2;
  drop_front(births_.slot, half);
  drop_front(births_.cpu, half);
  drop_front(births_.hole, half);
  drop_front(births_.whole_cards, half);
  drop_front(births_.memory, half);
  births_start_ += half;
}

void SlotLanes::start_over() {
  births_start_ = births_end();
  births_ = {};
  card_states_ = {};
  described_.assign(described_.size(), 0);
  last_birth_.assign(last_birth_.size(), 0);
  log_position_ = 0;
  exact_ = true;
}

void SlotLanes::grow(const ClusterState& state) {
  const SlotTable& table = state.slots();
  for (std::size_t b = blocks_.size(); b < table.block_count(); ++b) {
    models_.push_back(state.node_kind(table.block_kind(b)).model);
  }
  blocks_.resize(table.block_count());
  free_.resize(blocks_.size());
  facts_.resize(blocks_.size() * kLanes);
  described_.resize(facts_.size(), 0);
  last_birth_.resize(facts_.size(), 0);
}

void SlotLanes::note(const ClusterState& state, SlotIndex index) {
  std::int32_t& shut = blocks_[index.value() / kLanes].shut[index.value() % kLanes];
  unbear(index);
  shut = kClosed;
  if (state.slots().node_counts()[index.value()] == 0) return;
  shut = -kClosed;
  const Slot& slot = state.slots().slot(index);
  const Mib memory = std::min<Mib>(memory_bound(slot.memory_most), kMostMemory);
  blocks_[index.value() / kLanes].memory[index.value() % kLanes] =
      static_cast<std::int32_t>(memory);
  if (described_[index.value()] != slot.generation) describe(state, index);
  bear(index);
}

void SlotLanes::describe(const ClusterState& state, SlotIndex index) {
  const Slot& slot = state.slots().slot(index);
  described_[index.value()] = slot.generation;
  SlotFacts& facts = facts_[index.value()];
  StateWorth& worth = facts.worth;
  worth = worth_of_.of(state, slot);
  facts.runs = runs_of(slot.cards);
  std::int32_t hole = 0;
  for (const CardState& card : slot.cards) {
    if (card.usable()) hole = std::max(hole, card.compute_free);
  }
  LaneBlock& block = blocks_[index.value() / kLanes];
  Free& free = free_[index.value() / kLanes];
  const std::size_t lane = index.value() % kLanes;
  exact_ = exact_ && slot.cpu_free < (std::int64_t{1} << 30) && worth.stranded <= kMostPart;
  block.cpu[lane] = static_cast<std::int32_t>(slot.cpu_free);
  block.hole[lane] = hole;
  block.whole_cards[lane] = worth.whole_cards;
  block.stamp[lane] = ++stamp_;
  free.idle_milli[lane] = static_cast<std::uint32_t>(worth.idle_milli);
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    exact_ = exact_ && worth.blocks[size] <= kMostPart;
    free.blocks[size][lane] = static_cast<std::uint32_t>(worth.blocks[size]);
  }
}

CardRuns SlotLanes::runs_of(const CardList& cards) {
  CardRuns runs;
  for (std::size_t c = 0; c < cards.size(); ++c) {
    if (c > 0 && cards[c] == cards[c - 1]) {
      ++runs.run[runs.count - 1].count;
      continue;
    }
    const CardStateId id = card_states_.intern(cards[c]);
    runs.complete = runs.count < CardRuns::kMost && id != CardTable::kNone;
    if (!runs.complete) break;
    runs.run[runs.count++] = {id, 1};
  }
  return runs;
}

void SlotLanes::bear(SlotIndex index) {
  const LaneBlock& block = blocks_[index.value() / kLanes];
  const std::size_t lane = index.value() % kLanes;
  last_birth_[index.value()] = births_end();
  births_.slot.push_back(index.value());
  births_.cpu.push_back(block.cpu[lane]);
  births_.hole.push_back(block.hole[lane]);
  births_.whole_cards.push_back(block.whole_cards[lane]);
  births_.memory.push_back(block.memory[lane]);
}

void SlotLanes::unbear(SlotIndex index) {
  const std::uint64_t birth = last_birth_[index.value()];
  if (birth >= births_start_) births_.cpu[static_cast<std::size_t>(birth - births_start_)] = -1;
}

Remaining SlotLanes::remaining(const ClusterState& state) const {
  Remaining rest;
  rest.lasting = lasting_share(state);
  rest.model_milli.assign(state.model_count(), 0);
  const std::uint32_t* counts = state.slots().node_counts().data();
  for (std::size_t b = 0; b < blocks_.size(); ++b, counts += kLanes) {
    std::uint64_t cpu = 0;
    std::uint64_t idle = 0;
    std::uint64_t blocks[kBlockSizes] = {};
    for (std::size_t i = 0; i < kLanes; ++i) {
      cpu += std::uint64_t{counts[i]} * static_cast<std::uint32_t>(blocks_[b].cpu[i]);
      idle += std::uint64_t{counts[i]} * free_[b].idle_milli[i];
    }
    for (std::size_t size = 0; size < kBlockSizes; ++size) {
      for (std::size_t i = 0; i < kLanes; ++i) {
        blocks[size] += std::uint64_t{counts[i]} * free_[b].blocks[size][i];
      }
      rest.blocks[size] += static_cast<std::int64_t>(blocks[size]);
    }
    rest.cpu_milli += static_cast<std::int64_t>(cpu);
    rest.milli += static_cast<std::int64_t>(idle);
    if (models_[b].is_none()) continue;
    rest.model_milli[models_[b].value()] += static_cast<std::int64_t>(idle);
  }
  return rest;
}

}  // namespace berth::engine
