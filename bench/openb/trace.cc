#include "bench/openb/trace.h"

#include <array>
#include <utility>

namespace berth::bench::openb {
namespace {

// name, file, rows of the published lists.
constexpr std::array<BuiltInTrace, 17> kBuiltInTraces = {{
    {"default", "openb_pod_list_default.csv", 8152},
    {"cpu050", "openb_pod_list_cpu050.csv", 7439},
    {"cpu100", "openb_pod_list_cpu100.csv", 7853},
    {"cpu200", "openb_pod_list_cpu200.csv", 8832},
    {"cpu250", "openb_pod_list_cpu250.csv", 9420},
    {"gpushare40", "openb_pod_list_gpushare40.csv", 8152},
    {"gpushare60", "openb_pod_list_gpushare60.csv", 8152},
    {"gpushare80", "openb_pod_list_gpushare80.csv", 8152},
    {"gpushare100", "openb_pod_list_gpushare100.csv", 8152},
    {"gpuspec10", "openb_pod_list_gpuspec10.csv", 8152},
    {"gpuspec20", "openb_pod_list_gpuspec20.csv", 8152},
    {"gpuspec25", "openb_pod_list_gpuspec25.csv", 8152},
    {"gpuspec33", "openb_pod_list_gpuspec33.csv", 8152},
    {"multigpu20", "openb_pod_list_multigpu20.csv", 8324},
    {"multigpu30", "openb_pod_list_multigpu30.csv", 8508},
    {"multigpu40", "openb_pod_list_multigpu40.csv", 8746},
    {"multigpu50", "openb_pod_list_multigpu50.csv", 9061},
}};

template <class Item>
Outcome<std::vector<Item>> whole(Result<sim::Rows<Item>> rows) {
  if (!rows) return Failure(rows.error().message);
  return std::move(rows->items);
}

template <class Item>
Outcome<std::vector<Item>> with_rows(Outcome<std::vector<Item>> items, const std::string& path,
                                     std::size_t rows) {
  if (items && items->size() != rows) {
    return Failure(path + ": " + std::to_string(items->size()) + " rows, expected " +
                   std::to_string(rows) + " as published");
  }
  return items;
}

}  // namespace

Outcome<std::vector<Node>> parse_nodes(std::string_view text, std::string_view source) {
  return whole(sim::openb::parse_nodes(text, source, sim::BadRows::kRefuse));
}

Outcome<std::vector<Pod>> parse_pods(std::string_view text, std::string_view source) {
  return whole(sim::openb::parse_pods(text, source, sim::BadRows::kRefuse));
}

Outcome<std::vector<Node>> read_nodes(const std::string& path) {
  const auto text = sim::read_trace_file(path);
  return text ? parse_nodes(*text, path) : Failure(text.error().message);
}

Outcome<std::vector<Pod>> read_pods(const std::string& path) {
  const auto text = sim::read_trace_file(path);
  return text ? parse_pods(*text, path) : Failure(text.error().message);
}

std::int64_t gpu_capacity_milli(std::span<const Node> nodes) {
  std::int64_t milli = 0;
  for (const Node& node : nodes) milli += node.gpus * kMilliPerGpu;
  return milli;
}

std::span<const BuiltInTrace> built_in_traces() { return kBuiltInTraces; }

Outcome<std::vector<Node>> read_built_in_nodes(const std::string& folder) {
  const std::string path = folder + "/" + std::string(kNodeListFile);
  return with_rows(read_nodes(path), path, kNodeListRows);
}

Outcome<std::vector<Pod>> read_built_in_pods(const std::string& folder, const BuiltInTrace& trace) {
  const std::string path = folder + "/" + std::string(trace.file);
  return with_rows(read_pods(path), path, trace.rows);
}

}  // namespace berth::bench::openb
