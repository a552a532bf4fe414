// One reclaim: what it takes and how long that took.
#pragma once

#include <cstdint>

#include "bench/reclaim/fleet.h"
#include "engine/cycle/engine.h"

namespace berth::bench::reclaim {

struct Outcome {
  double build_ms = 0;      // CPU: the engine from the bytes of the state, with all its indexes
  double plan_ms = 0;       // CPU: the cycle of that engine, which remembers nothing
  std::size_t victims = 0;  // jobs
  std::size_t cards = 0;    // that they give
  std::size_t tasks = 0;    // of the gang, placed
  double price = 0;         // in GPU-hours
};

// Stops the program where no reclaim is decided.
Outcome measure(const CaseSpec& spec, std::uint64_t seed);

}  // namespace berth::bench::reclaim
