// One pool under one policy, played by the product's simulator. What taking back costs is in the
// specs of the jobs and in the model's rates of suspension.
//
// Measured on an H100 (own measurement): a process can be stopped from outside in 2 ms, its device
// memory comes out at 1.6 GiB/s (2.2 the second time) and goes in at 5.5 GiB/s. Here it comes out
// at 1.6 every time, 40 GiB of it on each card, or what the card has. Assumed: 256 GiB of host
// memory and 64 GiB of it for the job, for each card; a killed process is gone after a second. Jobs
// also save once an hour by themselves, under both models.
//
// Unlike in GFS's simulator a restart is paid only where a checkpoint is read, so not by a job that
// had none yet, and not by the one that takes.
#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "bench/preempt/outcome.h"
#include "bench/preempt/protocol.h"
#include "model/policy.h"
#include "sim/simulation.h"

namespace berth::bench::preempt {

// How the cards of a pool are promised.
enum class Split {
  kLent,   // all to urgent work, which lends what it does not use
  kFixed,  // each kind of work has a part of its own, and never more
};
inline constexpr double kFixedUrgentPart = 0.90;  // all that arrives at the busiest hour

struct Contestant {
  std::string name;
  PolicySpec policy;
  Split split = Split::kLent;
};

inline constexpr const char* kUrgentQueue = "urgent";
inline constexpr const char* kSpotQueue = "spot";

JobSpecPtr spec_of(const Arrival& job, const Pool& pool, CostModel cost);
// Of one card, in one interruption of a job that answers; 0: the model has no such bound.
DurationMs most_lost(const JobSpec& spec, CostModel cost);

sim::SimInput input_of(const Pool& pool, std::vector<Arrival> load, CostModel cost,
                       const Contestant& contestant);

Result<Outcome> play(const Pool& pool, std::vector<Arrival> load, CostModel cost,
                     const Contestant& contestant);

}  // namespace berth::bench::preempt
