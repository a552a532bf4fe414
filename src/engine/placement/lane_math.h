// The arithmetic of cost rows: 32-bit costs of the lanes of a block, in loops that compilers turn
// into vector code.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/placement/slot_lanes.h"

namespace berth::engine {

inline constexpr std::int32_t kClosed = 1 << 30;
inline constexpr std::int32_t kFar = kClosed / 2;  // costs from here on cannot be chosen
inline constexpr std::int32_t kDirty = -kClosed;
inline constexpr std::size_t kGroup = 16;  // bounds are padded to whole groups

// floor(price x part / 1024) in 32 bits: exact within kMostPrice and kMostPart.
inline std::int32_t scaled(std::int32_t price, std::int32_t part) {
  return price * (part >> 10) + ((price * (part & 1023)) >> 10);
}

inline bool is_small(std::int64_t part) {
  return static_cast<std::uint64_t>(part + kMostPart) <= static_cast<std::uint64_t>(2 * kMostPart);
}

struct LaneSummary {
  std::int32_t least = kClosed;
  std::int32_t least_stranded = kClosed;
  std::int32_t most_stranded = -kClosed;
};

// Cost of each lane, kClosed where it has no nodes or cannot serve the shape.
inline LaneSummary price(const std::int32_t* __restrict fixed,
                         const std::int32_t* __restrict stranded,
                         const std::int32_t* __restrict extra,
                         const std::uint32_t* __restrict counts, std::int32_t cpu_price,
                         std::int32_t* __restrict cost) {
  std::int32_t shut[kLanes];  // kClosed, or the least number: what the cost is at least
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::int32_t empty = counts[i] == 0 ? kClosed : -kClosed;
    shut[i] = std::max(empty, fixed[i] == kClosed ? kClosed : -kClosed);
  }
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::int32_t sure = fixed[i] + scaled(cpu_price, stranded[i]) + extra[i];
    cost[i] = std::max(sure, shut[i]);
  }
  LaneSummary sum;
  for (std::size_t i = 0; i < kLanes; ++i) sum.least = std::min(sum.least, cost[i]);
  for (std::size_t i = 0; i < kLanes; ++i) {
    sum.least_stranded = std::min(sum.least_stranded, std::max(stranded[i], shut[i]));
    sum.most_stranded = std::max(sum.most_stranded, std::min(stranded[i], -shut[i]));
  }
  return sum;
}

inline std::size_t first_of(std::uint32_t& mask) {
  const auto at = static_cast<std::size_t>(std::countr_zero(mask));
  mask &= mask - 1;
  return at;
}

}  // namespace berth::engine
