#include "bench/quota/tenants.h"

#include <algorithm>
#include <string>
#include <utility>

namespace berth::bench::quota {
namespace {

constexpr const char* kPods = "pods";

bool has_nodes(const Generator& generator) { return !generator.topology.levels.empty(); }

CardUnits units(CpuMilli milli) { return milli * kCardMilli; }

std::string partition_of(const Generator& generator, std::size_t cohort) {
  return has_nodes(generator) ? "" : "cohort-" + std::to_string(cohort);
}

QueueSpec queue_of(const std::string& name, const std::string& parent,
                   const std::string& partition) {
  QueueSpec queue;
  queue.name = name;
  queue.parent = parent;
  queue.quotas.resize(1);
  queue.quotas[0].model = kCpuQuota;
  queue.quotas[0].partition = partition;
  return queue;
}

void add_cohort(const CohortSet& set, std::size_t cohort, const std::string& partition,
                Tenants& tenants) {
  QueueSpec root = queue_of(set.class_name + "-" + std::to_string(cohort), "", partition);
  root.quotas[0].guarantee = units(set.nominal_milli());
  root.quotas[0].limit = units(set.nominal_milli());
  tenants.queues.push_back(root);
  for (const QueueSet& queues : set.queue_sets) {
    for (std::uint32_t q = 0; q < queues.count; ++q) {
      const std::string name = queues.class_name + "-" + std::to_string(tenants.leaf_of.size());
      QueueSpec leaf = queue_of(name, root.name, partition);
      leaf.quotas[0].guarantee = units(queues.nominal_milli);
      if (queues.borrowing_milli) {
        leaf.quotas[0].limit = units(queues.nominal_milli + *queues.borrowing_milli);
      }
      tenants.leaf_of.push_back(tenants.queues.size());
      tenants.queues.push_back(std::move(leaf));
    }
  }
}

void add_partition(const std::string& name, CpuMilli cpu_milli, Tenants& tenants) {
  PartitionSpec partition;
  partition.name = name;
  tenants.partitions.push_back(partition);
  NodeSpec node;
  node.name = "node-of-" + name;
  node.partition = name;
  node.cpu_milli = cpu_milli;
  tenants.nodes.push_back(std::move(node));
}

// All nodes below the domains of `above`, the outermost first.
void add_nodes(const std::vector<TopologyLevel>& levels, std::size_t depth, const NodeSpec& above,
               Tenants& tenants) {
  const TopologyLevel& level = levels[depth];
  for (std::uint32_t i = 0; i < level.count; ++i) {
    NodeSpec node = above;
    node.name += (node.name.empty() ? "" : "-") + level.name + std::to_string(i);
    if (depth + 1 == levels.size()) {
      node.cpu_milli = level.capacity.cpu_milli;
      node.memory_mib = level.capacity.memory_mib;
      node.resources = {{kPods, kPodsPerNode}};
      tenants.nodes.push_back(std::move(node));
    } else {
      node.domains.emplace_back(level.label, node.name);
      add_nodes(levels, depth + 1, node, tenants);
    }
  }
}

void add_topology(const std::vector<TopologyLevel>& levels, Tenants& tenants) {
  for (std::size_t l = levels.size() - 1; l > 0; --l) {
    tenants.topology.levels.push_back(levels[l - 1].label);
  }
  add_nodes(levels, 0, {}, tenants);
}

std::vector<TopologyRule> rules_of(const WorkloadTemplate& kind) {
  switch (kind.constraint) {
    case Constraint::kNone:
      return {};
    case Constraint::kRequired:
      return {{RuleUnit::kRole, kind.level, RuleStrength::kRequired}};
    case Constraint::kPreferred:
      return {{RuleUnit::kRole, kind.level, RuleStrength::kPreferred}};
    case Constraint::kBalanced:
      return {{RuleUnit::kSegment, kind.level, RuleStrength::kRequired}};
  }
  return {};
}

}  // namespace

Tenants tenants_of(const Generator& generator) {
  Tenants tenants;
  std::size_t cohort = 0;
  for (const CohortSet& set : generator.cohorts) {
    for (std::uint32_t c = 0; c < set.count; ++c, ++cohort) {
      const std::string partition = partition_of(generator, cohort);
      if (!partition.empty()) add_partition(partition, set.nominal_milli(), tenants);
      add_cohort(set, cohort, partition, tenants);
    }
  }
  if (has_nodes(generator)) add_topology(generator.topology.levels, tenants);
  return tenants;
}

JobSpecPtr job_of(const Generator& generator, const Tenants& tenants, const Workload& workload) {
  const WorkloadTemplate& kind = *workload.kind;
  auto spec = std::make_shared<JobSpec>();
  spec->queue = tenants.queues[tenants.leaf_of[workload.queue]].name;
  spec->partition = partition_of(generator, workload.cohort);
  spec->priority = kind.priority;
  Container container;
  container.name = "main";
  container.cpu_milli = kind.request_milli;
  if (has_nodes(generator)) container.resources = {{kPods, 1}};
  Role role;
  role.count = kind.pods;
  role.containers.push_back(std::move(container));
  role.topology = rules_of(kind);
  if (kind.constraint == Constraint::kBalanced) role.segment_tasks = kind.slice_pods;
  spec->roles.push_back(std::move(role));
  return spec;
}

}  // namespace berth::bench::quota
