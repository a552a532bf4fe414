#include "engine/placement/cost_row.h"

#include <algorithm>

#include "engine/placement/filters.h"

namespace berth::engine {
namespace {

constexpr std::uint32_t kNoParts = 0xFFFFFFFF;

}  // namespace

SlotChoice CostRow::find(const ClusterState& state, const SlotLanes& lanes, const RowPrices& prices,
                         const Shape& shape, Mib least_memory, std::span<const ModelIndex> models) {
  Search search{state, lanes, shape, models, step_of(shape.request.cpu_milli), {}};
  search.best.cost = kFar - 1;
  grow(search);
  if (least_memory < least_memory_) {
    least_memory_ = static_cast<std::int32_t>(least_memory);
    make_all_dirty(search);
  }
  if (prices.version != prices_.version) reprice(search, prices);
  catch_up(search);
  const std::size_t first = models.empty() ? cheapest_block(search) : cheapest_among(search);
  if (first == records_.size()) return search.best;
  visit(search, first);
  visit_all(search, first);
  return search.best;
}

// The last step whose CPU is not above what is asked for.
std::size_t CostRow::step_of(CpuMilli cpu_milli) const {
  std::size_t step = 0;
  while (step + 1 < bounds_.size() && step_cpu(step + 1) <= cpu_milli) ++step;
  return step;
}

void CostRow::make_dirty(std::size_t block) {
  for (std::vector<std::int32_t>& bounds : bounds_) bounds[block] = kDirty;
}

void CostRow::make_all_dirty(const Search& search) {
  for (std::size_t b = 0; b < records_.size(); ++b) {
    if (shape_.accepts(search.state, search.state.slots().block_kind(b))) make_dirty(b);
  }
}

void CostRow::start_over() {
  shape_.start_over();
  exact_ = true;
  position_ = 0;
}

void CostRow::grow(const Search& search) {
  const std::size_t had = records_.size();
  const std::size_t count = search.lanes.block_count();
  surcharges_.resize(search.state.model_count(), 0);
  if (had == count) return;
  const std::size_t padded = (count + kGroup - 1) / kGroup * kGroup;
  for (auto* column : {&least_stranded_, &most_stranded_, &most_blocks_}) {
    column->resize(padded, 0);
  }
  for (std::vector<std::int32_t>& bounds : bounds_) bounds.resize(padded, kClosed);
  breaks_.resize(count, 0);
  parts_at_.resize(count, kNoParts);
  records_.resize(count);
  for (std::size_t b = had; b < count; ++b) {
    if (shape_.accepts(search.state, search.state.slots().block_kind(b))) make_dirty(b);
  }
}

void CostRow::catch_up(const Search& search) {
  const SlotLanes& lanes = search.lanes;
  const std::uint64_t end = lanes.births_end();
  if (position_ < lanes.births_start()) {  // fell behind
    make_all_dirty(search);
    position_ = end;
  }
  constexpr std::uint64_t kAtOnce = 32;
  while (position_ < end) {
    const std::uint64_t count = std::min(kAtOnce, end - position_);
    const auto from = static_cast<std::size_t>(position_ - lanes.births_start());
    note_all(search, from, fitting(lanes, from, static_cast<std::size_t>(count)));
    position_ += count;
  }
}

// Which of some births show what the shape needs at least.
std::uint32_t CostRow::fitting(const SlotLanes& lanes, std::size_t from, std::size_t count) const {
  const LaneNeeds need = needs();
  const std::int32_t* cpus = lanes.births().cpu.data() + from;
  const std::int32_t* holes = lanes.births().hole.data() + from;
  const std::int32_t* wholes = lanes.births().whole_cards.data() + from;
  const std::int32_t* memories = lanes.births().memory.data() + from;
  const auto enough = [&](std::size_t i) {
    return static_cast<std::uint32_t>((cpus[i] >= need.cpu) & (holes[i] >= need.hole) &
                                      (wholes[i] >= need.whole_cards) &
                                      (memories[i] >= need.memory));
  };
  std::uint32_t fit = 0;
  if (count == 32) {  // a constant count is vectorised
    for (std::size_t i = 0; i < 32; ++i) fit |= enough(i) << i;
  } else {
    for (std::size_t i = 0; i < count; ++i) fit |= enough(i) << i;
  }
  return fit;
}

// Asks for the memory that a look at the block will need.
void CostRow::prefetch(const Search& search, std::size_t block) const {
  search.lanes.prefetch_block(block);
  __builtin_prefetch(&records_[block].fixed);
  __builtin_prefetch(&records_[block].stranded);
  __builtin_prefetch(&records_[block].stamp);
  if (breaks_[block] == 0) return;
  for (const Lanes& part : parts_[parts_at_[block]]) __builtin_prefetch(&part);
}

// In two passes, so that the memory of each birth is on its way before it is used.
void CostRow::note_all(const Search& search, std::size_t from, std::uint32_t which) {
  const std::uint32_t* slots = search.lanes.births().slot.data() + from;
  std::uint32_t known = 0;
  for (std::uint32_t left = which; left != 0;) {
    const std::size_t i = first_of(left);
    const std::size_t block = slots[i] / kLanes;
    if (bounds_.front()[block] == kDirty) continue;
    known |= 1U << i;
    prefetch(search, block);
    search.lanes.prefetch_facts(SlotIndex(slots[i]));
  }
  while (known != 0) note(search, slots[first_of(known)]);
}

// A slot has come to life.
void CostRow::note(const Search& search, std::uint32_t slot) {
  const std::size_t block = slot / kLanes;
  const std::size_t lane = slot % kLanes;
  LaneCosts& record = records_[block];
  if (record.stamp[lane] != search.lanes.block(block).stamp[lane]) {
    if (!shape_.accepts(search.state, search.state.slots().block_kind(block))) return;
    evaluate(search, block, lane);
  }
  if (record.fixed[lane] == kClosed) return;
  const std::int32_t cost = lane_cost(block, lane) + surcharge_of_block(search.lanes, block);
  if (bounds_.front()[block] >= kFar) {  // no living slot of the block served the shape
    least_stranded_[block] = record.stranded[lane];
    most_stranded_[block] = record.stranded[lane];
    most_blocks_[block] = 0;
  }
  const std::int32_t cpu = search.lanes.block(block).cpu[lane];
  for (std::size_t step = 0; step < bounds_.size() && step_cpu(step) <= cpu; ++step) {
    bounds_[step][block] = std::min(bounds_[step][block], cost);
  }
  least_stranded_[block] = std::min(least_stranded_[block], record.stranded[lane]);
  most_stranded_[block] = std::max(most_stranded_[block], record.stranded[lane]);
  if ((breaks_[block] >> lane & 1) == 0) return;
  for (const Lanes& part : parts_[parts_at_[block]]) {
    most_blocks_[block] = std::max(most_blocks_[block], part[lane]);
  }
}

void CostRow::reprice(const Search& search, const RowPrices& prices) {
  shift_bounds(prices);
  prices_ = prices;
  std::vector<std::int32_t> change(surcharges_.size());
  bool any = false;
  for (std::size_t m = 0; m < surcharges_.size(); ++m) {
    const auto surcharge = static_cast<std::int32_t>(NodeWorth::model_cost(
        search.state.prices(), ModelIndex(static_cast<std::uint16_t>(m)), shape_.milli()));
    change[m] = surcharge - surcharges_[m];
    surcharges_[m] = surcharge;
    any = any || change[m] != 0;
  }
  if (!any) return;
  for (std::size_t b = 0; b < records_.size(); ++b) {
    const ModelIndex model = search.lanes.model_of_block(b);
    if (model.is_none() || change[model.value()] == 0) continue;
    for (std::vector<std::int32_t>& bounds : bounds_) {
      if (bounds[b] < kFar && bounds[b] != kDirty) bounds[b] += change[model.value()];
    }
  }
}

// Each bound falls by the most that any slot of its block may have fallen.
void CostRow::shift_bounds(const RowPrices& prices) {
  const std::int32_t cpu = prices.cpu - prices_.cpu;
  std::array<std::int32_t, kBlockSizes> block;
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    block[size] = std::min(0, prices.block[size] - prices_.block[size]);
  }
  const std::int32_t* least = least_stranded_.data();
  const std::int32_t* most = most_stranded_.data();
  const std::int32_t* broken = most_blocks_.data();
  const std::size_t count = bounds_.front().size() / kGroup * kGroup;
  for (std::vector<std::int32_t>& of_step : bounds_) {
    std::int32_t* bounds = of_step.data();
    for (std::size_t b = 0; b < count; ++b) {
      std::int32_t change = std::min(scaled(cpu, least[b]), scaled(cpu, most[b])) +
                            scaled(block[0], broken[b]) + scaled(block[1], broken[b]) +
                            scaled(block[2], broken[b]);
      bounds[b] += (bounds[b] >= kFar || bounds[b] == kDirty) ? 0 : change;
    }
  }
}

