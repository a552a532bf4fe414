// Settings of a simulation run apart from its fleet, jobs and policy. Declared for users in
// simulation_codec.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
  Ppm straggler_ppm = 0;        // part of the killed tasks that hang
  DurationSpec straggle;        // how long those do
  DurationSpec layout;          // to make another MIG layout of a card
  Ppm layout_failure_ppm = 0;   // part of those that fail half-way
  friend bool operator==(const ExecutorSpec&, const ExecutorSpec&) = default;
};

// A uniform draw between two durations.
inline DurationSpec between(DurationMs least, DurationMs most) {
  DurationSpec spec;
  spec.kind = DurationKind::kQuantiles;
  spec.quantiles = {{0, least}, {1, most}};
  return spec;
}

// What fails by itself. The rates of cards and nodes are of the order that Llama 3's training run
// (2024: one interruption in 50,700 GPU-hours, three fifths of them GPUs) and Meta's research
// clusters (arXiv 2410.21680) report.
struct FailureSpec {
  double card_per_hour = 2e-5;                                   // each card
  double node_per_hour = 1e-5;                                   // a node, for each card
  Ppm reset_ppm = 700'000;                                       // repaired soon
  DurationSpec reset = between(10 * kMinuteMs, 30 * kMinuteMs);  // by a reset or reboot
  DurationSpec hold = between(24 * kHourMs, 5 * 24 * kHourMs);   // the rest: by people
  Ppm correlated_ppm = 80'000;             // part that takes all nodes of a domain
  std::string domain;                      // level of that domain; empty: the lowest above the node
  DurationMs give_up_ms = 30 * kMinuteMs;  // until the tasks of a lost node are known to be gone
  double crash_per_hour = 0;               // a job that works, by itself
  double spot_per_hour = 0;                // a node of a spot partition is taken away
  DurationMs notice_ms = 2 * kMinuteMs;    // before that
  DurationSpec away = between(10 * kMinuteMs, 2 * kHourMs);  // until it is back
  friend bool operator==(const FailureSpec&, const FailureSpec&) = default;
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
  std::optional<FailureSpec> failures;  // nothing fails without it
  friend bool operator==(const SimSettings&, const SimSettings&) = default;
};

}  // namespace berth::sim

namespace berth {

BERTH_WORDS(control::FastPath, "inference", "every-class", "off");
BERTH_WORDS(control::PlanOn, "replica", "live-state");

}  // namespace berth
