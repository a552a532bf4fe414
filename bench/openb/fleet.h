// The trace in the product's own terms: nodes, GPU models, jobs and demand mixes.
// Owns: the translation. Must never change an amount of the trace or know a policy.
//
// Shares of a card are time-slices that account no memory, because the trace states none. The
// trace's GPU models are data-centre cards, two of them undisclosed; only their names matter here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/openb/protocol.h"
#include "bench/openb/trace.h"
#include "model/fleet.h"
#include "model/gpu_model.h"
#include "model/job.h"
#include "model/policy.h"

namespace berth::bench::openb {

inline constexpr const char* kQueue = "openb";

// One stand-in for each name among nodes and pods, sorted.
std::vector<GpuModel> gpu_models(std::span<const Node> nodes, std::span<const Pod> pods);

NodeSpec node_spec(const Node& node);

// One spec for each pod; equal pods share theirs.
std::vector<JobSpecPtr> job_specs(std::span<const Pod> pods);

// What a mix tells shapes apart by: all but host memory.
std::vector<MixEntry> mix_of(std::span<const TypicalPod> shapes);

}  // namespace berth::bench::openb