std::int32_t CostRow::lane_cost(std::size_t block, std::size_t lane) const {
  const LaneCosts& record = records_[block];
  std::int32_t cost = record.fixed[lane] + scaled(prices_.cpu, record.stranded[lane]);
  if ((breaks_[block] >> lane & 1) == 0) return cost;
  const BlockParts& parts = parts_[parts_at_[block]];
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    cost += scaled(prices_.block[size], parts[size][lane]);
  }
  return cost;
}

void CostRow::set_blocks(std::size_t block, std::size_t lane, const TaskCost& cost) {
  const auto bit = static_cast<std::uint16_t>(1U << lane);
  std::int64_t any = 0;
  for (const std::int64_t part : cost.blocks) any |= part;
  if (any == 0 && (breaks_[block] & bit) == 0) return;
  std::uint32_t& at = parts_at_[block];
  if (at == kNoParts) {
    at = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back({});
  }
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    parts_[at][size][lane] = static_cast<std::int32_t>(cost.blocks[size]);
    exact_ = exact_ && cost.blocks[size] >= 0 && cost.blocks[size] <= kMostPart;
  }
  const int breaks = any == 0 ? breaks_[block] & ~bit : breaks_[block] | bit;
  breaks_[block] = static_cast<std::uint16_t>(breaks);
}

