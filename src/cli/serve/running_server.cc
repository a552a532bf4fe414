#include "cli/serve/running_server.h"

#include <condition_variable>
#include <mutex>
#include <random>

#include "cli/serve/clocks.h"
#include "cli/serve/log.h"
#include "cli/serve/loop_writer.h"
#include "control/control_loop.h"
#include "control/learner.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"
#include "server/agents/agent_server.h"
#include "server/event_hub.h"
#include "server/make_views.h"
#include "server/metrics.h"
#include "server/questions.h"
#include "sim/agents/sim_agents.h"

namespace berth::cli {
namespace {

// The journal with its snapshots, whatever it is.
struct Storage {
  std::unique_ptr<journal::SqliteJournal> sqlite;
  journal::MemoryJournal memory;

  control::Journal& journal() {
    if (sqlite) return *sqlite;
    return memory;
  }
  control::Snapshots& snapshots() {
    if (sqlite) return *sqlite;
    return memory;
  }
};

std::string random_word() {
  std::random_device device;
  return std::to_string(device()) + std::to_string(device());
}

// Does something again and again until it is told to stop.
class Ticker {
 public:
  Ticker(DurationMs every_ms, std::function<void()> work)
      : thread_([this, every_ms, work = std::move(work)] {
          std::unique_lock lock(mutex_);
          while (!ending_.wait_for(lock, std::chrono::milliseconds(every_ms),
                                   [this] { return is_ending_; })) {
            lock.unlock();
            work();
            lock.lock();
          }
        }) {}
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    ending_.notify_all();
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace

struct RunningServer::Parts {
  explicit Parts(ServeOptions given, sim::SimInput first_input)
      : options(std::move(given)), input(std::move(first_input)), clock(wall) {}
  // In the order in which nothing is called any more.
  ~Parts() {
    http.reset();
    jobs.reset();
    ticker.reset();
    sim_agents.reset();
    agents.reset();
    if (loop) loop->stop();
    api.reset();
    service.reset();
    events.reset();
    questions.reset();
  }

  Status open_journal();
  Status recover();
  Status declare();
  Status listen_to_agents();
  Status serve();
  void simulate_nodes();
  void play_jobs();
  void submit_due();
  std::string metrics() const;

  server::GatewayPorts gateway_ports();
  control::ControllerOptions controller_options() const {
    control::ControllerOptions made;
    made.fast_path = input.settings.planner.fast_path;
    return made;
  }

  ServeOptions options;
  sim::SimInput input;
  WallClock wall;
  SettableClock clock;
  std::optional<sim::ScaledClock> scaled;
  Storage storage;
  control::FitLearner learner;
  server::EventCounts counts;
  std::unique_ptr<server::Replica> replica;
  std::unique_ptr<server::AgentGateway> gateway;
  std::unique_ptr<control::Controller> controller;
  std::unique_ptr<control::ControlLoop> loop;
  std::unique_ptr<LoopWriter> writer;
  std::unique_ptr<server::AgentServer> agents;
  std::unique_ptr<sim::SimAgents> sim_agents;
  std::unique_ptr<server::EventHub> events;
  std::unique_ptr<server::Questions> questions;
  std::unique_ptr<server::RateLimit> rates;
  std::unique_ptr<server::Service> service;
  std::unique_ptr<server::Api> api;
  std::unique_ptr<server::HttpServer> http;
  std::unique_ptr<Ticker> ticker;
  std::unique_ptr<Ticker> jobs;
  std::optional<sim::SimJob> next_job;
  TimeMs jobs_begin = 0;

