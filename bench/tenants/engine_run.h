// A sample through the product's own engine: a cycle after each instant at which a job arrives or
// ends. Each tenant is a queue whose guarantee is its own nodes; run times are not declared.
#pragma once

#include "base/error.h"
#include "bench/drive/engine_drive.h"
#include "bench/tenants/outcome.h"
#include "bench/tenants/protocol.h"
#include "model/policy.h"

namespace berth::bench::tenants {

struct EngineRun {
  Starts starts;
  EngineCost cost;
};

// An error of the engine, or where a job never starts.
Result<EngineRun> run_engine(const Sample& sample, const PolicySpec& policy);

}  // namespace berth::bench::tenants