void CostRow::evaluate(const Search& search, std::size_t block, std::size_t lane) {
  const SlotIndex index(static_cast<std::uint32_t>(block * kLanes + lane));
  LaneCosts& record = records_[block];
  record.stamp[lane] = search.lanes.block(block).stamp[lane];
  const auto cost = shape_.of(search.state, search.lanes, index);
  if (!cost) {
    record.fixed[lane] = kClosed;
    record.stranded[lane] = 0;
    return set_blocks(block, lane, {});
  }
  exact_ = exact_ && is_small(cost->fixed) && is_small(cost->stranded);
  record.fixed[lane] = static_cast<std::int32_t>(cost->fixed);
  record.stranded[lane] = static_cast<std::int32_t>(cost->stranded);
  set_blocks(block, lane, *cost);
}

// Costs of the block's living lanes without surcharge, kClosed for the others; makes the bound and
// its ranges exact. The least cost.
std::int32_t CostRow::price_lanes(const Search& search, std::size_t block, Lanes& cost) {
  const LaneCosts& record = records_[block];
  const LaneBlock& slots = search.lanes.block(block);
  Lanes extra = {};
  most_blocks_[block] = breaks_[block] == 0 ? 0 : price_blocks(block, slots.shut, extra);
  const LaneSummary sum = price(slots, record, extra, prices_.cpu, least_memory_, cost);
  const bool none = sum.least >= kFar;
  least_stranded_[block] = none ? 0 : sum.least_stranded;
  most_stranded_[block] = none ? 0 : sum.most_stranded;
  set_bounds(search, block, cost, sum.least);
  return sum.least;
}

// What the lanes pay for broken blocks, into `extra`; the largest part of a living lane.
std::int32_t CostRow::price_blocks(std::size_t block, const Lanes& shut, Lanes& extra) const {
  const BlockParts& parts = parts_[parts_at_[block]];
  LaneVector most = {};
  for (std::size_t i = 0; i < kLanes; i += kWidth) {
    LaneVector sum = {};
    for (std::size_t size = 0; size < kBlockSizes; ++size) {
      const LaneVector part = load(&parts[size][i]);
      sum += scaled(prices_.block[size], part);
      most = greater(most, lesser(part, -load(&shut[i])));
    }
    store(sum, &extra[i]);
  }
  return most_of(most);
}

