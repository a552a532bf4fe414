#include "bench/openb/fleet.h"

#include <map>
#include <memory>
#include <set>
#include <utility>

namespace berth::bench::openb {
namespace {

constexpr Mib kStandInMemoryMib = 16'384;

DeviceRequest device_request(const PodShape& shape) {
  DeviceRequest devices;
  if (shape.num_gpu == 0) return devices;
  devices.count = static_cast<std::uint32_t>(shape.num_gpu);
  devices.models = shape.gpu_models;
  if (shape.gpu_milli == kMilliPerGpu) return devices;
  devices.kind = ShareKind::kShare;
  devices.compute = shape.gpu_milli * kCardMilli;
  devices.memory_mib = 0;
  return devices;
}

JobSpecPtr job_spec(const PodShape& shape, std::int64_t memory_mib) {
  Container container;
  container.name = "pod";
  container.cpu_milli = shape.cpu_milli;
  container.memory_mib = memory_mib;
  container.devices = device_request(shape);
  Role role;
  role.containers.push_back(std::move(container));
  auto spec = std::make_shared<JobSpec>();
  spec->queue = kQueue;
  spec->job_class = JobClass::kInteractive;
  spec->roles.push_back(std::move(role));
  return spec;
}

}  // namespace

std::vector<GpuModel> gpu_models(std::span<const Node> nodes, std::span<const Pod> pods) {
  std::set<std::string> names;
  for (const Node& node : nodes) {
    if (node.gpus > 0) names.insert(node.model);
  }
  for (const Pod& pod : pods) {
    names.insert(pod.shape.gpu_models.begin(), pod.shape.gpu_models.end());
  }
  std::vector<GpuModel> models;
  for (const std::string& name : names) {
    models.push_back(nominal_model(name, "any", "any", kStandInMemoryMib));
  }
  return models;
}

NodeSpec node_spec(const Node& node) {
  NodeSpec spec;
  spec.name = node.name;
  spec.cpu_milli = node.cpu_milli;
  spec.memory_mib = node.memory_mib;
  if (node.gpus == 0) return spec;
  spec.model = node.model;
  spec.cards.resize(static_cast<std::size_t>(node.gpus));
  return spec;
}

std::vector<JobSpecPtr> job_specs(std::span<const Pod> pods) {
  std::map<std::pair<PodShape, std::int64_t>, JobSpecPtr> known;
  std::vector<JobSpecPtr> specs;
  for (const Pod& pod : pods) {
    JobSpecPtr& spec = known[{pod.shape, pod.memory_mib}];
    if (spec == nullptr) spec = job_spec(pod.shape, pod.memory_mib);
    specs.push_back(spec);
  }
  return specs;
}

std::vector<MixEntry> mix_of(std::span<const TypicalPod> shapes) {
  std::vector<MixEntry> mix;
  for (const TypicalPod& pod : shapes) {
    MixEntry entry;
    entry.shape.cpu_milli = pod.shape.cpu_milli;
    if (pod.shape.num_gpu > 0) entry.shape.devices.push_back(device_request(pod.shape));
    entry.weight = static_cast<std::int64_t>(pod.count);
    mix.push_back(std::move(entry));
  }
  return mix;
}

}  // namespace berth::bench::openb
