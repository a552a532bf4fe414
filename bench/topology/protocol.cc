#include "bench/topology/protocol.h"

#include <cmath>
#include <random>

namespace berth::bench::topology {
namespace {

constexpr std::size_t kAllJobs = 300'000;
constexpr std::size_t kGangJobs = 30'000;

// In (0, 1); spelled out, as the library's distributions differ between libraries.
double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
}

}  // namespace

std::vector<CaseSpec> cases() {
  return {{"P/0.85", 1, kAllJobs, 0.85},
          {"P/0.95", 1, kAllJobs, 0.95},
          {"G/0.85", kCardsPerHost, kGangJobs, 0.85},
          {"G/0.95", kCardsPerHost, kGangJobs, 0.95}};
}

// The loads of one seed differ in the stretching alone.
Sample make_sample(std::span<const PoolJob> pool, const CaseSpec& spec, std::size_t cards,
                   std::uint64_t seed) {
  std::vector<PoolJob> chosen;
  for (const PoolJob& job : pool) {
    if (job.gpus >= spec.least_gpus) chosen.push_back(job);
  }
  std::mt19937_64 random(seed);
  Sample sample;
  std::vector<double> at;
  double clock = 0;
  double work = 0;
  for (std::size_t i = 0; i < spec.jobs; ++i) {
    const PoolJob& job = chosen[random() % chosen.size()];
    clock -= std::log(uniform(random));
    at.push_back(clock);
    work += static_cast<double>(job.gpus) * static_cast<double>(job.run_ms);
    sample.push_back({job.gpus, job.run_ms, 0});
  }
  const double stretch = work / (spec.load * static_cast<double>(cards)) / clock;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i].at = static_cast<TimeMs>(std::llround(at[i] * stretch));
  }
  return sample;
}

}  // namespace berth::bench::topology
