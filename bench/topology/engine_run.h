// A sample through the product's own engine: a cycle after each instant at which a job arrives or
// ends.
#pragma once

#include "base/error.h"
#include "bench/drive/engine_drive.h"
#include "bench/topology/tally.h"
#include "model/policy.h"

namespace berth::bench::topology {

struct EngineRun {
  Figures figures;
  EngineCost cost;
};

// An error of the engine, or where a job never starts.
Result<EngineRun> run_engine(const Fabric& fabric, const Sample& sample, const PolicySpec& policy);

}  // namespace berth::bench::topology
