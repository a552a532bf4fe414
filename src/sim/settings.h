// Settings of a simulation run apart from its fleet, jobs and policy. Declared for users in
// simulation_codec.cc.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "control/controller.h"
#include "model/words.h"
#include "sim/workload/distribution.h"

namespace berth::sim {

// What the simulated nodes do with a lease.
struct ExecutorSpec {
  DurationSpec prepare;         // from the grant to the start barrier
  DurationSpec start_up;        // from the start barrier until the job works; its run begins then
  DurationMs release_ms = 0;    // from a revocation to the release
  Ppm prepare_failure_ppm = 0;  // part of the preparations that fail
  friend bool operator==(const ExecutorSpec&, const ExecutorSpec&) = default;
};

struct PlannerSpec {
  DurationMs debounce_ms = kSecondMs;  // least time between two cycles
  DurationMs delay_ms = 0;             // from the plan to its commit
  control::FastPath fast_path = control::FastPath::kInference;
  control::PlanOn plan_on = control::PlanOn::kReplica;
  std::uint32_t replicas = 1;  // that plan partitions at the same time
  friend bool operator==(const PlannerSpec&, const PlannerSpec&) = default;
};

struct SimSettings {
  std::uint64_t seed = 1;
  DurationMs duration_ms = 0;  // 0: until the last job has ended
  DurationMs sample_ms = 5 * kMinuteMs;
  ExecutorSpec executor;
  PlannerSpec planner;
  friend bool operator==(const SimSettings&, const SimSettings&) = default;
};

}  // namespace berth::sim

namespace berth {

BERTH_WORDS(control::FastPath, "inference", "every-class", "off");
BERTH_WORDS(control::PlanOn, "replica", "live-state");

}  // namespace berth
