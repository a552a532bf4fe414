// The generator files of Kueue's scheduler performance rig (kubernetes-sigs/kueue,
// test/performance/scheduler/configs/*/generator.yaml, commit ff69552e79), read as they are.
// Cohorts of queues; each queue creates the workloads of all its sets in parallel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace berth::bench::quota {

// How the pods of a workload lie to a level of the topology: all in one domain, in one where
// possible, or in slices that are each in one.
enum class Constraint : std::uint8_t { kNone, kRequired, kPreferred, kBalanced };

struct WorkloadTemplate {
  std::string class_name;
  DurationMs runtime_ms = 0;
  std::int32_t priority = 0;
  CpuMilli request_milli = 0;  // of each pod
  std::uint32_t pods = 1;
  Constraint constraint = Constraint::kNone;
  std::string level;             // label of the topology level
  std::uint32_t slice_pods = 0;  // balanced only

  CpuMilli total_milli() const { return request_milli * pods; }
  friend bool operator==(const WorkloadTemplate&, const WorkloadTemplate&) = default;
};

// `count` times: sleep the interval, then create one of each workload.
struct WorkloadSet {
  std::uint32_t count = 0;
  DurationMs interval_ms = 0;
  std::vector<WorkloadTemplate> workloads;
  friend bool operator==(const WorkloadSet&, const WorkloadSet&) = default;
};

struct QueueSet {
  std::string class_name;
  std::uint32_t count = 0;
  CpuMilli nominal_milli = 0;
  std::optional<CpuMilli> borrowing_milli;  // absent: unbounded
  // Kueue's rules of preemption; read, as the format has them, and not used.
  std::string reclaim_within_cohort;
  std::string within_cluster_queue;
  std::vector<WorkloadSet> workload_sets;
  friend bool operator==(const QueueSet&, const QueueSet&) = default;
};

struct CohortSet {
  std::string class_name;
  std::uint32_t count = 0;
  std::vector<QueueSet> queue_sets;

  CpuMilli nominal_milli() const;  // of one cohort
  friend bool operator==(const CohortSet&, const CohortSet&) = default;
};

// What a node of the lowest level has.
struct NodeCapacity {
  CpuMilli cpu_milli = 0;
  Mib memory_mib = 0;
  friend bool operator==(const NodeCapacity&, const NodeCapacity&) = default;
};

struct TopologyLevel {
  std::string name;
  std::uint32_t count = 1;  // in each domain of the level above
  std::string label;
  NodeCapacity capacity;  // of the lowest level
  friend bool operator==(const TopologyLevel&, const TopologyLevel&) = default;
};

struct TopologyShape {
  std::string name;
  std::vector<TopologyLevel> levels;  // from the root to the node; empty: none
  friend bool operator==(const TopologyShape&, const TopologyShape&) = default;
};

struct ResourceFlavor {
  std::string name;
  std::string node_label;
  std::string topology_name;
  friend bool operator==(const ResourceFlavor&, const ResourceFlavor&) = default;
};

struct Generator {
  TopologyShape topology;
  ResourceFlavor flavor;
  std::vector<CohortSet> cohorts;

  CpuMilli nominal_milli() const;  // of all cohorts
};

// `source` names the text in the error, which holds all that is wrong with it.
Result<Generator> parse_generator(std::string_view yaml, const std::string& source);
Result<Generator> read_generator(const std::string& path);

}  // namespace berth::bench::quota