// The bound of each step of CPU: over the lanes that have as much.
void CostRow::set_bounds(const Search& search, std::size_t block, const Lanes& cost,
                         std::int32_t least) {
  const std::int32_t surcharge = surcharge_of_block(search.lanes, block);
  bounds_.front()[block] = least >= kFar ? kClosed : least + surcharge;
  const Lanes& cpu = search.lanes.block(block).cpu;
  for (std::size_t step = 1; step < bounds_.size(); ++step) {
    const std::int32_t of_step = least_with(cpu, step_cpu(step), cost);
    bounds_[step][block] = of_step >= kFar ? kClosed : of_step + surcharge;
  }
}

// The block with the lowest bound; records_.size() when the shape fits nowhere.
std::size_t CostRow::cheapest_block(const Search& search) const {
  std::int32_t least = kClosed;
  const std::int32_t* bounds = bounds_[search.step].data();
  const std::size_t count = bounds_[search.step].size() / kGroup * kGroup;
  for (std::size_t b = 0; b < count; ++b) least = std::min(least, bounds[b]);
  if (least >= kFar) return records_.size();
  std::size_t at = 0;
  while (bounds[at] != least) ++at;
  return at;
}

// The same of blocks whose nodes are of one of the models.
std::size_t CostRow::cheapest_among(const Search& search) const {
  const std::vector<std::int32_t>& bounds = bounds_[search.step];
  std::size_t least = records_.size();
  for (std::size_t b = 0; b < records_.size(); ++b) {
    if (bounds[b] >= kFar || !search.looks_at(b)) continue;
    if (least == records_.size() || bounds[b] < bounds[least]) least = b;
  }
  return least;
}

void CostRow::visit_all(Search& search, std::size_t but) {
  const std::vector<std::int32_t>& of_step = bounds_[search.step];
  for (std::size_t group = 0; group < of_step.size(); group += kGroup) {
    const std::int32_t* bounds = of_step.data() + group;
    const std::int32_t limit = search.best.cost;
    std::int32_t least = kClosed;
    for (std::size_t i = 0; i < kGroup; ++i) least = std::min(least, bounds[i]);
    if (least > limit) continue;
    for (std::size_t i = 0; i < kGroup; ++i) {
      if (bounds[i] <= limit) prefetch(search, group + i);
    }
    for (std::size_t i = 0; i < kGroup; ++i) {
      const std::size_t block = group + i;
      if (of_step[block] <= search.best.cost && block != but) visit(search, block);
    }
  }
}

void CostRow::visit(Search& search, std::size_t block) {
  if (!search.looks_at(block)) return;
  const LaneBlock& slots = search.lanes.block(block);
  std::uint32_t unknown = unknown_lanes(slots, records_[block], needs());
  while (unknown != 0) evaluate(search, block, first_of(unknown));
  Lanes cost;
  const std::int32_t least = price_lanes(search, block, cost);
  const std::int32_t surcharge = surcharge_of_block(search.lanes, block);
  if (least + surcharge > search.best.cost) return;
  consider_all(search, block, cost, least, surcharge);
  if (search.best.cost > least + surcharge) {  // the cheapest lanes had no room: any other
    consider_all(search, block, cost, search.best.cost - surcharge, surcharge);
  }
}

// The lanes that cost at most `limit`.
void CostRow::consider_all(Search& search, std::size_t block, const Lanes& cost, std::int32_t limit,
                           std::int32_t surcharge) {
  const TaskRequest& request = search.shape.request;
  std::uint32_t mask = affordable_lanes(search.lanes.block(block), cost, limit,
                                        static_cast<std::int32_t>(request.cpu_milli),
                                        static_cast<std::int32_t>(request.memory_mib));
  while (mask != 0) {
    const std::size_t i = first_of(mask);
    consider(search, block, i, cost[i] + surcharge);
  }
}

void CostRow::consider(Search& search, std::size_t block, std::size_t lane, std::int32_t cost) {
  SlotChoice& best = search.best;
  if (cost > best.cost) return;
  const SlotIndex index(static_cast<std::uint32_t>(block * kLanes + lane));
  const Slot& slot = search.state.slots().slot(index);
  const bool tie = !best.slot.is_none() && cost == best.cost;
  if (tie && slot.first_name > best.name) return;
  if (slot.memory_most < search.shape.request.memory_mib) return;
  const NodeIndex node = first_with_room(search.state, slot, search.shape);
  if (node.is_none()) return;
  const std::uint64_t name = search.state.node(node).name_order;
  if (tie && name > best.name) return;
  best = {cost, name, index, node};
}

}  // namespace berth::engine
