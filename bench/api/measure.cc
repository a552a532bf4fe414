#include "bench/api/measure.h"

#include <thread>

#include "bench/api/watchers.h"
#include "bench/servers/process_use.h"
#include "bench/servers/simulation.h"
#include "cli/remote/table.h"

namespace berth::bench::api {
namespace {

constexpr auto kPatience = std::chrono::seconds(30);

// A queue for each stream, below one root; no nodes: all that is submitted waits.
std::string fleet_text(std::size_t queues) {
  std::string fleet = "queues:\n  - {name: root}\n";
  for (std::size_t q = 0; q < queues; ++q) {
    fleet += "  - {name: q-" + std::to_string(q) + ", parent: root}\n";
  }
  return fleet +
         "nodes:\n  - {name: none, model: H100-SXM5-80GB, cpu: 128, memory: 1TiB, cards: 8}\n";
}

Result<std::uint64_t> jobs_at(ControlPlane& plane, std::size_t server) {
  auto client = plane.client(server);
  const auto cluster = client.get("/v1/cluster");
  if (!cluster) return tl::unexpected(cluster.error());
  return static_cast<std::uint64_t>(cli::number_of(*cluster, "waiting"));
}

// Until the streams have told of all of them, or say nothing new for a while.
std::uint64_t wait_told(const Watchers& watchers, std::uint64_t wanted) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (watchers.told() < wanted && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return watchers.told();
}

}  // namespace

Result<Outcome> measure(const RunSpec& spec) {
  const journal::testing::TemporaryFolder folder;
  auto plane = ControlPlane::start(
      {spec.back_end, write_simulation(folder.file(""), fleet_text(spec.streams), "root")});
  if (!plane) return tl::unexpected(plane.error());
  const auto leader = (*plane)->leader();
  if (!leader) return tl::unexpected(leader.error());
  Outcome outcome;
  {
    const Watchers watchers((*plane)->port(*leader), spec.streams);
    if (!watchers.opened()) return tl::unexpected(watchers.opened().error());
    const double before = cpu_seconds((*plane)->process_ids());
    auto load = run_load({(*plane)->port(*leader), spec.connections, spec.streams, spec.seconds});
    if (!load) return tl::unexpected(load.error());
    outcome.load = *load;
    outcome.server_cpu_s = cpu_seconds((*plane)->process_ids()) - before;
    outcome.told = wait_told(watchers, load->submits);
    outcome.streams = watchers.open();
  }
  (*plane)->kill(*leader);
  if (spec.back_end == BackEnd::kSqlite) (*plane)->start_again(*leader);
  const auto next = (*plane)->leader();
  if (!next) return tl::unexpected(next.error());
  const auto survived = jobs_at(**plane, *next);
  if (!survived) return tl::unexpected(survived.error());
  outcome.survived = *survived;
  return outcome;
}

}  // namespace berth::bench::api
