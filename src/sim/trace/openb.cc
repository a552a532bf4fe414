#include "sim/trace/openb.h"

#include <algorithm>
#include <map>
#include <utility>

namespace berth::sim::openb {
namespace {

// Far above any machine sold, and low enough that sums over a file cannot overflow.
constexpr std::int64_t kMaxCpuMilli = 1'000'000'000;
constexpr std::int64_t kMaxMemoryMib = 1'000'000'000'000;
constexpr std::int64_t kMaxGpus = 1024;
constexpr std::int64_t kMaxSeconds = 1'000'000'000'000;

constexpr std::string_view kQueue = "openb";  // of all pods, unless the trace names another

constexpr std::string_view kNodeHeader = "sn,cpu_milli,memory_mib,gpu,model";
constexpr std::string_view kShortPodHeader = "name,cpu_milli,memory_mib,num_gpu,gpu_milli";
constexpr std::string_view kLongPodHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time";

Node node_of(Row& row) {
  Node node;
  node.name = row.text(0, "sn");
  node.cpu_milli = row.integer(1, "cpu_milli", kMaxCpuMilli);
  node.memory_mib = row.integer(2, "memory_mib", kMaxMemoryMib);
  node.gpus = row.integer(3, "gpu", kMaxGpus);
  node.model = node.gpus > 0 ? row.text(4, "model") : std::string();
  return node;
}

PodLife life_of(Row& row) {
  PodLife life;
  life.qos = row.text(6, "qos");
  life.phase = row.text(7, "pod_phase");
  life.creation_s = row.integer(8, "creation_time", kMaxSeconds);
  life.deletion_s = row.integer(9, "deletion_time", kMaxSeconds);
  if (!row.is_blank(10)) life.scheduled_s = row.integer(10, "scheduled_time", kMaxSeconds);
  if (life.deletion_s < life.creation_s) {
    row.complain("deletion_time " + std::to_string(life.deletion_s) + " is before creation_time",
                 "at least " + std::to_string(life.creation_s));
  }
  return life;
}

Pod pod_of(Row& row) {
  Pod pod;
  pod.name = row.text(0, "name");
  pod.shape.cpu_milli = row.integer(1, "cpu_milli", kMaxCpuMilli);
  pod.memory_mib = row.integer(2, "memory_mib", kMaxMemoryMib);
  pod.shape.num_gpu = row.integer(3, "num_gpu", kMaxGpus);
  pod.shape.gpu_milli = row.integer(4, "gpu_milli", kMilliPerGpu);
  if ((pod.shape.num_gpu == 0) != (pod.shape.gpu_milli == 0)) {
    row.complain("num_gpu is " + std::to_string(pod.shape.num_gpu) + " and gpu_milli is " +
                     std::to_string(pod.shape.gpu_milli),
                 "both 0 or neither");
  }
  if (row.cells() > 5) {
    pod.shape.gpu_models = row.name_set(5, "gpu_spec");
    pod.life = life_of(row);
  }
  return pod;
}

template <typename Item>
Result<Rows<Item>> parse(const Table& table, std::string_view source, BadRows bad_rows,
                         Item (*item_of)(Row&)) {
  UniqueNames names;
  return parse_rows<Item>(table, source, split(table.header, ',').size(), bad_rows, [&](Row& row) {
    Item item = item_of(row);
    if (row.error().empty()) names.check(row, item.name);
    return item;
  });
}

// Latency-sensitive pods are services; the rest are batch.
JobClass class_of(const PodLife& life) {
  return life.qos == "LS" ? JobClass::kInference : JobClass::kTraining;
}

JobSpecPtr spec_of(const Pod& pod, const TraceSpec& trace) {
  auto spec = std::make_shared<JobSpec>();
  spec->queue = trace.queue.empty() ? std::string(kQueue) : trace.queue;
  spec->job_class = class_of(*pod.life);
  Container container;
  container.name = "main";
  container.cpu_milli = pod.shape.cpu_milli;
  container.memory_mib = pod.memory_mib;
  container.devices.count = static_cast<std::uint32_t>(pod.shape.num_gpu);
  container.devices.models = pod.shape.gpu_models;
  if (pod.shape.num_gpu > 0 && pod.shape.gpu_milli < kMilliPerGpu) {
    container.devices.kind = ShareKind::kShare;
    container.devices.compute = pod.shape.gpu_milli * kCardMilli;
  }
  Role role;
  role.containers.push_back(std::move(container));
  spec->roles.push_back(std::move(role));
  return spec;
}

}  // namespace

bool PodShape::accepts(std::string_view model) const {
  return gpu_models.empty() ||
         std::find(gpu_models.begin(), gpu_models.end(), model) != gpu_models.end();
}

Result<Rows<Node>> parse_nodes(std::string_view text, std::string_view source, BadRows bad_rows) {
  const auto table = table_of(text, source);
  if (!table) return tl::unexpected(table.error());
  if (table->header != kNodeHeader) {
    return tl::unexpected(bad_header(source, table->header, kNodeHeader));
  }
  return parse<Node>(*table, source, bad_rows, node_of);
}

Result<Rows<Pod>> parse_pods(std::string_view text, std::string_view source, BadRows bad_rows) {
  const auto table = table_of(text, source);
  if (!table) return tl::unexpected(table.error());
  if (table->header != kLongPodHeader && table->header != kShortPodHeader) {
    Error error = bad_header(source, table->header, kLongPodHeader);
    error.message += " or its first five columns";
    return tl::unexpected(std::move(error));
  }
  return parse<Pod>(*table, source, bad_rows, pod_of);
}

std::vector<NodeSpec> nodes_of(const std::vector<Node>& nodes) {
  std::vector<NodeSpec> specs;
  for (const Node& node : nodes) {
    NodeSpec spec;
    spec.name = node.name;
    spec.model = node.model;
    spec.cpu_milli = node.cpu_milli;
    spec.memory_mib = node.memory_mib;
    spec.cards.resize(static_cast<std::size_t>(node.gpus));
    specs.push_back(std::move(spec));
  }
  return specs;
}

std::vector<GpuModel> gpu_models() {
  constexpr Mib kGib = 1024;
  // Nominal memory; the trace does not say how much of a GPU's memory a pod asks for, so it follows
  // the share of compute and never decides.
  const std::vector<std::pair<std::string, Mib>> kModels = {
      {"A10", 24 * kGib}, {"G2", 32 * kGib},      {"G3", 32 * kGib},     {"P100", 16 * kGib},
      {"T4", 16 * kGib},  {"V100M16", 16 * kGib}, {"V100M32", 32 * kGib}};
  std::vector<GpuModel> models;
  for (const auto& [name, memory_mib] : kModels) {
    GpuModel model = nominal_model(name, "openb", "as-in-the-trace", memory_mib);
    model.mps.max_clients = 1000;
    model.sources = {"openb trace (model names)"};
    models.push_back(std::move(model));
  }
  return models;
}

Result<std::vector<SimJob>> jobs_of(const std::vector<Pod>& pods, const TraceSpec& trace) {
  std::vector<SimJob> jobs;
  std::map<std::pair<PodShape, std::pair<std::int64_t, JobClass>>, JobSpecPtr> specs;
  for (const Pod& pod : pods) {
    if (!pod.life) {
      return invalid("pod " + quoted(pod.name) +
                     " has no times; a list with creation_time and deletion_time can be replayed");
    }
    JobSpecPtr& spec = specs[{pod.shape, {pod.memory_mib, class_of(*pod.life)}}];
    if (spec == nullptr) spec = spec_of(pod, trace);
    // pods that were never scheduled have no run time of their own: their life stands for it
    const std::int64_t start_s = pod.life->scheduled_s.value_or(pod.life->creation_s);
    const std::int64_t run_s = std::max<std::int64_t>(0, pod.life->deletion_s - start_s);
    jobs.push_back({pod.life->creation_s * kSecondMs, pod.name, spec, run_s * kSecondMs});
  }
  return jobs;
}

}  // namespace berth::sim::openb
