#include "engine/placement/pricing.h"

#include <algorithm>
#include <limits>
#include <map>

namespace berth::engine {
namespace {

// From where on a resource counts as scarce, and how steeply its price rises. Own measurement on
// the openb traces: halving or doubling any of them changes the mean by less than 0.1 points.
constexpr std::int64_t kCpuBase = 350;
constexpr Ppm kCpuFrom = 850'000;
constexpr std::int64_t kCpuSlope = 2000;  // per 100 % of load above kCpuFrom
constexpr std::int64_t kCpuMost = 1000;
constexpr Ppm kModelFrom = 400'000;
constexpr std::int64_t kModelFull = 1000;
// While nothing comes back. With turnover, holes come back all the time and whole nodes seldom, so
// blocks count as scarce the earlier the fewer leases last: from 0 where none does.
constexpr Ppm kBlockFrom = 600'000;
constexpr std::int64_t kBlockFull = 1000;
constexpr Ppm kOverload = 10 * kPpmOne;

// 0 up to `from`, 1 at full load, in parts per million.
Ppm ramp(Ppm load, Ppm from) {
  return std::clamp<Ppm>((load - from) * kPpmOne / (kPpmOne - from), 0, kPpmOne);
}

Ppm ratio(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return kOverload;
  const __int128 load = static_cast<__int128>(part) * kPpmOne / whole;
  return static_cast<Ppm>(std::min<__int128>(load, kOverload));
}

// `level` ppm of a capacity.
std::int64_t filled(std::int64_t capacity, Ppm level) {
  constexpr std::int64_t kSmall = std::numeric_limits<std::int64_t>::max() / kOverload;
  if (capacity <= kSmall) return capacity * level / kPpmOne;
  return static_cast<std::int64_t>(static_cast<__int128>(capacity) * level / kPpmOne);
}

// The level L (ppm of capacity) at which pouring `left` on top of `load` into the models of `mask`
// fills them equally high, those that stand higher left alone.
Ppm water_level(const std::vector<std::int64_t>& capacity, const std::vector<std::int64_t>& load,
                std::uint64_t mask, std::int64_t left) {
  Ppm low = 0;
  Ppm high = kOverload;
  while (high - low > 1) {
    const Ppm level = low + (high - low) / 2;
    std::int64_t poured = 0;
    for (std::size_t m = 0; m < capacity.size(); ++m) {
      if ((mask & model_bit(ModelIndex(static_cast<std::uint16_t>(m)))) == 0) continue;
      const std::int64_t top = filled(capacity[m], level);
      if (top > load[m]) poured = saturating_add(poured, top - load[m]);
    }
    (poured < left ? low : high) = level;
  }
  return high;
}

}  // namespace

Ppm lasting_share(const ClusterState& state) {
  const std::uint64_t granted = state.totals().granted;
  return granted == 0 ? kPpmOne
                      : ratio(static_cast<std::int64_t>(state.leases().size()),
                              static_cast<std::int64_t>(granted));
}

Pricing::Pricing(const std::vector<DemandType>& demand, std::size_t models) : models_(models) {
  std::uint64_t all = 0;
  for (std::size_t m = 0; m < models; ++m) {
    all |= model_bit(ModelIndex(static_cast<std::uint16_t>(m)));
  }
  std::map<std::uint64_t, std::int64_t> by_models;
  for (const DemandType& type : demand) {
    const std::int64_t milli = saturating_mul(type.weight, type.total_milli());
    cpu_milli_ = saturating_add(cpu_milli_, saturating_mul(type.weight, type.cpu_milli));
    total_milli_ = saturating_add(total_milli_, milli);
    if (type.cards > 0 && (type.models & all) != all) by_models[type.models & all] += milli;
    const std::size_t size = block_size_of(type);
    if (size < kBlockSizes) block_milli_[size] += milli;
  }
  for (const auto& [mask, milli] : by_models) constrained_.push_back({mask, milli});
  std::stable_sort(constrained_.begin(), constrained_.end(),
                   [](const Constrained& a, const Constrained& b) {
                     return __builtin_popcountll(a.models) < __builtin_popcountll(b.models);
                   });
}

// `demand` of one draw of the whole mix, for as many draws as the free cards can take.
std::int64_t Pricing::scaled(std::int64_t demand, std::int64_t free_milli) const {
  const __int128 product = static_cast<__int128>(demand) * free_milli;
  return static_cast<std::int64_t>(product / total_milli_);
}

Prices Pricing::quote(const Remaining& remaining) const {
  Prices prices;
  prices.model.assign(models_, 0);
  prices.block.assign(kBlockSizes, 0);
  prices.cpu = kCpuBase;
  if (total_milli_ == 0) return prices;
  const Ppm cpu_load = ratio(scaled(cpu_milli_, remaining.milli), remaining.cpu_milli);
  prices.cpu += std::clamp<std::int64_t>((cpu_load - kCpuFrom) * kCpuSlope / kPpmOne, 0, kCpuMost);
  const Ppm block_from = kBlockFrom * remaining.lasting / kPpmOne;
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    if (block_milli_[size] == 0) continue;
    const std::int64_t have = remaining.blocks[size] / (kCardWorth / 1000);
    const Ppm load = ratio(scaled(block_milli_[size], remaining.milli), have);
    prices.block[size] = ramp(load, block_from) * kBlockFull / kPpmOne;
  }
  prices.model = model_prices(remaining);
  return prices;
}

std::vector<std::int64_t> Pricing::model_prices(const Remaining& remaining) const {
  std::vector<std::int64_t> load(models_, 0);
  for (const Constrained& demand : constrained_) {
    const std::int64_t left = scaled(demand.milli, remaining.milli);
    const Ppm level = water_level(remaining.model_milli, load, demand.models, left);
    for (std::size_t m = 0; m < models_; ++m) {
      if ((demand.models & model_bit(ModelIndex(static_cast<std::uint16_t>(m)))) == 0) continue;
      load[m] = std::max(load[m], filled(remaining.model_milli[m], level));
    }
  }
  std::vector<std::int64_t> prices(models_, 0);
  for (std::size_t m = 0; m < models_; ++m) {
    if (remaining.model_milli[m] <= 0) continue;
    prices[m] = ramp(ratio(load[m], remaining.model_milli[m]), kModelFrom) * kModelFull / kPpmOne;
  }
  return prices;
}

}  // namespace berth::engine
