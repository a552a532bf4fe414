// A sample through the product's own engine, with reclaim: work that is taken off its cards goes on
// later. Two ways of saving it: on request, where a job that is asked writes a checkpoint and then
// gives its cards back; and hourly, where it gives them back at once and does again what came
// after its last hour. A job that starts again works only after its restart.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "bench/drive/engine_drive.h"
#include "bench/tenants/outcome.h"
#include "bench/tenants/protocol.h"
#include "model/policy.h"

namespace berth::bench::tenants {

inline constexpr DurationMs kCheckpointMs = 60 * kSecondMs;
inline constexpr DurationMs kRestartMs = 60 * kSecondMs;

struct ReclaimRun {
  // Of each job: its end less its run time, so that all time in which it did nothing new counts as
  // waiting.
  Starts starts;
  EngineCost cost;
  std::uint64_t evictions = 0;
  double overhead_gpu_h = 0;  // checkpoints that were asked for, and restarts
  double redone_gpu_h = 0;
};

Result<ReclaimRun> run_with_reclaim(const Sample& sample, const PolicySpec& policy, Saving saving);

}  // namespace berth::bench::tenants
