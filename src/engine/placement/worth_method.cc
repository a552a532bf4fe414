#include "engine/placement/worth_method.h"

#include <algorithm>

namespace berth::engine {
namespace {

constexpr std::int64_t kMostAmount = 1'000'000'000;  // of CPU and memory that a row can hold
// With more shapes than this, those of similar CPU share a row. It depends on the state alone, not
// on what was asked, so that every replica decides alike.
constexpr std::size_t kMostExactKeys = 512;
constexpr CpuMilli kRangesPerOctave = 8;
constexpr std::size_t kRowBytes = 256'000'000;  // what all rows may take, about
constexpr std::size_t kBytesPerBlock = 256;     // of a row
constexpr std::size_t kFewestRows = 64;

CpuRange range_of(CpuMilli cpu_milli) {
  CpuMilli width = 1;
  while (cpu_milli / width >= 2 * kRangesPerOctave) width *= 2;
  return {cpu_milli / width * width, width};
}

Shape key_of(const Shape& shape) {
  Shape key = shape;
  key.request.memory_mib = 0;
  key.request.resources.clear();
  return key;
}

}  // namespace

void WorthMethod::refit(const ClusterState& state) {
  fit_revision_ = state.fit_revision();
  worth_ = NodeWorth(state);
  scan_ = WorthScan(state);
  lanes_.start_over();
  for (RowSlot& slot : rows_) {
    if (slot.row != nullptr) slot.row->start_over();
  }
  seen_prices_ = 0;
}

void WorthMethod::catch_up(const ClusterState& state) {
  if (fit_revision_ != state.fit_revision()) refit(state);
  if (lanes_.is_worn()) {
    forget_rows();
    lanes_.start_over();
    lanes_.renew_stamps();
  }
  lanes_.catch_up(state);
}

void WorthMethod::forget_rows() {
  for (RowSlot& slot : rows_) slot.row.reset();
  live_rows_ = 0;
}

std::optional<Candidate> WorthMethod::find_on(const ClusterState& state, ShapeIndex index,
                                              std::span<const ModelIndex> models) {
  catch_up(state);
  if (seen_prices_ != state.prices_revision()) read_prices(state);
  const Shape& shape = state.shapes().at(index);
  const bool small =
      shape.request.cpu_milli <= kMostAmount && shape.request.memory_mib <= kMostAmount;
  if (!lanes_.is_exact() || !small_prices_ || !small) {
    return scan_.find_in(state, index, {models});
  }
  CostRow& row = row_of(state, index);
  const Mib least_memory = rows_[keys_of_shapes_[index.value()]].least_memory;
  const SlotChoice choice = row.find(state, lanes_, prices_, shape, least_memory, models);
  if (!row.is_exact()) return scan_.find_in(state, index, {models});
  if (choice.slot.is_none()) return std::nullopt;
  const Slot& slot = state.slots().slot(choice.slot);
  return Candidate{choice.node, on_node(state.node(choice.node), slot, row.grants(state, slot)),
                   choice.cost};
}

void WorthMethod::read_prices(const ClusterState& state) {
  seen_prices_ = state.prices_revision();
  const Prices& prices = state.prices();
  const auto small = [](std::int64_t price) { return price >= 0 && price <= kMostPrice; };
  small_prices_ = small(prices.cpu) &&
                  std::all_of(prices.block.begin(), prices.block.end(), small) &&
                  std::all_of(prices.model.begin(), prices.model.end(), small);
  if (!small_prices_) return;
  prices_.cpu = static_cast<std::int32_t>(prices.cpu);
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    const std::int64_t price = size < prices.block.size() ? prices.block[size] : 0;
    prices_.block[size] = static_cast<std::int32_t>(price);
  }
  ++prices_.version;
}

// Gives every shape of the state the key of its row.
void WorthMethod::learn_shapes(const ClusterState& state) {
  while (keys_of_shapes_.size() < state.shapes().size()) {
    const ShapeIndex next(static_cast<std::uint32_t>(keys_of_shapes_.size()));
    Shape key = key_of(state.shapes().at(next));
    CpuRange range{key.request.cpu_milli, 1};
    if (joined_) {
      range = range_of(key.request.cpu_milli);
      key.request.cpu_milli = range.least + range.width / 2;
    }
    const std::uint32_t row = keys_.intern(std::move(key)).value();
    keys_of_shapes_.push_back(row);
    const Mib memory = state.shapes().at(next).request.memory_mib;
    if (rows_.size() <= row) rows_.push_back({range, memory, nullptr, 0});
    rows_[row].least_memory = std::min(rows_[row].least_memory, memory);
    if (!joined_ && rows_.size() > kMostExactKeys) join_keys(state);
  }
}

void WorthMethod::join_keys(const ClusterState& state) {
  joined_ = true;
  keys_ = ShapeTable();
  keys_of_shapes_.clear();
  rows_.clear();
  live_rows_ = 0;
  learn_shapes(state);
}

CostRow& WorthMethod::row_of(const ClusterState& state, ShapeIndex index) {
  if (keys_of_shapes_.size() < state.shapes().size()) learn_shapes(state);
  const std::uint32_t key = keys_of_shapes_[index.value()];
  RowSlot& known = rows_[key];
  known.used_at = ++searches_;
  if (known.row == nullptr) {
    const std::size_t blocks = std::max<std::size_t>(1, state.slots().block_count());
    const std::size_t most = std::max(kFewestRows, kRowBytes / (blocks * kBytesPerBlock));
    if (live_rows_ >= most) evict(most - most / 4);
    known.row = std::make_unique<CostRow>(worth_, keys_.at(ShapeIndex(key)), known.range);
    ++live_rows_;
  }
  return *known.row;
}

// Forgets the rows that have not been used for longest.
void WorthMethod::evict(std::size_t keep) {
  std::vector<std::uint64_t> used;
  for (const RowSlot& slot : rows_) {
    if (slot.row != nullptr) used.push_back(slot.used_at);
  }
  const auto last = used.begin() + static_cast<std::ptrdiff_t>(used.size() - keep);
  std::nth_element(used.begin(), last, used.end());
  for (RowSlot& slot : rows_) {
    if (slot.row == nullptr || slot.used_at >= *last) continue;
    slot.row.reset();
    --live_rows_;
  }
}

Prices WorthMethod::quote(const ClusterState& state) {
  catch_up(state);
  if (!lanes_.is_exact()) return scan_.quote(state);
  return worth_.pricing().quote(lanes_.remaining(state));
}

}  // namespace berth::engine
