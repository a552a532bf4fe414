// The fleet and its tenants at a given size: nodes in leaves and pods, queues in a tree of three
// levels with guarantees and limits.
// Owns: what exists before the first job. Must never draw a job.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/fleet.h"
#include "model/gpu_model.h"

namespace berth::bench::scale {

inline constexpr const char* kHopper = "H100-SXM5-80GB";
inline constexpr const char* kAmpere = "A100-SXM4-80GB";  // in some pods cut into MIG instances
inline constexpr const char* kAda = "L40S";

inline constexpr std::size_t kPods = 32;
inline constexpr std::size_t kNodesPerLeaf = 16;
inline constexpr std::size_t kCardsPerNode = 8;
inline constexpr std::size_t kOrganisations = 20;
inline constexpr std::size_t kTeams = 5;      // of each organisation
inline constexpr std::size_t kProjects = 10;  // of each team; jobs are theirs

// How large everything is. The figures asked for are at 16,384 nodes; smaller ones keep the
// proportions of jobs to nodes, and the queues.
struct Size {
  std::size_t nodes = 16'384;  // a multiple of kPods * kNodesPerLeaf

  std::size_t cards() const { return nodes * kCardsPerNode; }
  std::size_t running() const { return nodes * 100'000 / 16'384; }  // tasks
  std::size_t pending() const { return nodes * 50'000 / 16'384; }   // jobs
};

struct Tenants {
  std::vector<GpuModel> models;
  TopologySpec topology;
  std::vector<QueueSpec> queues;  // parents first
  std::vector<std::string> projects;
  std::vector<NodeSpec> nodes;
};

// Reads the GPU models from the data folder.
Result<Tenants> tenants_of(const Size& size);

}  // namespace berth::bench::scale
