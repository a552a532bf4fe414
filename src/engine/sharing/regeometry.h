// Layouts of cards whose MIG layout is static, and which one a card should take: the layout that
// serves most of what waits within a time, less what the change costs. Knows cards, profiles and
// numbers of instances; nodes, jobs and policies are the caller's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "engine/sharing/mig_geometry.h"

namespace berth::engine {

MigOccupancy layout_mask(std::span<const std::uint8_t> placements);
std::vector<std::uint8_t> layout_placements(MigOccupancy layout);

// What a pool has of one profile and what is wanted of it. Times are sums over instances.
struct ProfileSupply {
  std::int64_t open = 0;    // instances that nobody uses
  DurationMs waiting = 0;   // of work that waits for an instance, within the window
  DurationMs expected = 0;  // of work that is likely to come within it: only its loss counts
};
using PoolSupply = std::array<ProfileSupply, kMaxMigProfiles>;

// A card that could change. Arrays go by placement.
struct LayoutCard {
  MigOccupancy layout = 0;
  MigOccupancy busy = 0;                                // of the layout: instances in use
  std::array<DurationMs, kMaxMigPlacements> free_in{};  // until a busy one is free; kNever: never
  std::array<DurationMs, kMaxMigPlacements> lost_ms{};  // work that is lost where it must leave
};

struct LayoutTerms {
  DurationMs window_ms = 0;  // that the change must pay off in
  DurationMs switch_ms = 0;  // for the node to carry it out
};

// In memory slots x ms.
struct LayoutChoice {
  MigOccupancy layout = 0;
  std::int64_t gain = 0;
  std::int64_t cost = 0;

  std::int64_t net() const { return gain - cost; }
};

// What it brings to give the card another layout; nothing where instances that are to go do not
// come free within the window, where nothing that waits is served by it, or where the pool would
// have fewer instances of a profile than are in use.
std::optional<LayoutChoice> judge_layout(const MigGeometry& grid, const PoolSupply& pool,
                                         const LayoutCard& card, const LayoutTerms& terms,
                                         MigOccupancy wanted);

// The layout that brings most and more than it costs, among all that the grid allows; of equal ones
// that which keeps most, then the lowest. O(maximal sets)
std::optional<LayoutChoice> best_layout(const MigGeometry& grid, const PoolSupply& pool,
                                        const LayoutCard& card, const LayoutTerms& terms);

}  // namespace berth::engine
