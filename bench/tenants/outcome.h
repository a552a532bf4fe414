// What a run comes to: how long the jobs waited, together and per tenant.
// Owns: the measures. Must never run anything.
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"
#include "bench/tenants/protocol.h"

namespace berth::bench::tenants {

using Starts = std::vector<TimeMs>;  // of each job of the sample

struct Outcome {
  double mean_s = 0;
  double p99_s = 0;
  double max_s = 0;
  std::vector<double> tenant_mean_s;  // 0 of a tenant without jobs
};

Outcome outcome_of(const Sample& sample, const Starts& starts);

// Tenants that waited longer on average than in `alone`.
std::size_t tenants_worse(const Outcome& outcome, const Outcome& alone);
// Of the tenant that comes closest to that or is worst off: its mean over that of `alone`.
double closest_ratio(const Outcome& outcome, const Outcome& alone);

}  // namespace berth::bench::tenants
