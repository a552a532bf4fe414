// The two files of the comparison: the map of a fabric (alibaba/alibaba-lingjun-dataset-2023,
// data/topo.csv, commit 2ad3fd1) and the jobs of philly-sia (sim/trace/philly.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bench/topology/fabric.h"
#include "bench/topology/protocol.h"

namespace berth::bench::topology {

inline constexpr const char* kFabricFile = "alibaba-lingjun-2023/topo.csv";
inline constexpr const char* kJobsFile = "philly-sia/philly.csv";

// `source` names the text in errors. A row that cannot be used is an error.
Result<std::vector<HostRow>> parse_fabric(std::string_view text, std::string_view source);

// Both below `folder`; an error where a file has not as many rows as published.
Result<Fabric> read_fabric(const std::string& folder);
Result<std::vector<PoolJob>> read_pool(const std::string& folder);

}  // namespace berth::bench::topology
