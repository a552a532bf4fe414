// Free migration: any accepted jobs may be repacked over the whole fleet at any moment, at no cost.
// Greedy admission under it is a reference, not a proven bound: keeping more large jobs costs
// acceptance.
#pragma once

#include <array>

#include "bench/mig/protocol.h"

namespace berth::bench::mig {

// Whether so many of each kind fit on `cards` cards together.
bool packs(const std::array<int, kKinds>& jobs, int cards);

Score run_free_migration(const Trace& trace, Size size);

}  // namespace berth::bench::mig
