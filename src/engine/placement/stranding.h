// Stranding: how much of a node's free card worth its free CPU cannot feed, in expectation over the
// demand mix. Convex and piecewise linear in (worth, CPU): the highest of some lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "model/policy.h"

namespace berth::engine {

class Stranding {
 public:
  explicit Stranding(const std::vector<StrandingLine>& lines) : lines_{{}} {
    lines_.insert(lines_.end(), lines.begin(), lines.end());
    std::size_t at = lines_.size() - 1;
    for (std::size_t b = 0; b < kBuckets; ++b) {
      const auto per_card = static_cast<CpuMilli>(b * kBucket);
      while (at > 0 && lines_[at].cpu_per_card < per_card) --at;
      start_[b] = static_cast<std::uint32_t>(at);
    }
  }

  // Both in units of kCardWorth a card; the result is from 0 to `worth`.
  std::int64_t stranded(std::int64_t worth, CpuMilli cpu_free) const {
    if (worth <= 0) return 0;
    // Beyond this no line is above 0, and the products stay within 64 bits.
    constexpr CpuMilli kPlenty = 1'000'000'000;
    const CpuMilli cpu = std::clamp<CpuMilli>(cpu_free, 0, kPlenty);
    const auto per_card =
        static_cast<std::uint64_t>(cpu * kCardWorth) / static_cast<std::uint64_t>(worth) / kBucket;
    std::size_t at = start_[std::min<std::size_t>(per_card, kBuckets - 1)];
    std::int64_t highest = value(at, worth, cpu);
    for (; at > 0 && value(at - 1, worth, cpu) > highest; --at) {
      highest = value(at - 1, worth, cpu);
    }
    for (; at + 1 < lines_.size() && value(at + 1, worth, cpu) > highest; ++at) {
      highest = value(at + 1, worth, cpu);
    }
    return highest / 65536;
  }

 private:
  static constexpr std::size_t kBuckets = 512;
  static constexpr std::size_t kBucket = 128;  // CPU millis for a card's worth

  std::int64_t value(std::size_t line, std::int64_t worth, CpuMilli cpu_free) const {
    return worth * lines_[line].worth_weight - cpu_free * lines_[line].cpu_weight;
  }
  // The first is 0 everywhere; after it cpu_per_card falls.
  std::vector<StrandingLine> lines_;
  std::array<std::uint32_t, kBuckets> start_;  // where to begin, by free CPU for a card's worth
};

}  // namespace berth::engine
