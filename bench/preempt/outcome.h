// What one run came to, in sums, so that the pools of a fleet add up; and the figures of a fleet.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace berth::bench::preempt {

// Card-hours.
struct Losses {
  double recompute = 0;   // work since the last checkpoint that is done again
  double checkpoint = 0;  // saving on request, suspending and resuming, restarting
  double drain = 0;       // under a lease that is being given back, doing nothing
  double idle = 0;        // free, promised to a job that waits for other cards to come free

  double sum() const { return recompute + checkpoint + drain + idle; }
  void add(const Losses& other);
};

struct Outcome {
  std::vector<DurationMs> urgent_waits;  // of jobs that came in the counted time
  std::vector<DurationMs> spot_waits;    // with all time after interruptions
  std::uint64_t evictions = 0;           // of jobs, in the counted time
  std::uint64_t periods = 0;             // guarantee periods that spot jobs ran through
  Losses lost;                           // of all reclaims
  double lost_silent = 0;                // of it, by jobs that never answer
  double own_saving = 0;                 // checkpoints that nobody asked for
  std::uint64_t beyond_bound = 0;        // jobs that lost more than checkpoint + restart each time
  double held = 0;                       // card-hours under a lease
  double capacity = 0;                   // card-hours there were
  double cpu_s = 0;

  void add(const Outcome& other);
};

struct Figures {
  double evictions = 0;
  double eviction_rate = 0;  // evictions / (evictions + periods)
  double lost_gpu_h = 0;
  double lost_recompute_gpu_h = 0;
  double lost_checkpoint_gpu_h = 0;
  double lost_drain_gpu_h = 0;
  double lost_silent_gpu_h = 0;
  double beyond_bound = 0;
  double spot_queue_mean_s = 0;
  double spot_queue_p99_s = 0;
  double hp_queue_mean_s = 0;
  double hp_queue_p99_s = 0;
  double hp_within_60s_pct = 0;
  double alloc_pct = 0;
  double useful_pct = 0;  // of the capacity: held and not lost or spent on checkpoints
  double cpu_s = 0;
};
Figures figures_of(const Outcome& outcome);

}  // namespace berth::bench::preempt
