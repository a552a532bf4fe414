// A made-up but plausible result of a day on 1,000 cards, for the tests of the reports. No
// scheduler ran: the numbers only look like what one would measure.
#pragma once

#include <cstdint>
#include <string>

#include "sim/run_result.h"

namespace berth::sim {

struct MadeUpRun {
  std::string policy = "berth";
  std::uint64_t seed = 7;
  double packing = 0.95;  // most of the fleet that the policy can fill
  DurationMs step_ms = kMinuteMs;
  std::int64_t steps = 24 * 60;
};

RunResult made_up_run(const MadeUpRun& options);

// A run of a few cards with every field set to a number of its own: for golden texts.
RunResult tiny_run();

}  // namespace berth::sim
