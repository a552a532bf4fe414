// The protocol: the jobs of Philly with their virtual clusters, which are the tenants; nodes of 8
// GPUs. At full size nothing waits, so the nodes of each tenant are divided by s (rounded up): 4 to
// 8. Jobs larger than their tenant's nodes are left out, so that alone and shared run the same set.
// A job of up to 8 GPUs runs on one node, a larger one on whole free nodes and one for its
// remainder, all or nothing; nothing is ever taken back. What ends at an instant ends before what
// arrives at it.
//
// Order 0 is the trace's own; in the others each submission is moved by up to a minute either way,
// and those of one second are shuffled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace berth::bench::tenants {

inline constexpr int kGpusPerNode = 8;
inline constexpr std::size_t kJittered = 5;  // orders besides the trace's own
inline constexpr std::size_t kTenants = 11;
inline constexpr std::size_t kJobsOfTenants = 82'229;

struct TraceJob {
  TimeMs at = 0;
  DurationMs run_ms = 0;
  int gpus = 0;
  std::size_t tenant = 0;
};

// As published.
struct Trace {
  std::vector<std::string> names;  // of tenants
  std::vector<int> nodes;          // of each tenant
  std::vector<TraceJob> jobs;      // by time
};

// One run's input: what every policy is given.
struct Sample {
  std::vector<std::string> names;
  std::vector<int> nodes;
  std::vector<TraceJob> jobs;  // by time; what is earlier in the list came earlier

  int all_nodes() const;
};

// How work that a reclaim takes off its cards is saved; kNone: nothing is ever taken.
enum class Saving : std::uint8_t { kNone, kOnRequest, kHourly };

struct CaseSpec {
  std::string name;  // "s5", "s5-reclaim", "s5-hourly"
  int divide = 1;
  Saving saving = Saving::kNone;
};
std::vector<CaseSpec> cases();

Sample make_sample(const Trace& trace, const CaseSpec& spec, std::uint64_t order);
// The same jobs of tenants that have exchanged their names.
Sample with_other_names(Sample sample);

}  // namespace berth::bench::tenants
