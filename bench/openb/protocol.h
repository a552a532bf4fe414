// The fill protocol of FGD (USENIX ATC'23): which pods arrive in which order, what counts as a
// typical pod, and how a run is read.
// Owns: arrival lists, typical pods and the reading of a run. Must never place a pod or know a
// policy: every policy is compared on the lists made here.
//
// Source of every rule: FGD artifact, hkust-adsl/kubernetes-scheduler-simulator commit 8f3d641.
// Its Go generator is not reproduced: means over ten seeds agree, single seeds do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "bench/openb/outcome.h"
#include "bench/openb/trace.h"

namespace berth::bench::openb {

inline constexpr std::uint64_t kFirstSeed = 42;
inline constexpr std::size_t kSeeds = 10;
inline constexpr std::int64_t kTuningPct = 130;  // requested GPUs / GPUs of the fleet

// Arrivals as indexes into `pods`, in order of arrival; a pod may arrive more than once. Sorted by
// name, shuffled, then tuned to 130 % of `capacity_milli`: filled up with random pods, or thinned.
// Fails if no pod asks for a GPU, since filling up would not end.
Outcome<std::vector<std::uint32_t>> arrivals(std::span<const Pod> pods, std::int64_t capacity_milli,
                                             std::uint64_t seed);

struct TypicalPod {
  PodShape shape;
  std::size_t count = 0;
  double weight = 0;  // of all typical pods together, 1
};

// Distinct shapes, most frequent first (smaller shape on ties), and their counts.
std::vector<TypicalPod> pod_shapes(std::span<const Pod> pods);

// The most frequent shapes that together cover 95 % of all pods, CPU-only pods included.
std::vector<TypicalPod> typical_pods(std::span<const Pod> pods);

// Reads a run: what was allocated when so much had arrived.
class AllocationCurve {
 public:
  explicit AllocationCurve(std::int64_t capacity_milli);

  // One call an arrival, placed or not, with the totals after it.
  void record(std::int64_t arrived_milli, std::int64_t allocated_milli);

  // Allocation in % of capacity at an arrival ratio in %: the mean over all arrivals whose ratio
  // rounds to it, or to one of its neighbours if there is none.
  Outcome<double> allocation_pct(std::int64_t arrived_pct) const;

 private:
  struct Sum {
    std::int64_t pct_hundredths = 0;
    std::int64_t count = 0;
  };

  std::int64_t capacity_milli_;
  std::map<std::int64_t, Sum> sums_;  // by rounded arrival ratio in %
};

}  // namespace berth::bench::openb
