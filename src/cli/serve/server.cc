// `berth server`: a control plane in this process; with --dev on a simulated fleet.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <vector>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/play.h"
#include "cli/serve/clocks.h"
#include "cli/serve/dev_access.h"
#include "cli/serve/log.h"
#include "cli/serve/running_server.h"
#include "cli/serve/serve_command.h"
#include "sim/agents/sim_agents.h"
#include "sim/load.h"

namespace berth::cli {
namespace {

constexpr const char* kDevSimulation = "dev";

// "127.0.0.1:7700", ":7700" or "7700".
Result<std::pair<std::string, std::uint16_t>> listen_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string address = colon == std::string::npos ? "" : text.substr(0, colon);
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  const bool is_number = !port.empty() && port.size() <= 5 &&
                         port.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || std::stoi(port) > 65'535) {
    return invalid("is '" + text + "'; ADDRESS:PORT with a port from 0 to 65535 is accepted",
                   "--listen");
  }
  return std::pair(address.empty() ? "127.0.0.1" : address,
                   static_cast<std::uint16_t>(std::stoi(port)));
}

Result<std::int64_t> speed_of(const Arguments& arguments) {
  const std::string text = arguments.value_or("--speed", "1");
  const bool is_number = !text.empty() && text.size() <= 6 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  const std::int64_t speed = is_number ? std::stoll(text) : 0;
  if (speed >= 1 && speed <= 100'000) return speed;
  return invalid("is '" + text + "'; a whole number from 1 to 100000 is accepted", "--speed");
}

// "a,b,c"
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    if (end > from) parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

// A simulation by its name in the data's workloads, or by path.
std::string simulation_path(const std::string& given, const sim::Places& places) {
  const bool is_path =
      given.find('/') != std::string::npos || std::filesystem::path(given).has_extension();
  return is_path ? given : places.data + "/workloads/" + given + ".yaml";
}

Status wants_dev(const Arguments& arguments) {
  for (const char* option : {"--simulation", "--speed", "--jobs", "--no-nodes"}) {
    if (arguments.has(option) && !arguments.has("--dev")) {
      return invalid("is of --dev only", option);
    }
  }
  return {};
}

Result<ServeOptions> options_of(const Arguments& arguments, const Console& console) {
  if (auto s = wants_dev(arguments); !s) return tl::unexpected(s.error());
  const auto listen = listen_of(arguments.value_or("--listen", "127.0.0.1:7700"));
  if (!listen) return tl::unexpected(listen.error());
  const auto speed = speed_of(arguments);
  if (!speed) return tl::unexpected(speed.error());
  ServeOptions options;
  options.http.address = listen->first;
  options.http.port = listen->second;
  options.agents_address = arguments.value_or("--agents", "127.0.0.1:7701");
  options.journal = arguments.value_or("--journal", "");
  options.version = console.version();
  const auto web = find_web();
  if (!web) return tl::unexpected(web.error());
  options.web = *web;
  options.agents_token = arguments.value_or("--agents-token", "");
  if (const auto etcd = arguments.value("--etcd")) {
    if (!options.journal.empty()) {
      return invalid("is given, and --journal too; one of them is accepted", "--etcd");
    }
    ReplicatedOptions replicated;
    replicated.etcd.endpoints = split_list(*etcd);
    replicated.prefix = arguments.value_or("--etcd-prefix", replicated.prefix);
    replicated.address = arguments.value_or("--advertise", "");
    options.replicated = std::move(replicated);
  }
  if (arguments.has("--dev")) {
    options.dev = DevMode{*speed, !arguments.has("--no-nodes"), arguments.has("--jobs")};
    options.authenticate = dev_principal;
  }
  return options;
}

Result<sim::SimInput> input_of(const Arguments& arguments, const sim::Places& places) {
  auto loaded = sim::load_simulation(
      simulation_path(arguments.value_or("--simulation", kDevSimulation), places), places, {});
  if (!loaded) return tl::unexpected(loaded.error());
  return std::move(loaded->input);
}

Status check_safe(const ServeOptions& options) {
  if (!options.dev) {
    return fail(ErrorCode::kConflict,
                "only --dev works so far: tokens, which others need, are not there yet");
  }
  if (options.http.address == "127.0.0.1" || options.http.address == "localhost" ||
      options.http.address == "::1") {
    return {};
  }
  return invalid(
      "is '" + options.http.address + "'; without tokens and TLS only 127.0.0.1 is accepted",
      "--listen");
}

int run(const Arguments& arguments, Console& console) {
  auto options = options_of(arguments, console);
  if (!options) return report(console, options.error());
  if (auto s = check_safe(*options); !s) return report(console, s.error());
  const auto places = find_places();
  if (!places) return report(console, places.error());
  auto input = input_of(arguments, *places);
  if (!input) return report(console, input.error());
  return serve_until_stopped(std::move(*options), std::move(*input), console, {});
}

// All threads leave the signals to the one that waits for them.
sigset_t block_ends() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return ends;
}

}  // namespace

