// `berth server`: a control plane in this process; with --dev on a simulated fleet.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/play.h"
#include "cli/serve/clocks.h"
#include "cli/serve/dev_access.h"
#include "cli/serve/log.h"
#include "cli/serve/running_server.h"
#include "cli/serve/secure_options.h"
#include "cli/serve/serve_command.h"
#include "cli/serve/service_manager.h"
#include "cli/serve/settings.h"
#include "cli/serve/ticker.h"
#include "codec/file.h"
#include "codec/gpu_model_codec.h"
#include "server/token_secret.h"
#include "sim/agents/sim_agents.h"
#include "sim/load.h"

namespace berth::cli {
namespace {

constexpr const char* kDevSimulation = "dev";
constexpr DurationMs kTellNodesMs = 3 * kSecondMs;  // between two looks at who is connected
constexpr const char* kFirstPolicy = "berth_reclaim";

// "127.0.0.1:7700", ":7700" or "7700".
Result<std::pair<std::string, std::uint16_t>> listen_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string address = colon == std::string::npos ? "" : text.substr(0, colon);
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  const bool is_number = !port.empty() && port.size() <= 5 &&
                         port.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || std::stoi(port) > 65'535) {
    return invalid("is '" + text + "'; ADDRESS:PORT with a port from 0 to 65535 is accepted",
                   "listen");
  }
  return std::pair(address.empty() ? "127.0.0.1" : address,
                   static_cast<std::uint16_t>(std::stoi(port)));
}

// Of an option, from 1 to `most`; 1 where it isn't given.
Result<std::int64_t> number_of(const Arguments& arguments, const char* option, std::int64_t most) {
  const std::string text = arguments.value_or(option, "1");
  constexpr std::size_t kMostDigits = 15;
  const bool is_number = !text.empty() && text.size() <= kMostDigits &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  const std::int64_t number = is_number ? std::stoll(text) : 0;
  if (number >= 1 && number <= most) return number;
  return invalid(
      "is '" + text + "'; a whole number from 1 to " + std::to_string(most) + " is accepted",
      option);
}

Result<std::int64_t> speed_of(const Arguments& arguments) {
  constexpr std::int64_t kMostSpeed = 100'000;
  return number_of(arguments, "--speed", kMostSpeed);
}

