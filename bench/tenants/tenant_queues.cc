#include "bench/tenants/tenant_queues.h"

#include <string>

#include "bench/drive/plain_jobs.h"
#include "model/gpu_model.h"

namespace berth::bench::tenants {
namespace {

QueueSpec queue_of(const std::string& name, int nodes) {
  QueueSpec queue;
  queue.name = name;
  FlavourQuota quota;
  quota.model = kPlainModel;
  quota.guarantee = CardUnits{nodes} * kGpusPerNode * kCard;
  queue.quotas.push_back(quota);
  return queue;
}

}  // namespace

Status declare_tenants(const Sample& sample, const PolicySpec& policy, EngineDrive& drive) {
  const GpuModel model = nominal_model(kPlainModel, "unknown", "unknown", kPlainCardMib);
  if (auto s = drive.declare(DeclareModel{model}); !s) return s;
  if (auto s = drive.declare(SetPolicy{policy, {}}); !s) return s;
  for (int node = 0; node < sample.all_nodes(); ++node) {
    const std::string name = "node-" + std::to_string(1000 + node);
    if (auto s = drive.declare(JoinNode{plain_node(name, kGpusPerNode)}); !s) return s;
  }
  for (std::size_t t = 0; t < sample.names.size(); ++t) {
    const QueueSpec queue = queue_of(sample.names[t], sample.nodes[t]);
    if (auto s = drive.declare(DeclareQueue{queue}); !s) return s;
  }
  return {};
}

}  // namespace berth::bench::tenants
