#include "cli/serve/running_server.h"

#include <mutex>
#include <random>

#include "cli/serve/clocks.h"
#include "cli/serve/dev_access.h"
#include "cli/serve/jwks_fetch.h"
#include "cli/serve/leading.h"
#include "cli/serve/log.h"
#include "cli/serve/server_metrics.h"
#include "cli/serve/switch_writer.h"
#include "cli/serve/ticker.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"
#include "server/authenticator.h"
#include "server/call.h"
#include "server/event_hub.h"
#include "server/files.h"
#include "server/forwarder.h"
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

}  // namespace

struct RunningServer::Parts {
  explicit Parts(ServeOptions given, sim::SimInput first_input)
      : options(std::move(given)),
        input(std::move(first_input)),
        clock(wall),
        replica(clock),
        tokens(replica.tokens(), clock) {}
  // In the order in which nothing is called any more.
  ~Parts() {
    if (http) http->stop();  // streams and answers under way are kept by others
    jobs.reset();
    sim_agents.reset();
    replicated.reset();
    switch_to(nullptr);
    alone.reset();
    forwarder.reset();
    api.reset();
    service.reset();
    events.reset();
    questions.reset();
    http.reset();
  }

  Status read_page();
  Status lead_alone();
  Status join_others();
  Status meet_provider();
  Result<server::Principal> authenticate(const server::HttpRequest& request) const;
  Result<std::unique_ptr<Leading>> lead(control::Journal& journal, control::Snapshots& snapshots,
                                        std::uint64_t term,
                                        std::function<void(const Error&)> failed);
  void switch_to(Leading* leading);
  void fail_with(const Error& error);
  Status serve();
  bool forward(const std::shared_ptr<server::HttpExchange>& exchange);
  std::string not_ready() const;
  std::optional<DurationMs> staleness() const;  // with the mutex held
  void simulate_nodes();
  void play_jobs();
  void submit_due();
  std::string metrics();

  ServeOptions options;
  sim::SimInput input;
  WallClock wall;
  MonotonicClock monotonic;
  SettableClock clock;
  std::optional<sim::ScaledClock> scaled;
  Storage storage;
  server::ControlMetrics counts;
  server::Replica replica;
  SwitchWriter writer;
  std::unique_ptr<Leading> alone;
  std::unique_ptr<Replicated> replicated;
  std::unique_ptr<server::Forwarder> forwarder;
  std::unique_ptr<sim::SimAgents> sim_agents;
  std::unique_ptr<server::EventHub> events;
  std::unique_ptr<server::Questions> questions;
  std::unique_ptr<server::RateLimit> rates;
  server::TokenBook tokens;
  std::unique_ptr<server::OidcLogin> users;  // none: there is no identity provider
  server::WebFiles page;
  std::unique_ptr<server::Service> service;
  std::unique_ptr<server::Api> api;
  std::unique_ptr<server::HttpServer> http;
  std::unique_ptr<Ticker> jobs;
  std::optional<sim::SimJob> next_job;
  TimeMs jobs_begin = 0;

  mutable std::mutex mutex;
  Leading* leading = nullptr;  // guarded, as all below
  std::optional<Error> failure;
  std::function<void(const Error&)> on_failure;
};

Status RunningServer::Parts::read_page() {
  if (options.web.empty()) return {};
  auto read = server::WebFiles::read(options.web);
  if (!read) return tl::unexpected(read.error());
  page = std::move(*read);
  return {};
}

void RunningServer::Parts::switch_to(Leading* to) {
  writer.lead(to == nullptr ? nullptr : to->loop());
  const std::lock_guard lock(mutex);
  leading = to;
}

void RunningServer::Parts::fail_with(const Error& error) {
  log_line(LogLevel::kError, "the journal refused: " + error.to_text());
  const std::lock_guard lock(mutex);
  failure = error;
  if (on_failure) on_failure(error);
}

