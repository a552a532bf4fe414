#include "engine/sharing/regeometry.h"

#include <algorithm>
#include <bit>

namespace berth::engine {
namespace {

template <typename Use>
void for_each_placement(MigOccupancy mask, Use use) {
  for (; mask != 0; mask &= mask - 1) use(static_cast<std::uint8_t>(std::countr_zero(mask)));
}

std::int64_t slots_of(const MigGeometry& grid, std::uint8_t placement) {
  return std::popcount(grid.placement(MigPlacementIndex(placement)).slots);
}

// The same for each instance of a profile.
std::int64_t slots_of_profile(const MigGeometry& grid, std::size_t profile) {
  const MigOccupancy placements =
      grid.placements_of(MigProfileIndex(static_cast<std::uint8_t>(profile)));
  return slots_of(grid, static_cast<std::uint8_t>(std::countr_zero(placements)));
}

// How the instances of one profile change.
struct Turnover {
  std::int64_t came = 0;
  std::int64_t went = 0;
  std::int64_t went_open = 0;
};
using Turnovers = std::array<Turnover, kMaxMigProfiles>;

Turnovers turnovers(const MigGeometry& grid, const LayoutCard& card, MigOccupancy wanted) {
  Turnovers found{};
  const auto of = [&](std::uint8_t placement) -> Turnover& {
    return found[grid.placement(MigPlacementIndex(placement)).profile.value()];
  };
  for_each_placement(wanted & ~card.layout, [&](std::uint8_t p) { ++of(p).came; });
  for_each_placement(card.layout & ~wanted, [&](std::uint8_t p) { ++of(p).went; });
  for_each_placement(card.layout & ~wanted & ~card.busy,
                     [&](std::uint8_t p) { ++of(p).went_open; });
  return found;
}

// Until all that goes is free; kNever: never.
DurationMs drain_ms(const LayoutCard& card, MigOccupancy going) {
  DurationMs longest = 0;
  for_each_placement(going & card.busy,
                     [&](std::uint8_t p) { longest = std::max(longest, card.free_in[p]); });
  return longest;
}

bool keeps_what_is_used(const Turnover& turnover, const ProfileSupply& supply) {
  return supply.open + turnover.came - turnover.went >= 0 || turnover.went == 0;
}

}  // namespace

MigOccupancy layout_mask(std::span<const std::uint8_t> placements) {
  MigOccupancy layout = 0;
  for (const std::uint8_t placement : placements) {
    if (placement < kMaxMigPlacements) layout |= MigGeometry::bit(MigPlacementIndex(placement));
  }
  return layout;
}

std::vector<std::uint8_t> layout_placements(MigOccupancy layout) {
  std::vector<std::uint8_t> placements;
  for_each_placement(layout, [&](std::uint8_t p) { placements.push_back(p); });
  return placements;
}

std::optional<LayoutChoice> judge_layout(const MigGeometry& grid, const PoolSupply& pool,
                                         const LayoutCard& card, const LayoutTerms& terms,
                                         MigOccupancy wanted) {
  const MigOccupancy going = card.layout & ~wanted;
  const DurationMs drain = drain_ms(card, going);
  if (drain >= terms.window_ms - terms.switch_ms) return std::nullopt;
  const DurationMs delay = drain + terms.switch_ms;
  const Turnovers turnover = turnovers(grid, card, wanted);
  LayoutChoice choice{wanted, 0, 0};
  std::int64_t for_waiting = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(grid.profile_count()); ++p) {
    if (!keeps_what_is_used(turnover[p], pool[p])) return std::nullopt;
    const DurationMs before = pool[p].open * terms.window_ms;
    const DurationMs after = before - turnover[p].went_open * terms.window_ms +
                             turnover[p].came * (terms.window_ms - delay);
    const auto more = [&](DurationMs wanted_ms) {
      return slots_of_profile(grid, p) * (std::min(after, wanted_ms) - std::min(before, wanted_ms));
    };
    const std::int64_t waiting = more(pool[p].waiting);
    const std::int64_t all = more(pool[p].waiting + pool[p].expected);
    for_waiting += waiting;
    choice.gain += waiting + std::min<std::int64_t>(0, all - waiting);  // no gain on suspicion
  }
  if (for_waiting <= 0) return std::nullopt;
  for_each_placement(going, [&](std::uint8_t p) {
    const DurationMs lost = (card.busy >> p & 1) == 0 ? 0 : card.lost_ms[p];
    choice.cost += slots_of(grid, p) * (delay + lost);
  });
  return choice;
}

// A layout to which something can be added is never better than with it: no more goes and no less
// comes. So the maximal ones are all there is to look at.
std::optional<LayoutChoice> best_layout(const MigGeometry& grid, const PoolSupply& pool,
                                        const LayoutCard& card, const LayoutTerms& terms) {
  std::optional<LayoutChoice> best;
  const auto kept = [&](const LayoutChoice& choice) {
    return std::popcount(choice.layout & card.layout);
  };
  for (const MigOccupancy wanted : grid.maximal_sets()) {
    const auto choice = judge_layout(grid, pool, card, terms, wanted);
    if (!choice || choice->net() <= 0) continue;
    const bool better = !best || choice->net() > best->net() ||
                        (choice->net() == best->net() && kept(*choice) > kept(*best));
    if (better) best = choice;
  }
  return best;
}

}  // namespace berth::engine
