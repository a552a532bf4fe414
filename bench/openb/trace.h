// The node and pod lists of the openb trace for the fill protocol: whole lists or an error.
// Owns: the table of the published lists. The format is the simulator's (sim/trace/openb.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/openb/outcome.h"
#include "sim/trace/openb.h"

namespace berth::bench::openb {

using sim::openb::kMilliPerGpu;
using sim::openb::Node;
using sim::openb::Pod;
using sim::openb::PodLife;
using sim::openb::PodShape;

// Parse text; `source` names it in errors, as in "pods.csv line 7: ...".
Outcome<std::vector<Node>> parse_nodes(std::string_view text, std::string_view source);
Outcome<std::vector<Pod>> parse_pods(std::string_view text, std::string_view source);

// Read and parse a file.
Outcome<std::vector<Node>> read_nodes(const std::string& path);
Outcome<std::vector<Pod>> read_pods(const std::string& path);

std::int64_t gpu_capacity_milli(std::span<const Node> nodes);

struct BuiltInTrace {
  std::string_view name;
  std::string_view file;
  std::size_t rows;
};

inline constexpr std::string_view kNodeListFile = "openb_node_list_gpu_node.csv";
inline constexpr std::size_t kNodeListRows = 1213;

// The seventeen pod lists of the FGD evaluation, in the order of its tables.
std::span<const BuiltInTrace> built_in_traces();

// Read a list whose row count is known: a truncated or edited copy is an error, never a result.
Outcome<std::vector<Node>> read_built_in_nodes(const std::string& folder);
Outcome<std::vector<Pod>> read_built_in_pods(const std::string& folder, const BuiltInTrace& trace);

}  // namespace berth::bench::openb
