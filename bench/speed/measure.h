// Runs a case and reads the clocks.
// Owns: what is timed and how. Time is CPU time of this thread; a decision's latency is wall time,
// from the arrival of a pod to its placement or refusal, with learning and prices when due.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/speed/driver.h"

namespace berth::bench::speed {

enum class Load { kFill, kChurn };

// Arrivals of a churn run.
inline constexpr std::size_t kChurnArrivals = 200'000;

struct Figures {
  double placements_per_s = 0;  // refusals' time included
  double refusals_per_s = 0;
  double alloc_pct = 0;
  double p50_us = 0;
  double p99_us = 0;
  double p999_us = 0;
};

// Best of `repeat` timed runs after one to warm up, and one more with a clock at each decision.
Result<Figures> measure(const Workload& workload, const Contestant& contestant, Load load,
                        std::size_t churn_arrivals, std::size_t repeat);

// One run without a clock.
Result<double> run_once(const Workload& workload, const Contestant& contestant, Load load,
                        std::size_t churn_arrivals);

// Load average of the machine per core; 0 when it cannot be found out.
double machine_load();

}  // namespace berth::bench::speed
