// The protocol: sizes and run times drawn together, uniformly with replacement, from the jobs of
// philly-sia, run times cut at three days; Poisson arrivals, stretched so that the work of the
// sample is exactly `load` of what the fleet could do until its last arrival. The first third of
// the jobs is not counted. First come, first served, with backfill over the whole list; a job up
// to 8 GPUs runs on one host, a larger one on whole free hosts and one host for its remainder. A
// gang is a job of more than 8 GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/topology/fabric.h"

namespace berth::bench::topology {

inline constexpr std::size_t kSeeds = 12;  // the figures of three depend much on the seeds
inline constexpr std::uint64_t kFirstSeed = 1;
inline constexpr DurationMs kLongestRun = 72 * kHourMs;

// A job that may be drawn.
struct PoolJob {
  int gpus = 0;
  DurationMs run_ms = 0;
};

struct Arrival {
  int gpus = 0;
  DurationMs run_ms = 0;
  TimeMs at = 0;

  bool is_gang() const { return gpus > kCardsPerHost; }
  int whole_hosts() const { return gpus / kCardsPerHost; }
  int remainder() const { return gpus % kCardsPerHost; }
  int hosts() const { return whole_hosts() + (remainder() > 0 ? 1 : 0); }
};

using Sample = std::vector<Arrival>;  // by time
inline std::size_t first_counted(const Sample& sample) { return sample.size() / 3; }

struct CaseSpec {
  std::string name;  // "P/0.85"
  int least_gpus = 1;
  std::size_t jobs = 0;
  double load = 0;
};
std::vector<CaseSpec> cases();

// The pool must hold a job of the case.
Sample make_sample(std::span<const PoolJob> pool, const CaseSpec& spec, std::size_t cards,
                   std::uint64_t seed);

}  // namespace berth::bench::topology
