// The two files of the comparison: the nodes of alibaba/clusterdata,
// cluster-trace-v2026-spot-gpu/node_info_df.csv, commit 7a6c496 (GFS, ASPLOS'26), and the jobs of
// philly-sia (sim/trace/philly.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bench/preempt/protocol.h"

namespace berth::bench::preempt {

inline constexpr const char* kNodesFile = "alibaba-spot-2026/node_info_df.csv";
inline constexpr const char* kJobsFile = "philly-sia/philly.csv";

// `source` names the text in errors. A row that cannot be used is an error. The largest pool first.
Result<std::vector<Pool>> parse_pools(std::string_view text, std::string_view source);

// Both below `folder`; an error where a file has not as many rows as published.
Result<std::vector<Pool>> read_pools(const std::string& folder);
Result<std::vector<PoolJob>> read_jobs(const std::string& folder);

}  // namespace berth::bench::preempt
