// Reads the node and pod lists of the openb trace, and lists of the same format.
// Owns: the csv format and the checks on every field. Must never repair a bad row, order or filter
// rows, or look for files: the caller names the path.
//
// Format: hkust-adsl/kubernetes-scheduler-simulator, commit 8f3d641, data/csv.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/openb/outcome.h"

namespace berth::bench::openb {

inline constexpr std::int64_t kMilliPerGpu = 1000;

struct Node {
  std::string name;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpus = 0;
  std::string model;
};

// What the fill protocol tells pods apart by. Memory is not part of it, as in the artifact.
struct PodShape {
  std::int64_t cpu_milli = 0;
  std::int64_t num_gpu = 0;
  std::int64_t gpu_milli = 0;           // per GPU
  std::vector<std::string> gpu_models;  // allowed models, sorted, each once; empty allows any

  std::int64_t total_gpu_milli() const { return num_gpu * gpu_milli; }
  bool accepts(std::string_view model) const;
  auto operator<=>(const PodShape&) const = default;
};

// Columns that only some files have.
struct PodLife {
  std::string qos;
  std::string phase;
  std::int64_t creation_s = 0;
  std::int64_t deletion_s = 0;
  std::optional<std::int64_t> scheduled_s;  // absent: never scheduled
};

struct Pod {
  std::string name;
  PodShape shape;
  std::int64_t memory_mib = 0;
  std::optional<PodLife> life;
};

// Parse text; `source` names it in errors, as in "pods.csv line 7: ...".
Outcome<std::vector<Node>> parse_nodes(std::string_view text, std::string_view source);
Outcome<std::vector<Pod>> parse_pods(std::string_view text, std::string_view source);

// Read and parse a file of at most 64 MiB.
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
