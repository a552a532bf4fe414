// The arithmetic of cost rows: 32-bit costs of the lanes of a block, eight at a time, in the vector
// types of the compiler.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "engine/placement/slot_lanes.h"

namespace berth::engine {

inline constexpr std::int32_t kFar = kClosed / 2;  // costs from here on cannot be chosen
inline constexpr std::int32_t kDirty = -kClosed;
inline constexpr std::size_t kGroup = 16;  // bounds are padded to whole groups

inline constexpr std::size_t kWidth = 8;  // of a vector
using LaneVector [[gnu::vector_size(4 * kWidth)]] = std::int32_t;

template <typename Number>
LaneVector load(const Number* from) {
  static_assert(sizeof(Number) == 4);
  LaneVector v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
inline void store(LaneVector v, std::int32_t* to) { std::memcpy(to, &v, sizeof(v)); }
inline LaneVector all_of(std::int32_t number) { return LaneVector{} + number; }
inline LaneVector lesser(LaneVector a, LaneVector b) { return a < b ? a : b; }
inline LaneVector greater(LaneVector a, LaneVector b) { return a > b ? a : b; }

inline std::int32_t least_of(LaneVector v) {
  v = lesser(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
  v = lesser(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
  v = lesser(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
  return v[0];
}
inline std::int32_t most_of(LaneVector v) { return -least_of(-v); }

// Bit i is set where lane i is true.
inline std::uint32_t bits_of(LaneVector truth) {
#if defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(truth)));
#else
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kWidth; ++i) bits |= truth[i] != 0 ? 1U << i : 0;
  return bits;
#endif
}

// floor(price x part / 1024) in 32 bits: exact within kMostPrice and kMostPart. For a number or
// for lanes.
template <typename Part>
Part scaled(std::int32_t price, Part part) {
  return price * (part >> 10) + ((price * (part & 1023)) >> 10);
}

inline bool is_small(std::int64_t part) {
  return static_cast<std::uint64_t>(part + kMostPart) <= static_cast<std::uint64_t>(2 * kMostPart);
}

// What a row knows of the slots of a block.
struct alignas(64) LaneCosts {
  Lanes fixed = {};  // kClosed: the slot cannot serve the shape
  Lanes stranded = {};
  Stamps stamp = {};  // of the slots when looked at; 0: never
};

// What a slot must show to be worth a look.
struct LaneNeeds {
  std::int32_t cpu = 0;
  std::int32_t hole = 0;
  std::int32_t whole_cards = 0;
  std::int32_t memory = 0;
};

struct LaneSummary {
  std::int32_t least = kClosed;
  std::int32_t least_stranded = kClosed;
  std::int32_t most_stranded = -kClosed;
};

// Cost of each lane, `extra` included; kClosed where it has no nodes or too little host memory,
// cannot serve the shape, or was not looked at.
inline LaneSummary price(const LaneBlock& slots, const LaneCosts& known, const Lanes& extra,
                         std::int32_t cpu_price, std::int32_t memory, Lanes& cost) {
  LaneVector least = all_of(kClosed);
  LaneVector low = least;
  LaneVector high = -least;
  for (std::size_t i = 0; i < kLanes; i += kWidth) {
    const LaneVector fixed = load(&known.fixed[i]);
    const LaneVector stranded = load(&known.stranded[i]);
    const LaneVector open = (load(&known.stamp[i]) == load(&slots.stamp[i])) & (fixed != kClosed) &
                            (load(&slots.memory[i]) >= memory);
    const LaneVector shut = open ? load(&slots.shut[i]) : all_of(kClosed);
    const LaneVector sure = fixed + scaled(cpu_price, stranded) + load(&extra[i]);
    const LaneVector c = greater(sure, shut);
    store(c, &cost[i]);
    least = lesser(least, c);
    low = lesser(low, greater(stranded, shut));
    high = greater(high, lesser(stranded, -shut));
  }
  return {least_of(least), least_of(low), most_of(high)};
}

// Lanes that have nodes, show what the shape needs at least, and were not looked at.
inline std::uint32_t unknown_lanes(const LaneBlock& slots, const LaneCosts& known,
                                   const LaneNeeds& needs) {
  std::uint32_t lanes = 0;
  for (std::size_t i = 0; i < kLanes; i += kWidth) {
    const LaneVector fits = (load(&slots.cpu[i]) >= needs.cpu) &
                            (load(&slots.hole[i]) >= needs.hole) &
                            (load(&slots.whole_cards[i]) >= needs.whole_cards) &
                            (load(&slots.memory[i]) >= needs.memory) & (load(&slots.shut[i]) < 0);
    const LaneVector unknown = fits & (load(&known.stamp[i]) != load(&slots.stamp[i]));
    lanes |= bits_of(unknown) << i;
  }
  return lanes;
}

// Lanes that cost at most `limit` and have the CPU and the memory.
inline std::uint32_t affordable_lanes(const LaneBlock& slots, const Lanes& cost, std::int32_t limit,
                                      std::int32_t cpu, std::int32_t memory) {
  std::uint32_t lanes = 0;
  for (std::size_t i = 0; i < kLanes; i += kWidth) {
    lanes |= bits_of((load(&cost[i]) <= limit) & (load(&slots.cpu[i]) >= cpu) &
                     (load(&slots.memory[i]) >= memory))
             << i;
  }
  return lanes;
}

// Least cost among the lanes that have at least `wanted` CPU.
inline std::int32_t least_with(const Lanes& cpu, std::int32_t wanted, const Lanes& cost) {
  LaneVector least = all_of(kClosed);
  for (std::size_t i = 0; i < kLanes; i += kWidth) {
    const LaneVector enough = load(&cpu[i]) >= wanted;
    least = lesser(least, enough ? load(&cost[i]) : all_of(kClosed));
  }
  return least_of(least);
}

inline std::size_t first_of(std::uint32_t& mask) {
  const auto at = static_cast<std::size_t>(std::countr_zero(mask));
  mask &= mask - 1;
  return at;
}

}  // namespace berth::engine
