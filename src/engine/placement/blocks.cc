#include "engine/placement/blocks.h"

#include <algorithm>

namespace berth::engine {

Blocks::Blocks(const std::vector<DemandType>& demand, std::size_t models) : models_(models) {
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    for (std::size_t m = 0; m < models; ++m) {
      steps_.push_back(steps_of(demand, size, ModelIndex(static_cast<std::uint16_t>(m))));
    }
  }
}

std::vector<Blocks::Step> Blocks::steps_of(const std::vector<DemandType>& demand, std::size_t size,
                                           ModelIndex model) {
  std::int64_t total = 0;
  std::vector<Step> steps;
  for (const DemandType& type : demand) {
    if (block_size_of(type) != size) continue;
    total = saturating_add(total, type.weight);
    if ((type.models & model_bit(model)) != 0) steps.push_back({type.cpu_milli, type.weight});
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.cpu_milli < b.cpu_milli; });
  std::int64_t sum = 0;
  for (Step& step : steps) {
    sum += step.below;
    const __int128 block = static_cast<__int128>(sum) * kBlockCards[size] * kCardWorth;
    step.below = static_cast<std::int64_t>(block / std::max<std::int64_t>(1, total));
  }
  return steps;
}

std::int64_t Blocks::worth_of(const std::vector<Step>& steps, std::int64_t copies,
                              CpuMilli cpu_free) {
  const auto beyond = std::partition_point(steps.begin(), steps.end(), [&](const Step& step) {
    return saturating_mul(step.cpu_milli, copies) <= cpu_free;
  });
  return beyond == steps.begin() ? 0 : std::prev(beyond)->below;
}

std::int64_t Blocks::of_enough(std::size_t size, ModelIndex model, std::int32_t whole_cards,
                               CpuMilli cpu_free) const {
  const std::vector<Step>& steps = steps_[size * models_ + model.value()];
  if (steps.empty()) return 0;
  const std::int64_t most = whole_cards / kBlockCards[size];
  if (cpu_free >= saturating_mul(most, steps.back().cpu_milli)) return most * steps.back().below;
  std::int64_t sum = 0;
  for (std::int64_t copies = 1; copies <= most; ++copies) sum += worth_of(steps, copies, cpu_free);
  return sum;
}

BlockWorth Blocks::all(ModelIndex model, std::int32_t whole_cards, CpuMilli cpu_free) const {
  BlockWorth worth = {};
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    worth[size] = of(size, model, whole_cards, cpu_free);
  }
  return worth;
}

}  // namespace berth::engine
