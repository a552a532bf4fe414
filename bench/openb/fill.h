// One run of the fill protocol: the pods of an arrival list, one by one, through the product's
// engine. A pod that does not fit when it arrives is dropped; nothing ends or moves.
// Owns: one run and its reading. Must never decide where a pod goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/openb/contestants.h"
#include "bench/openb/outcome.h"
#include "bench/openb/trace.h"
#include "model/job.h"
#include "model/policy.h"

namespace berth::bench::openb {

// A trace, prepared once for all its runs.
struct FillInput {
  std::vector<Node> nodes;
  std::vector<Pod> pods;
  std::vector<JobSpecPtr> specs;  // of each pod
  std::vector<MixEntry> typical;  // covers 95 % of the pods
  std::vector<MixEntry> whole;
  std::int64_t capacity_milli = 0;
};

FillInput prepare(std::vector<Node> nodes, std::vector<Pod> pods);

struct FillRun {
  double alloc_pct_at_100 = 0;
  double alloc_pct_at_130 = 0;
  // GPU share that typical pods cannot use, in % of the fleet's; the amount of the publication.
  double frag_pct_at_100 = 0;
  std::size_t placed = 0;
  std::size_t refused = 0;
};

// `order` holds indexes into the input's pods.
Outcome<FillRun> fill(const FillInput& input, const Contestant& contestant,
                      std::span<const std::uint32_t> order);

}  // namespace berth::bench::openb
