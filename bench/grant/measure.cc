#include "bench/grant/measure.h"

#include <unistd.h>

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "bench/common/arguments.h"
#include "bench/grant/batch_load.h"
#include "bench/servers/process_use.h"
#include "bench/servers/simulation.h"
#include "cli/serve/clocks.h"
#include "sim/agents/sim_agents.h"
#include "sim/load.h"

namespace berth::bench::grant {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kBetween = std::chrono::milliseconds(50);  // two measured jobs
constexpr auto kPatience = std::chrono::seconds(120);
constexpr auto kPause = std::chrono::milliseconds(20);

double ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

// When the nodes were told to prepare a role, by the role's name.
class Orders {
 public:
  void note(const agent::Order& order) {
    const auto* prepare = std::get_if<agent::PrepareOrder>(&order.body);
    if (prepare == nullptr || !prepare->grant.spec.role.starts_with("timed-")) return;
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    at_.emplace(prepare->grant.spec.role, now);
  }
  std::map<std::string, Clock::time_point> all() const {
    const std::lock_guard lock(mutex_);
    return at_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Clock::time_point> at_;
};

std::string timed_name(std::size_t number) { return "timed-" + std::to_string(number); }

std::string job_text(const std::string& name) {
  return R"({"name":")" + name +
         R"(","queue":"serving","class":"inference","run_time":"5s","roles":[{"name":")" + name +
         R"(","containers":[{"devices":{"count":1}}]}]})";
}

Result<sim::SimAgentsInput> agents_of(const std::string& simulation, const ControlPlane& plane) {
  const sim::Places places{data_folder(), traces_folder()};
  auto loaded = sim::load_simulation(simulation, places, {});
  if (!loaded) return tl::unexpected(loaded.error());
  sim::SimAgentsInput input;
  input.nodes = std::move(loaded->input.nodes);
  input.models = std::move(loaded->input.models);
  input.executor = loaded->input.settings.executor;
  input.hub.server = "ipv4:" + plane.agents_address();
  input.hub.backoff_most_ms = kSecondMs;
  input.token = plane.agents_token();
  input.instance = "bench-" + std::to_string(::getpid());
  return input;
}

Status wait_sessions(const sim::SimAgents& agents, std::size_t wanted) {
  const auto until = Clock::now() + kPatience;
  while (agents.counts().sessions < wanted) {
    if (Clock::now() > until) {
      return fail(ErrorCode::kUnavailable, std::to_string(agents.counts().sessions) + " of " +
                                               std::to_string(wanted) + " nodes are connected");
    }
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

struct Submission {
  Clock::time_point begun;
  Clock::time_point answered;
};

Result<std::map<std::string, Submission>> submit_timed(cli::Client client, std::size_t jobs) {
  std::map<std::string, Submission> all;
  auto next = Clock::now();
  for (std::size_t j = 0; j < jobs; ++j, next += kBetween) {
    std::this_thread::sleep_until(next);
    const std::string name = timed_name(j);
    const auto begun = Clock::now();
    const auto done = client.send({"POST", "/v1/jobs", job_text(name), "application/json", {}});
    if (!done) return tl::unexpected(done.error());
    all[name] = {begun, Clock::now()};
  }
  return all;
}

// Until all have been ordered.
void wait_orders(const Orders& orders, std::size_t wanted) {
  const auto until = Clock::now() + kPatience;
  while (orders.all().size() < wanted && Clock::now() < until) std::this_thread::sleep_for(kPause);
}

Result<Outcome> timed(const ControlPlane& plane, std::size_t leader, const Orders& orders,
                      const Size& size) {
  BatchLoad batch(plane, leader, size);
  if (auto s = batch.fill(); !s) return tl::unexpected(s.error());
  batch.keep();
  const auto begun = Clock::now();
  const double cpu = cpu_seconds(plane.process_ids());
  const std::uint64_t before = batch.submitted();
  const auto submitted = submit_timed(plane.client(leader), size.jobs);
  if (!submitted) return tl::unexpected(submitted.error());
  const double seconds = ms_between(begun, Clock::now()) / 1e3;
  Outcome outcome;
  outcome.server_cpu = (cpu_seconds(plane.process_ids()) - cpu) / seconds;
  outcome.batch_per_s = static_cast<double>(batch.submitted() - before) / seconds;
  if (const auto failed = batch.failure()) return tl::unexpected(*failed);
  auto client = plane.client(leader);
  const auto jobs = jobs_at(client);
  if (!jobs) return tl::unexpected(jobs.error());
  outcome.queued = static_cast<double>(jobs->waiting);
  wait_orders(orders, size.jobs);
  const auto ordered = orders.all();
  for (const auto& [name, times] : *submitted) {
    const auto order = ordered.find(name);
    if (order == ordered.end()) {
      return fail(ErrorCode::kCorrupt, "no node was told to prepare job " + name);
    }
    outcome.grant_ms.push_back(ms_between(times.begun, order->second));
    outcome.answer_ms.push_back(ms_between(times.begun, times.answered));
  }
  return outcome;
}

}  // namespace

Result<Outcome> measure(BackEnd back_end, const Size& size) {
  const journal::testing::TemporaryFolder folder;
  const std::string simulation = write_simulation(folder.file(""), fleet_text(size), "batch");
  auto plane = ControlPlane::start({back_end, simulation});
  if (!plane) return tl::unexpected(plane.error());
  const auto leader = (*plane)->leader();
  if (!leader) return tl::unexpected(leader.error());
  auto input = agents_of(simulation, **plane);
  if (!input) return tl::unexpected(input.error());
  Orders orders;
  input->on_order = [&orders](const agent::Order& order) { orders.note(order); };
  const cli::WallClock wall;
  const sim::ScaledClock clock(wall, 1, wall.now());
  const sim::SimAgents agents(std::move(*input), clock);
  if (auto s = wait_sessions(agents, size.nodes); !s) return tl::unexpected(s.error());
  return timed(**plane, *leader, orders, size);
}

}  // namespace berth::bench::grant
