// Weighted max-min division of one amount among claims, in whole units.
//
// It owns the rounding, and knows nothing of queues, guarantees or trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace berth::engine {

struct MaxMinClaim {
  std::int64_t weight = 1;   // 0: gets only what claims with a weight leave over
  CardUnits room = 0;        // most it can take
  CardUnits head_start = 0;  // counted as if held already
};

// What each claim takes of `amount`, in the order of `claims`; all of it, or all that there is room
// for. Every number is >= 0.
//
// The largest of (head_start + share) / weight is as small as it can be, then the second largest,
// and so on: units go one by one to the claim that would stand lowest with one more (so one more
// unit would put whoever envies another at or above it). Nobody gets less than its exact,
// fractional share rounded down. Where two would stand equally low, the larger weight is served
// first, then the earlier claim; nothing else depends on the order of the claims. More weight, more
// room or a larger amount never lowers a share.
//
// Claims without weight divide what is left equally. Weights that add up to 2^44 or more (as card
// units: seven million cards) are halved together until they do not, and none below 1; only then
// are shares not exact in the weights. Up to 2^20 claims. Broken preconditions stop the program.
// O(n log n).
std::vector<CardUnits> weighted_max_min(std::span<const MaxMinClaim> claims, CardUnits amount);

}  // namespace berth::engine
