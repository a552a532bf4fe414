// What is placed in a case of this comparison: nodes, and pods in order of arrival.
// Owns: fleets and arrival lists. Must never place a pod or know a policy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench/openb/trace.h"
#include "model/job.h"
#include "model/policy.h"

namespace berth::bench::speed {

struct Workload {
  std::vector<openb::Node> nodes;
  std::vector<openb::Pod> pods;
  std::vector<JobSpecPtr> specs;     // of each pod
  std::vector<std::int32_t> milli;   // GPU share that each pod asks for
  std::vector<std::uint32_t> order;  // of arrival, indexes into pods
  std::vector<MixEntry> typical;     // what FGD is told of the pods
  std::int64_t capacity_milli = 0;
};

// The fill protocol of openb: 1,213 nodes, the default trace, tuned to 130 %, seed 42.
Result<Workload> openb_workload(const std::string& folder);
// 10,000 nodes of 8 GPUs, 96 cores and 393,216 MiB; pods of the default trace, drawn with
// replacement until they ask for all GPUs.
Result<Workload> large_workload(const std::string& folder);
// The same with the CPU of each pod of the trace moved by up to 10 %: thousands of shapes.
Result<Workload> many_shapes_workload(const std::string& folder);

// The first `count` arrivals of a workload.
Workload head_of(Workload workload, std::size_t count);

}  // namespace berth::bench::speed