Result<std::unique_ptr<Leading>> RunningServer::Parts::lead(
    control::Journal& journal, control::Snapshots& snapshots, std::uint64_t term,
    std::function<void(const Error&)> failed) {
  LeadingOptions leads;
  leads.term = term;
  leads.least_term = options.least_term;
  leads.agents_address = options.agents_address;
  leads.agents_token = options.agents_token;
  leads.other_agents_tokens = options.other_agents_tokens;
  leads.agents_tls = options.agents_tls;
  leads.first_tokens = options.first_tokens;
  leads.new_tokens = options.new_tokens;
  leads.snapshot_every = options.snapshot_every;
  leads.failed = std::move(failed);
  leads.recovered = [this](const engine::ClusterState& state) {
    if (!options.dev || scaled) return;
    scaled.emplace(monotonic, options.dev->speed, std::max(wall.now(), state.now()));
    clock.set(*scaled);
  };
  return Leading::start({journal, snapshots, replica, clock, monotonic, counts}, std::move(leads),
                        input);
}

Status RunningServer::Parts::lead_alone() {
  if (!options.journal.empty()) {
    auto opened = journal::SqliteJournal::open(options.journal);
    if (!opened) return tl::unexpected(opened.error());
    storage.sqlite = std::move(*opened);
    if (storage.sqlite->had_tail()) {
      log_line(LogLevel::kWarning, options.journal +
                                       ": the server before was killed; what it was writing is cut "
                                       "off, and all that was answered is there");
    }
    storage.sqlite->keep_history(options.history_ms);
  }
  auto led = lead(storage.journal(), storage.snapshots(), 0,
                  [this](const Error& error) { fail_with(error); });
  if (!led) return tl::unexpected(led.error());
  alone = std::move(*led);
  switch_to(alone.get());
  return {};
}

Status RunningServer::Parts::join_others() {
  if (options.replicated->address.empty()) {
    options.replicated->address = (options.tls ? "https://" : "http://") + options.http.address +
                                  ":" + std::to_string(http->port());
  }
  forwarder = std::make_unique<server::Forwarder>(
      server::Forwarder::Options{.ca = options.replicated->servers_ca});
  auto joined = Replicated::start(
      *options.replicated, replica,
      [this](control::Journal& journal, control::Snapshots& snapshots, std::uint64_t term,
             std::function<void(const Error&)> failed) {
        return lead(journal, snapshots, term, std::move(failed));
      },
      [this](Leading* to) { switch_to(to); });
  if (!joined) return tl::unexpected(joined.error());
  const std::lock_guard lock(mutex);
  replicated = std::move(*joined);
  return {};
}

// A provider that cannot be reached now must not keep the fleet without its control plane.
Status RunningServer::Parts::meet_provider() {
  if (!options.oidc) return {};
  users = std::make_unique<server::OidcLogin>(*options.oidc, jwks_fetch(*options.oidc), clock);
  const Status loaded = users->load();
  if (loaded || !is_url(options.oidc->jwks)) return loaded;
  log_line(LogLevel::kWarning,
           "users of " + options.oidc->issuer + " are refused until its keys can be had");
  return {};
}

Result<server::Principal> RunningServer::Parts::authenticate(
    const server::HttpRequest& request) const {
  if (options.dev) return dev_principal(request);
  return server::Authenticator(tokens, users.get()).find(request);
}

// False: this server decides itself.
bool RunningServer::Parts::forward(const std::shared_ptr<server::HttpExchange>& exchange) {
  if (!options.replicated || writer.loop() != nullptr) return false;
  Replicated* others = nullptr;
  {
    const std::lock_guard lock(mutex);
    others = replicated.get();
  }
  const auto leader = others == nullptr ? std::nullopt : others->leader();
  if (!leader || exchange->request().header(server::kForwardedHeader)) {
    exchange->answer(server::error_response(
        {ErrorCode::kUnavailable, "no server leads at the moment; ask again", {}, 0}));
    return true;
  }
  forwarder->forward(exchange, *leader);
  return true;
}

