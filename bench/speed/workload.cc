#include "bench/speed/workload.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/rng.h"
#include "bench/openb/fleet.h"
#include "bench/openb/protocol.h"

namespace berth::bench::speed {
namespace {

constexpr std::size_t kLargeNodes = 10'000;
constexpr std::uint64_t kJitterSeed = 7;

tl::unexpected<Error> unreadable(const std::string& message) {
  return fail(ErrorCode::kNotFound, message);
}

Result<std::vector<openb::Pod>> default_pods(const std::string& folder) {
  for (const openb::BuiltInTrace& trace : openb::built_in_traces()) {
    if (trace.name != "default") continue;
    auto pods = openb::read_built_in_pods(folder, trace);
    if (!pods) return unreadable(pods.error());
    return std::move(*pods);
  }
  return unreadable("the default trace is not among the built-in ones");
}

openb::Node large_node(std::size_t number) {
  char name[16];
  std::snprintf(name, sizeof(name), "node-%05zu", number);
  return {name, 96'000, 393'216, 8, "G2"};
}

void finish(Workload& workload) {
  workload.specs = openb::job_specs(workload.pods);
  for (const openb::Pod& pod : workload.pods) {
    workload.milli.push_back(static_cast<std::int32_t>(pod.shape.total_gpu_milli()));
  }
  workload.typical = openb::mix_of(openb::typical_pods(workload.pods));
  workload.capacity_milli = openb::gpu_capacity_milli(workload.nodes);
}

Workload large_of(std::vector<openb::Pod> pods) {
  Workload workload;
  workload.pods = std::move(pods);
  for (std::size_t n = 0; n < kLargeNodes; ++n) workload.nodes.push_back(large_node(n));
  // pods for models that the fleet has not would be refused at the door
  for (openb::Pod& pod : workload.pods) pod.shape.gpu_models.clear();
  finish(workload);
  Rng random(openb::kFirstSeed);
  for (std::int64_t asked = 0; asked < workload.capacity_milli;) {
    const auto pod = static_cast<std::uint32_t>(random.below(workload.pods.size()));
    workload.order.push_back(pod);
    asked += workload.pods[pod].shape.total_gpu_milli();
  }
  return workload;
}

}  // namespace

Result<Workload> openb_workload(const std::string& folder) {
  Workload workload;
  auto nodes = openb::read_built_in_nodes(folder);
  if (!nodes) return unreadable(nodes.error());
  auto pods = default_pods(folder);
  if (!pods) return tl::unexpected(pods.error());
  workload.nodes = std::move(*nodes);
  workload.pods = std::move(*pods);
  finish(workload);
  auto order = openb::arrivals(workload.pods, workload.capacity_milli, openb::kFirstSeed);
  if (!order) return unreadable(order.error());
  workload.order = std::move(*order);
  return workload;
}

Result<Workload> large_workload(const std::string& folder) {
  auto pods = default_pods(folder);
  if (!pods) return tl::unexpected(pods.error());
  return large_of(std::move(*pods));
}

Result<Workload> many_shapes_workload(const std::string& folder) {
  auto pods = default_pods(folder);
  if (!pods) return tl::unexpected(pods.error());
  Rng random(kJitterSeed);
  for (openb::Pod& pod : *pods) {
    const auto permille = 900 + static_cast<std::int64_t>(random.below(201));
    pod.shape.cpu_milli = pod.shape.cpu_milli * permille / 1000;
  }
  return large_of(std::move(*pods));
}

Workload head_of(Workload workload, std::size_t count) {
  workload.order.resize(std::min(count, workload.order.size()));
  return workload;
}

}  // namespace berth::bench::speed
