// The two files of the comparison: the jobs of philly-sia and the nodes of their virtual clusters,
// philly-vc (sim/trace/philly.h).
#pragma once

#include <string>

#include "base/error.h"
#include "bench/tenants/protocol.h"

namespace berth::bench::tenants {

inline constexpr const char* kJobsFile = "philly-sia/philly.csv";
inline constexpr const char* kClustersFile = "philly-vc/philly_vc_nodes.csv";

// Both below `folder`; jobs of clusters that are not listed are left out. An error where a file has
// not as many rows as published.
Result<Trace> read_trace(const std::string& folder);

}  // namespace berth::bench::tenants
