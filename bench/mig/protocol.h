// The protocol: 100 cards of the A100-40GB grid in dynamic MIG mode; Poisson arrivals of single
// instances, exponential lifetimes with mean 1; offered memory load = arrival rate x mean slots /
// slots of the fleet. A job that does not fit when it arrives is refused: no queue, no
// reconfiguration cost. 40,000 arrivals, of which the first 8,000 are not counted.
//
// Measured: jobs accepted of those that arrived, and slots x lifetime accepted of those that
// arrived. Every policy sees the same arrivals; runs of one seed differ between loads in the rate
// alone. Ties go to the lowest card, then to the first start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learn/mig_grid.h"
#include "model/gpu_model.h"

namespace berth::bench::mig {

inline constexpr int kCards = 100;
inline constexpr int kArrivals = 40'000;
inline constexpr int kWarmUp = 8'000;
inline constexpr std::size_t kKinds = 6;
inline constexpr int kSlots[kKinds] = {1, 2, 2, 4, 4, 8};

// The card with the protocol's six profiles, in this order: 1g.5gb, 1g.10gb, 2g.10gb, 3g.20gb,
// 4g.20gb, 7g.40gb.
const GpuModel& card_model();
const learn::MigGrid& card_grid();

struct Mix {
  std::string name;
  std::vector<double> shares;  // of the six profiles; the sum is 1
};

std::vector<Mix> named_mixes();
// Dirichlet with all parameters 0.7.
Mix random_mix(std::uint64_t seed);

struct Trace {
  std::vector<std::uint8_t> kind;
  std::vector<double> life;
  // In time order. i: arrival i; ~i: the end of i, which counts if i was accepted.
  std::vector<std::int32_t> events;
};

struct Size {
  int arrivals = kArrivals;
  int warm_up = kWarmUp;
};

Trace make_trace(const Mix& mix, double load, Size size, std::uint64_t seed);

struct Score {
  double jobs = 0, all_jobs = 0;
  double memory = 0, all_memory = 0;  // slots x lifetime
  std::int64_t moves = 0;             // of counted jobs

  void note(const Trace& trace, std::int32_t job, Size size, bool accepted);
  double acceptance_pct() const { return 100 * jobs / all_jobs; }
  double memory_time_pct() const { return 100 * memory / all_memory; }
};

}  // namespace berth::bench::mig
