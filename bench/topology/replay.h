// A sample under one of the plain rules.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "bench/topology/baselines.h"
#include "bench/topology/tally.h"

namespace berth::bench::topology {

// `seed`: of the random rule. An error where a job never fits.
Result<Figures> replay(const Fabric& fabric, const Sample& sample, Baseline rule,
                       std::uint64_t seed);

}  // namespace berth::bench::topology
