// A generator file in the product's terms. A cohort is a root queue whose limit is the sum of its
// queues' nominal quotas; a queue is promised its nominal quota of CPUs and may hold its borrowing
// limit more. Without a topology each cohort has a partition of its own with one node of exactly
// its capacity; with one, all share its nodes.
#pragma once

#include <vector>

#include "bench/quota/workloads.h"
#include "model/fleet.h"
#include "model/job.h"

namespace berth::bench::quota {

// Pods that a node of Kueue's rig takes; its generator files do not say so.
inline constexpr std::int64_t kPodsPerNode = 110;

struct Tenants {
  TopologySpec topology;
  std::vector<PartitionSpec> partitions;
  std::vector<NodeSpec> nodes;
  std::vector<QueueSpec> queues;     // parents first
  std::vector<std::size_t> leaf_of;  // by Workload::queue: its place in `queues`
};
Tenants tenants_of(const Generator& generator);

// The job of a workload.
JobSpecPtr job_of(const Generator& generator, const Tenants& tenants, const Workload& workload);

}  // namespace berth::bench::quota
