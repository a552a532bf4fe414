// Stranding: how much of a node's free card worth its free CPU cannot feed, in expectation over the
// demand mix. Convex and piecewise linear in (worth, CPU).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "model/policy.h"

namespace berth::engine {

class Stranding {
 public:
  explicit Stranding(const std::vector<StrandingLine>& lines)
      : lines_(lines), top_step_(std::bit_floor(lines.size())) {}

  // Both in units of kCardWorth a card; the result is from 0 to `worth`. O(log lines).
  std::int64_t stranded(std::int64_t worth, CpuMilli cpu_free) const {
    if (worth <= 0 || lines_.empty()) return 0;
    // Beyond this no line is above 0, and the products stay within 64 bits.
    constexpr CpuMilli kPlenty = 1'000'000'000;
    const CpuMilli cpu = std::min(cpu_free, kPlenty);
    const std::int64_t per_card = cpu * kCardWorth / worth;
    // lines fall in cpu_per_card: the last that still covers `per_card` is the highest
    std::size_t at = 0;
    for (std::size_t step = top_step_; step > 0; step /= 2) {
      if (at + step <= lines_.size() && lines_[at + step - 1].cpu_per_card >= per_card) at += step;
    }
    // thresholds were rounded, so the neighbours are looked at, too
    std::int64_t highest = 0;
    const std::size_t last = std::min(at + 1, lines_.size());
    for (std::size_t i = at >= 2 ? at - 2 : 0; i < last; ++i) {
      highest = std::max(highest, value(i, worth, cpu));
    }
    return highest;
  }

 private:
  std::int64_t value(std::size_t line, std::int64_t worth, CpuMilli cpu_free) const {
    return (worth * lines_[line].worth_weight - cpu_free * lines_[line].cpu_weight) / 65536;
  }
  std::vector<StrandingLine> lines_;
  std::size_t top_step_ = 0;  // of the binary search
};

}  // namespace berth::engine