int serve_until_stopped(ServeOptions options, sim::SimInput input, Console& console,
                        const std::function<void(RunningServer&)>& once_started) {
  sigset_t ends = block_ends();
  const bool is_dev = options.dev.has_value();
  const std::string storage = options.replicated        ? "the journal is in etcd"
                              : options.journal.empty() ? "the journal is in memory: nothing stays"
                                                        : "the journal is " + options.journal;
  const std::string address = options.http.address;
  auto server = RunningServer::start(std::move(options), std::move(input));
  if (!server) return report(console, server.error());
  log_line(LogLevel::kInfo,
           "listening on http://" + address + ":" + std::to_string((*server)->http_port()));
  log_line(LogLevel::kInfo, storage);
  if (is_dev) {
    log_line(LogLevel::kWarning, "dev mode: no TLS and no tokens; whoever reaches it is admin");
  }
  (*server)->on_failure([](const Error&) { kill(getpid(), SIGTERM); });
  if (once_started) once_started(**server);
  int signal = 0;
  sigwait(&ends, &signal);
  log_line(LogLevel::kInfo, "stopping");
  server->reset();
  return kDone;
}

namespace {

// Simulated nodes in a process of their own, which outlive their servers.
int run_nodes(const Arguments& arguments, Console& console) {
  const auto places = find_places();
  if (!places) return report(console, places.error());
  const auto speed = speed_of(arguments);
  if (!speed) return report(console, speed.error());
  auto input = input_of(arguments, *places);
  if (!input) return report(console, input.error());
  sigset_t ends = block_ends();
  WallClock wall;
  const sim::ScaledClock clock(wall, *speed, wall.now());
  sim::SimAgentsInput simulated;
  simulated.nodes = std::move(input->nodes);
  simulated.models = std::move(input->models);
  simulated.hub.server = "ipv4:" + arguments.value_or("--agents", "127.0.0.1:7701");
  simulated.hub.backoff_most_ms = kSecondMs;
  simulated.token = arguments.value_or("--agents-token", "");
  simulated.instance = std::to_string(wall.now()) + "-" + std::to_string(getpid());
  simulated.executor = input->settings.executor;
  simulated.seed = input->settings.seed;
  log_line(LogLevel::kInfo, std::to_string(simulated.nodes.size()) + " simulated nodes");
  const sim::SimAgents agents(std::move(simulated), clock);
  int signal = 0;
  sigwait(&ends, &signal);
  return kDone;
}

}  // namespace

CommandSpec simulate_nodes_command() {
  CommandSpec spec;
  spec.name = "simulate-nodes";
  spec.text = "Runs the nodes of a simulation against servers, in a process of their own.";
  spec.options = {
      {"--agents", "IP:PORT,...", "Where the servers listen to agents", "127.0.0.1:7701", {}},
      {"--agents-token", "TOKEN", "What they present", {}, {}},
      {"--simulation", "NAME|FILE", "Whose fleet", kDevSimulation, {}},
      {"--speed", "N", "Simulated seconds in one", "1", {}}};
  spec.run = run_nodes;
  return spec;
}

CommandSpec server_command() {
  CommandSpec spec;
  spec.name = "server";
  spec.text = "Runs a control plane; with --dev on a simulated fleet, to try everything out.";
  spec.options = {
      {"--dev", "", "Simulated nodes, no tokens, on this machine only", {}, {}},
      {"--listen", "ADDRESS:PORT", "Where the API listens; port 0 is any", "127.0.0.1:7700", {}},
      {"--agents", "ADDRESS:PORT", "Where agents connect", "127.0.0.1:7701", {}},
      {"--journal", "FILE", "SQLite file of the journal", "in memory", {}},
      {"--etcd", "HOST:PORT,...", "One of several servers: the journal is in etcd", {}, {}},
      {"--etcd-prefix", "PATH", "Where in etcd; one for each cluster", "/berth/default", {}},
      {"--advertise", "URL", "Where the other servers reach this one", "where it listens", {}},
      {"--agents-token", "TOKEN", "What agents present", "one that nobody knows", {}},
      {"--simulation", "NAME|FILE", "Fleet and jobs of --dev", kDevSimulation, {}},
      {"--speed", "N", "Simulated seconds in one, of --dev", "1", {}},
      {"--no-nodes", "", "No simulated nodes in this process, of --dev", {}, {}},
      {"--jobs", "", "Submits the jobs of the simulation as they arrive", {}, {}}};
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
