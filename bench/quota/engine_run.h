// A generator file through the product's own engine, in virtual time: a cycle after each instant at
// which a workload is created or ends.
#pragma once

#include "bench/drive/engine_drive.h"
#include "bench/quota/outcome.h"

namespace berth::bench::quota {

struct EngineRun {
  Outcome outcome;
  EngineCost cost;
};

// An error of the engine, or where a workload is never admitted.
Result<EngineRun> run_engine(const Generator& generator);

}  // namespace berth::bench::quota