// With etcd, terms are etcd's revisions.
Result<std::int64_t> least_term_of(const Arguments& arguments, const ServerSettings& settings) {
  constexpr std::int64_t kMostTerm = 1'000'000'000'000;
  if (arguments.has("--least-term") && !settings.etcd.empty()) {
    return invalid("is of a server that is alone; with etcd, terms are etcd's revisions",
                   "--least-term");
  }
  return number_of(arguments, "--least-term", kMostTerm);
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

Result<ServeOptions> options_of(const Arguments& arguments, const ServerSettings& settings,
                                const Console& console) {
  if (auto s = wants_dev(arguments); !s) return tl::unexpected(s.error());
  const auto listen = listen_of(settings.listen);
  if (!listen) return tl::unexpected(listen.error());
  const auto speed = speed_of(arguments);
  if (!speed) return tl::unexpected(speed.error());
  const auto least_term = least_term_of(arguments, settings);
  if (!least_term) return tl::unexpected(least_term.error());
  ServeOptions options;
  options.least_term = static_cast<std::uint64_t>(*least_term);
  options.http.address = listen->first;
  options.http.port = listen->second;
  options.agents_address = settings.agents;
  options.journal = settings.journal;
  options.requests_per_second = settings.requests_per_second;
  options.snapshot_every = static_cast<std::uint64_t>(settings.snapshot_every);
  options.history_ms = settings.history_days * 24 * kHourMs;
  options.version = console.version();
  const auto web = find_web();
  if (!web) return tl::unexpected(web.error());
  options.web = *web;
  if (auto s = share_journal(options, settings); !s) return tl::unexpected(s.error());
  if (!arguments.has("--dev")) return secured(std::move(options), settings);
  if (auto s = open_to_all(options, settings); !s) return tl::unexpected(s.error());
  options.dev = DevMode{*speed, !arguments.has("--no-nodes"), arguments.has("--jobs")};
  return options;
}

// The simulation that is named: its fleet, queues and jobs.
Result<sim::SimInput> simulation_of(const Arguments& arguments, const sim::Places& places) {
  auto loaded = sim::load_simulation(
      simulation_path(arguments.value_or("--simulation", kDevSimulation), places), places, {});
  if (!loaded) return tl::unexpected(loaded.error());
  return std::move(loaded->input);
}

// What a cluster begins with: the catalogue and the policy; in dev mode a fleet and queues too.
Result<sim::SimInput> input_of(const Arguments& arguments, const sim::Places& places) {
  if (arguments.has("--dev")) return simulation_of(arguments, places);
  sim::SimInput input;
  auto models = codec::load_gpu_catalog(places.data + "/gpus");
  if (!models) return tl::unexpected(models.error().to_error());
  input.models = std::move(*models);
  auto policy = sim::load_policy(kFirstPolicy, places);
  if (!policy) return tl::unexpected(policy.error());
  input.policy = std::move(*policy);
  return input;
}

// For whoever has lost the last admin's token and holds the journal.
Result<std::string> issue_admin(const std::string& name, ServeOptions& options) {
  if (options.dev) return invalid("is of a server with tokens; --dev has none", "--issue-admin");
  auto made = server::make_secret();
  if (!made) return tl::unexpected(made.error());
  options.new_tokens.push_back(
      {made->id, name, made->hash, std::string(word(server::Role::kAdmin)), {}, kNever});
  return made->secret;
}

int run(const Arguments& arguments, Console& console) {
  const auto settings = settings_of(arguments);
  if (!settings) return report(console, settings.error());
  auto options = options_of(arguments, *settings, console);
  if (!options) return report(console, options.error());
  std::string secret;
  if (const auto name = arguments.value("--issue-admin")) {
    auto issued = issue_admin(*name, *options);
    if (!issued) return report(console, issued.error());
    secret = std::move(*issued);
  }
  const auto places = find_places();
  if (!places) return report(console, places.error());
  auto input = input_of(arguments, *places);
  if (!input) return report(console, input.error());
  return serve_until_stopped(std::move(*options), std::move(*input), console,
                             [&](RunningServer& /*server*/) {
                               if (!secret.empty()) console.out() << secret << std::endl;
                             });
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
  umask(S_IRWXG | S_IRWXO);  // the journal has what jobs were submitted with
  const bool is_dev = options.dev.has_value();
  const std::string storage = options.replicated        ? "the journal is in etcd"
                              : options.journal.empty() ? "the journal is in memory: nothing stays"
                                                        : "the journal is " + options.journal;
  const std::string address = (options.tls ? "https://" : "http://") + options.http.address;
  auto server = RunningServer::start(std::move(options), std::move(input));
  if (!server) return report(console, server.error());
  log_line(LogLevel::kInfo,
           "listening on " + address + ":" + std::to_string((*server)->http_port()));
  log_line(LogLevel::kInfo, storage);
  if (is_dev) {
    log_line(LogLevel::kWarning, "dev mode: no TLS and no tokens; whoever reaches it is admin");
  }
  std::atomic<bool> has_failed = false;
  (*server)->on_failure([&has_failed](const Error&) {
    has_failed = true;
    kill(getpid(), SIGTERM);
  });
  if (once_started) once_started(**server);
  tell_manager("READY=1");
  int signal = 0;
  sigwait(&ends, &signal);
  tell_manager("STOPPING=1");
  log_line(LogLevel::kInfo, "stopping");
  server->reset();
  return has_failed ? kFailed : kDone;  // whoever watches over it starts it again
}

namespace {

Status add_credentials(const Arguments& arguments, sim::SimAgentsInput& simulated) {
  if (const auto path = arguments.value("--agents-token-file")) {
    auto secret = agents_secret(*path);
    if (!secret) return tl::unexpected(secret.error());
    simulated.token = std::move(*secret);
  }
  if (const auto path = arguments.value("--ca")) {
    auto certificate = codec::read_file(*path);
    if (!certificate) return tl::unexpected(certificate.error());
    simulated.hub.tls = agent::ClientTls{std::move(*certificate), {}, {}};
  }
  return {};
}

// As gRPC names servers: addresses to be tried one after the other, or a name for all of them,
// which TLS needs, because a channel has one.
std::string target_of(const std::string& servers) {
  const bool has_name = servers.find_first_not_of("0123456789.:,") != std::string::npos;
  return (has_name ? "dns:///" : "ipv4:") + servers;
}

// Simulated nodes in a process of their own, which outlive their servers.
int run_nodes(const Arguments& arguments, Console& console) {
  const auto places = find_places();
  if (!places) return report(console, places.error());
  const auto speed = speed_of(arguments);
  if (!speed) return report(console, speed.error());
  auto input = simulation_of(arguments, *places);
  if (!input) return report(console, input.error());
  sigset_t ends = block_ends();
  WallClock wall;
  const sim::ScaledClock clock(wall, *speed, wall.now());
  sim::SimAgentsInput simulated;
  simulated.nodes = std::move(input->nodes);
  simulated.models = std::move(input->models);
  simulated.hub.server = target_of(arguments.value_or("--agents", "127.0.0.1:7701"));
  simulated.hub.backoff_most_ms = kSecondMs;
  if (auto ok = add_credentials(arguments, simulated); !ok) return report(console, ok.error());
  simulated.instance = std::to_string(wall.now()) + "-" + std::to_string(getpid());
  simulated.executor = input->settings.executor;
  simulated.seed = input->settings.seed;
  const std::size_t nodes = simulated.nodes.size();
  log_line(LogLevel::kInfo, std::to_string(nodes) + " simulated nodes");
  const sim::SimAgents agents(std::move(simulated), clock);
  std::size_t known = nodes + 1;
  const Ticker ticker(kTellNodesMs, [&] {
    const std::size_t sessions = agents.counts().sessions;
    if (sessions == std::exchange(known, sessions)) return;
    const bool are_all = sessions == nodes;
    log_line(
        are_all ? LogLevel::kInfo : LogLevel::kWarning,
        std::to_string(sessions) + " of " + std::to_string(nodes) + " are connected" +
            (are_all ? ""
                     : "; whether a server listens and why it turns nodes away is in its log"));
  });
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
      {"--agents",
       "IP:PORT,...|NAME:PORT",
       "Where the servers listen to agents; with TLS the name of all, where there are several",
       "127.0.0.1:7701",
       {}},
      {"--agents-token-file", "FILE", "File with the secret that they present", {}, {}},
      {"--ca", "FILE", "CA of the servers' certificates, in PEM form", "plain text", {}},
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
      {"--config", "FILE", "Its settings, as 'berth init' writes them", {}, {}},
      {"--dev", "", "Simulated nodes, no TLS, no tokens, on this machine only", {}, {}},
      {"--simulation", "NAME|FILE", "Fleet and jobs of --dev", kDevSimulation, {}},
      {"--speed", "N", "Simulated seconds in one, of --dev", "1", {}},
      {"--no-nodes", "", "No simulated nodes in this process, of --dev", {}, {}},
      {"--jobs", "", "Submits the jobs of the simulation as they arrive", {}, {}},
      {"--issue-admin", "NAME", "Issues a token for another admin and prints it once", {}, {}},
      {"--least-term",
       "N",
       "Begins no lower term: after a restore, one above all that agents have seen",
       "the next one",
       {}}};
  for (OptionSpec& option : settings_options()) spec.options.push_back(std::move(option));
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
