// The fast path beside the planner: replicas of services are placed at once on the live state while
// another thread plans on its own replica of the state, fed by the same events, without pause.
// Owns: both threads and what they hand each other. Must never let the live side wait for a plan.
#pragma once

#include <cstddef>

#include "bench/scale/cluster.h"
#include "bench/scale/jobs.h"
#include "bench/scale/quantiles.h"

namespace berth::bench::scale {

struct FastPath {
  Quantiles wall_us;  // from the arrival of a replica until its events are handed to the planner
  Quantiles cpu_us;   // the same in CPU time of the thread
  std::size_t placed = 0;
  std::size_t refused = 0;
  std::size_t plans = 0;  // made meanwhile
  std::size_t lost = 0;   // decisions of them that no longer held when they were committed
};

FastPath measure_fast_path(Cluster& live, Draws& draws);

}  // namespace berth::bench::scale