// How old at most a read is; none: it has not caught up yet.
std::optional<DurationMs> RunningServer::Parts::staleness() const {
  if (!options.replicated) return 0;
  return replicated == nullptr ? std::nullopt : replicated->staleness();
}

std::string RunningServer::Parts::not_ready() const {
  const std::lock_guard lock(mutex);
  if (failure) return failure->to_text();
  const auto stale = staleness();
  if (!stale) return "the journal is not read to its end yet";
  return *stale <= server::kMostStalenessMs ? "" : "the journal cannot be reached";
}

Status RunningServer::Parts::serve() {
  events = std::make_unique<server::EventHub>(replica, clock);
  questions = std::make_unique<server::Questions>();
  if (options.requests_per_second > 0) {
    rates = std::make_unique<server::RateLimit>(options.requests_per_second,
                                                2 * options.requests_per_second);
  }
  service.reset(new server::Service{replica, writer, *events, *questions, input.models,
                                    options.version, [this] { return metrics(); },
                                    [this] { return not_ready(); },
                                    [this]() {
                                      const std::lock_guard lock(mutex);
                                      return staleness();
                                    }});
  api = std::make_unique<server::Api>(
      *service, server::Api::Parts{
                    [this](const server::HttpRequest& request) { return authenticate(request); },
                    [this](const std::shared_ptr<server::HttpExchange>& exchange) {
                      return forward(exchange);
                    },
                    [this](const std::shared_ptr<server::HttpExchange>& exchange) {
                      return page.answer(exchange);
                    },
                    rates.get()});
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
  simulated.hub.server = "127.0.0.1:" + std::to_string(alone->agents_port());
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
    writer.post(std::move(command), [](const Result<control::Reply>&) {});
    next_job = input.jobs->next();
  }
}

std::string RunningServer::Parts::metrics() {
  const std::lock_guard lock(mutex);
  server::GatewayCounts agents;
  if (leading != nullptr) agents = leading->agents();
  return server_metrics({counts, replica, *events, writer.loop(), agents, options.version,
                         staleness(), options.certificate_expires_at});
}

RunningServer::RunningServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RunningServer::~RunningServer() = default;

Result<std::unique_ptr<RunningServer>> RunningServer::start(ServeOptions options,
                                                            sim::SimInput first) {
  auto parts = std::make_unique<Parts>(std::move(options), std::move(first));
  if (parts->options.agents_token.empty()) parts->options.agents_token = random_word();
  const bool is_alone = !parts->options.replicated;
  if (auto s = parts->read_page(); !s) return tl::unexpected(s.error());
  if (auto s = parts->meet_provider(); !s) return tl::unexpected(s.error());
  if (is_alone) {
    if (auto s = parts->lead_alone(); !s) return tl::unexpected(s.error());
  }
  if (auto s = parts->serve(); !s) return tl::unexpected(s.error());
  if (!is_alone) {
    if (auto s = parts->join_others(); !s) return tl::unexpected(s.error());
  }
  const auto& dev = parts->options.dev;
  if (dev && is_alone && dev->simulates_nodes) parts->simulate_nodes();
  if (dev && dev->plays_jobs) parts->play_jobs();
  return std::unique_ptr<RunningServer>(new RunningServer(std::move(parts)));
}

std::uint16_t RunningServer::http_port() const { return parts_->http->port(); }

int RunningServer::agents_port() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->leading == nullptr ? 0 : parts_->leading->agents_port();
}

void RunningServer::on_failure(std::function<void(const Error&)> call) {
  const std::lock_guard lock(parts_->mutex);
  if (parts_->failure) {
    call(*parts_->failure);
  } else {
    parts_->on_failure = std::move(call);
  }
}

}  // namespace berth::cli