  std::mutex failure_mutex;
  std::optional<Error> failure;
  std::function<void(const Error&)> on_failure;
};

Status RunningServer::Parts::open_journal() {
  if (options.journal.empty()) return {};
  auto opened = journal::SqliteJournal::open(options.journal);
  if (!opened) return tl::unexpected(opened.error());
  storage.sqlite = std::move(*opened);
  return {};
}

server::GatewayPorts RunningServer::Parts::gateway_ports() {
  return {[this](Command command, server::CommandDone done) {
            loop->post(std::move(command), std::move(done));
          },
          [this](const std::string& node, std::function<void(server::KnownNode)> answer) {
            loop->look([node, answer = std::move(answer)](const control::Controller& at) {
              answer(server::known_node(at.state(), node));
            });
          },
          [this](NodeIndex node) { return controller->state().node(node).spec->name; },
          [this](const std::string& /*node*/, const std::string& token) -> Status {
            if (token == options.agents_token) return {};
            return invalid("is not the token of agents", "token");
          },
          [](const std::string& line) { log_line(LogLevel::kWarning, line); },
          clock,
          wall};
}

// The state as the journal has it, then this process's own term.
Status RunningServer::Parts::recover() {
  replica = std::make_unique<server::Replica>(clock);
  gateway = std::make_unique<server::AgentGateway>(gateway_ports(), server::GatewayOptions{});
  controller = std::make_unique<control::Controller>(
      control::Ports{storage.journal(), *gateway, clock, counts, learner, &storage.snapshots(),
                     replica.get()},
      controller_options());
  loop = std::make_unique<control::ControlLoop>(
      *controller, clock, &storage.snapshots(),
      control::LoopOptions{.snapshot_every = options.snapshot_every});
  loop->on_failure([this](const Error& error) {
    log_line(LogLevel::kError, "the journal refused: " + error.to_text());
    const std::lock_guard lock(failure_mutex);
    failure = error;
    if (on_failure) on_failure(error);
  });
  if (auto s = controller->recover(); !s) return s;
  if (options.dev) {
    const TimeMs from = std::max(wall.now(), controller->state().now());
    scaled.emplace(wall, options.dev->speed, from);
    clock.set(*scaled);
  }
  const std::uint64_t term = controller->state().term() + 1;
  gateway->begin_term(term);
  const auto begun = controller->execute({BeginTerm{term}, {}, {}});
  return begun ? Status{} : tl::unexpected(begun.error());
}

// What a cluster begins with; one that has begun keeps what it has.
Status RunningServer::Parts::declare() {
  if (controller->state().model_count() > 0) return {};
  std::vector<CommandBody> bodies;
  bodies.emplace_back(SetPolicy{input.policy});
  for (const GpuModel& model : input.models) bodies.emplace_back(DeclareModel{model});
  bodies.emplace_back(DeclareTopology{input.topology});
  for (const PartitionSpec& one : input.partitions) bodies.emplace_back(DeclarePartition{one});
  for (const QueueSpec& queue : input.queues) bodies.emplace_back(DeclareQueue{queue});
  for (CommandBody& body : bodies) {
    const auto done = controller->execute({std::move(body), {}, "server"});
    if (!done) return tl::unexpected(done.error());
  }
  if (input.mix.empty()) return {};
  const ObserveFit given{control::given_fit(controller->state(), input.mix)};
  const auto done = controller->execute({given, {}, "server"});
  return done ? Status{} : tl::unexpected(done.error());
}

Status RunningServer::Parts::listen_to_agents() {
  std::vector<std::string> names;
  for (const engine::NodeRecord& node : controller->state().nodes()) {
    if (node.condition != NodeCondition::kRemoved) names.push_back(node.spec->name);
  }
  gateway->expect(names);
  auto listening = server::AgentServer::listen({options.agents_address, {}}, *gateway);
  if (!listening) return tl::unexpected(listening.error());
  agents = std::move(*listening);
  return {};
}

Status RunningServer::Parts::serve() {
  events = std::make_unique<server::EventHub>(*replica);
  questions = std::make_unique<server::Questions>();
  writer = std::make_unique<LoopWriter>(*loop);
  if (options.requests_per_second > 0) {
    rates = std::make_unique<server::RateLimit>(options.requests_per_second,
                                                2 * options.requests_per_second);
  }
  service.reset(new server::Service{*replica, *writer, *events, *questions, input.models,
                                    options.version, [this] { return metrics(); },
                                    [this]() -> std::string {
                                      const std::lock_guard lock(failure_mutex);
                                      return failure ? failure->to_text() : "";
                                    }});
  api = std::make_unique<server::Api>(
      *service, server::Api::Parts{options.authenticate, nullptr, nullptr, rates.get()});
  const auto handler = [this](std::shared_ptr<server::HttpExchange> exchange) {
    api->handle(exchange);
  };
  auto listening = options.tls ? server::serve_https(options.http, *options.tls, handler)
                               : server::serve_http(options.http, handler);
  if (!listening) return tl::unexpected(listening.error());
  http = std::move(*listening);
  return {};
}

void RunningServer::Parts::simulate_nodes() {
  sim::SimAgentsInput simulated;
  simulated.nodes = input.nodes;
  simulated.models = input.models;
  simulated.hub.server = "127.0.0.1:" + std::to_string(agents->port());
  simulated.token = options.agents_token;
  simulated.instance = random_word();
  simulated.executor = input.settings.executor;
  simulated.seed = input.settings.seed;
  sim_agents = std::make_unique<sim::SimAgents>(std::move(simulated), *scaled);
}

// The jobs of the simulation arrive as time passes, from now on.
void RunningServer::Parts::play_jobs() {
  if (input.jobs == nullptr) return;
  jobs_begin = clock.now();
  next_job = input.jobs->next();
  jobs = std::make_unique<Ticker>(50, [this] { submit_due(); });
}

void RunningServer::Parts::submit_due() {
  constexpr int kMostAtOnce = 1000;
  for (int i = 0; i < kMostAtOnce && next_job; ++i) {
    if (jobs_begin + next_job->at > clock.now()) return;
    auto spec = std::make_shared<JobSpec>(*next_job->spec);
    spec->run_time_ms = next_job->run_ms;  // the simulated node has to know when it ends
    Command command{SubmitJob{next_job->name, std::move(spec)},
                    "played-" + std::to_string(jobs_begin) + "-" + next_job->name, "workload"};
    loop->post(std::move(command), [](const Result<control::Reply>&) {});
    next_job = input.jobs->next();
  }
}

std::string RunningServer::Parts::metrics() const {
  using server::MetricKind;
  const auto view = replica->read(server::cluster_view);
  const control::ControlLoop::Counts& loops = loop->counts();
  std::vector<server::MetricFamily> families = {counts.family()};
  const auto add = [&](const char* name, const char* text, MetricKind kind, double value) {
    families.push_back({name, text, kind, {{{}, value}}});
  };
  add("berth_revision", "Events in the journal.", MetricKind::kGauge,
      static_cast<double>(view.revision));
  add("berth_term", "Term of the leader.", MetricKind::kGauge, static_cast<double>(view.term));
  add("berth_nodes", "Nodes.", MetricKind::kGauge, static_cast<double>(view.nodes));
  add("berth_nodes_ready", "Nodes that take work.", MetricKind::kGauge,
      static_cast<double>(view.nodes_ready));
  add("berth_cards", "Cards.", MetricKind::kGauge, static_cast<double>(view.cards));
  add("berth_cards_used", "Compute that is given, in cards.", MetricKind::kGauge,
      static_cast<double>(view.cards_used) / static_cast<double>(kCard));
  add("berth_jobs_waiting", "Jobs that wait.", MetricKind::kGauge,
      static_cast<double>(view.waiting));
  add("berth_jobs_placed", "Jobs that have a place.", MetricKind::kGauge,
      static_cast<double>(view.running));
  add("berth_commands_total", "Commands decided.", MetricKind::kCounter,
      static_cast<double>(loops.commands));
  add("berth_commits_total", "Groups of commands committed together.", MetricKind::kCounter,
      static_cast<double>(loops.commits));
  add("berth_cycles_total", "Cycles planned.", MetricKind::kCounter,
      static_cast<double>(loops.cycles));
  add("berth_cycle_seconds", "Time that the last cycle took to plan.", MetricKind::kGauge,
      static_cast<double>(loops.cycle_us) / 1e6);
  add("berth_lost_races_total", "Placements that no longer held when they were committed.",
      MetricKind::kCounter, static_cast<double>(loops.lost_races));
  add("berth_snapshots_total", "Snapshots saved.", MetricKind::kCounter,
      static_cast<double>(loops.snapshots));
  add("berth_commands_waiting", "Commands that wait for the writer.", MetricKind::kGauge,
      static_cast<double>(loop->waiting()));
  add("berth_commands_refused_total", "Commands refused because too many waited.",
      MetricKind::kCounter, static_cast<double>(loops.refused));
  add("berth_watches", "Open watches of events.", MetricKind::kGauge,
      static_cast<double>(events->open()));
  const server::GatewayCounts sessions = gateway->counts();
  add("berth_agent_sessions", "Agents that are connected.", MetricKind::kGauge,
      static_cast<double>(sessions.sessions));
  add("berth_agent_orders", "Orders kept for agents.", MetricKind::kGauge,
      static_cast<double>(sessions.orders));
  add("berth_agent_reports_repeated_total", "Reports that came again.", MetricKind::kCounter,
      static_cast<double>(sessions.repeated));
  return server::metrics_text(families);
}

RunningServer::RunningServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RunningServer::~RunningServer() = default;

Result<std::unique_ptr<RunningServer>> RunningServer::start(ServeOptions options,
                                                            sim::SimInput first) {
  auto parts = std::make_unique<Parts>(std::move(options), std::move(first));
  if (parts->options.agents_token.empty()) parts->options.agents_token = random_word();
  for (Status (Parts::*step)() : {&Parts::open_journal, &Parts::recover, &Parts::declare}) {
    if (auto s = ((*parts).*step)(); !s) return tl::unexpected(s.error());
  }
  parts->loop->start();
  if (auto s = parts->listen_to_agents(); !s) return tl::unexpected(s.error());
  if (auto s = parts->serve(); !s) return tl::unexpected(s.error());
  parts->ticker = std::make_unique<Ticker>(kSecondMs, [p = parts.get()] { p->gateway->look(); });
  if (parts->options.dev) {
    parts->simulate_nodes();
    if (parts->options.dev->plays_jobs) parts->play_jobs();
  }
  return std::unique_ptr<RunningServer>(new RunningServer(std::move(parts)));
}

std::uint16_t RunningServer::http_port() const { return parts_->http->port(); }
int RunningServer::agents_port() const { return parts_->agents->port(); }
std::size_t RunningServer::nodes() const { return parts_->gateway->counts().sessions; }

void RunningServer::on_failure(std::function<void(const Error&)> call) {
  const std::lock_guard lock(parts_->failure_mutex);
  if (parts_->failure) {
    call(*parts_->failure);
  } else {
    parts_->on_failure = std::move(call);
  }
}

}  // namespace berth::cli
