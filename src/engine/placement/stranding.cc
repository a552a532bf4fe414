#include "engine/placement/stranding.h"

#include <algorithm>

namespace berth::engine {

std::int64_t Stranding::stranded(std::int64_t worth, CpuMilli cpu_free) const {
  if (worth <= 0 || lines_.empty()) return 0;
  // Beyond this no line is above 0, and the products stay within 64 bits.
  constexpr CpuMilli kPlenty = 1'000'000'000;
  const CpuMilli cpu = std::min(cpu_free, kPlenty);
  const std::int64_t per_card = cpu * kCardWorth / worth;
  // lines fall in cpu_per_card: the last that still covers `per_card` is the highest
  const auto beyond = std::partition_point(
      lines_.begin(), lines_.end(),
      [&](const StrandingLine& line) { return line.cpu_per_card >= per_card; });
  const auto at = static_cast<std::size_t>(beyond - lines_.begin());
  // thresholds were rounded, so the neighbours are looked at, too
  std::int64_t highest = 0;
  const std::size_t first = at >= 2 ? at - 2 : 0;
  for (std::size_t i = first; i < lines_.size() && i <= at; ++i) {
    highest = std::max(highest, value(i, worth, cpu));
  }
  return highest;
}

}  // namespace berth::engine
