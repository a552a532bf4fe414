// The node and pod lists of the openb trace, and lists of the same format. Owns the csv format and
// the checks of every field. Must never repair a bad row, order or filter rows, or look for files.
//
// Format: hkust-adsl/kubernetes-scheduler-simulator, commit 8f3d641, data/csv.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/fleet.h"
#include "model/gpu_model.h"
#include "sim/job_source.h"
#include "sim/trace/csv.h"
#include "sim/workload/workload.h"

namespace berth::sim::openb {

inline constexpr std::int64_t kMilliPerGpu = 1000;

struct Node {
  std::string name;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpus = 0;
  std::string model;
};

// What fill protocols tell pods apart by. Memory is not part of it, as in the artifact.
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

// `source` names the text in errors, as in "pods.csv line 7: ...".
Result<Rows<Node>> parse_nodes(std::string_view text, std::string_view source, BadRows bad_rows);
Result<Rows<Pod>> parse_pods(std::string_view text, std::string_view source, BadRows bad_rows);

// As nodes of a fleet. Models are called as in the trace; see `gpu_models`.
std::vector<NodeSpec> nodes_of(const std::vector<Node>& nodes);
// The trace's models; the two undisclosed ones (G2, G3) have a memory that never binds.
std::vector<GpuModel> gpu_models();
// As jobs, from creation to deletion. Refuses lists without times.
Result<std::vector<SimJob>> jobs_of(const std::vector<Pod>& pods, const TraceSpec& trace);

}  // namespace berth::sim::openb
