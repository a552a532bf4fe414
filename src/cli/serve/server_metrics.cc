#include "cli/serve/server_metrics.h"

#include <limits>

#include "server/make_views.h"

namespace berth::cli {
namespace {

using server::MetricKind;
using server::MetricSample;
using Samples = std::vector<MetricSample>;
constexpr MetricKind kCounter = MetricKind::kCounter;
constexpr MetricKind kGauge = MetricKind::kGauge;
constexpr MetricKind kHistogram = MetricKind::kHistogram;
constexpr MetricTeller kEach = MetricTeller::kEach;
constexpr MetricTeller kLeader = MetricTeller::kLeader;
constexpr MetricTeller kWithTls = MetricTeller::kWithTls;

// What the values are read from. Those of a leader are asked while it leads only.
struct Reading {
  const MeasuredServer& at;
  server::ClusterView view;

  const control::ControlLoop::Counts& loop() const { return at.loop->counts(); }
};

struct Declared {
  server::MetricSpec spec;
  MetricTeller teller;
  Samples (*read)(const Reading&);
};

template <typename Number>
Samples one(const Number& value) {
  return {{{}, static_cast<double>(value), {}}};
}

double seconds(DurationMs ms) { return static_cast<double>(ms) / static_cast<double>(kSecondMs); }

Samples staleness(const Reading& from) {
  const auto& ms = from.at.staleness_ms;
  return one(ms ? seconds(*ms) : std::numeric_limits<double>::infinity());
}

const std::vector<Declared>& of_the_server() {
  static const std::vector<Declared> kMetrics = {
      {{"berth_info", kGauge, "1", "The program that runs; label `version`."},
       kEach,
       [](const Reading& from) -> Samples {
         return {{{{"version", from.at.version}}, 1, {}}};
       }},
      {{"berth_leads", kGauge, "0 or 1", "Whether this server leads."},
       kEach,
       [](const Reading& from) { return one(from.at.loop != nullptr ? 1 : 0); }},
      {{"berth_term", kGauge, "1", "Term of the leader; each one that begins is higher."},
       kEach,
       [](const Reading& from) { return one(from.view.term); }},
      {{"berth_revision", kGauge, "events", "Events of the journal that this server has read."},
       kEach,
       [](const Reading& from) { return one(from.view.revision); }},
      {{"berth_staleness_seconds", kGauge, "seconds",
        "How old at most is what this server answers; 0 where it leads, +Inf before it has read "
        "the journal to its end."},
       kEach,
       staleness},
      {{"berth_certificate_expiry_seconds", kGauge, "Unix time, in seconds",
        "When the certificate that the server was started with runs out."},
       kWithTls,
       [](const Reading& from) { return one(seconds(*from.at.certificate_expires_at)); }},
      {{"berth_watches", kGauge, "streams", "Open watches of events."},
       kEach,
       [](const Reading& from) { return one(from.at.events.open()); }},
  };
  return kMetrics;
}

const std::vector<Declared>& of_the_cluster() {
  static const std::vector<Declared> kMetrics = {
      {{"berth_nodes", kGauge, "nodes", "Nodes of the cluster."},
       kEach,
       [](const Reading& from) { return one(from.view.nodes); }},
      {{"berth_nodes_ready", kGauge, "nodes", "Nodes that take work."},
       kEach,
       [](const Reading& from) { return one(from.view.nodes_ready); }},
      {{"berth_cards", kGauge, "cards", "Cards of the cluster."},
       kEach,
       [](const Reading& from) { return one(from.view.cards); }},
      {{"berth_cards_used", kGauge, "cards", "Compute that is given, in cards."},
       kEach,
       [](const Reading& from) {
         return one(static_cast<double>(from.view.cards_used) / static_cast<double>(kCard));
       }},
      {{"berth_jobs_waiting", kGauge, "jobs", "Jobs that wait."},
       kEach,
       [](const Reading& from) { return one(from.view.waiting); }},
      {{"berth_jobs_placed", kGauge, "jobs", "Jobs that have a place."},
       kEach,
       [](const Reading& from) { return one(from.view.running); }},
  };
  return kMetrics;
}

const std::vector<Declared>& of_deciding() {
  static const std::vector<Declared> kMetrics = {
      {{"berth_events_total", kCounter, "events",
        "Events committed by this process; label `type`, such as `job-submitted`."},
       kLeader,
       [](const Reading& from) { return from.at.counts.events(); }},
      {{"berth_job_wait_seconds", kHistogram, "seconds",
        "Waits in the queue that ended with the job running; label `class`, and `after`: `submit`, "
        "or `stop` for a job that had run before and waited since then."},
       kLeader,
       [](const Reading& from) { return from.at.counts.queue_waits(); }},
      {{"berth_job_repair_seconds", kHistogram, "seconds",
        "From the loss of a task until a running job had another in its place; label `class`."},
       kLeader,
       [](const Reading& from) { return from.at.counts.repairs(); }},
      {{"berth_commands_total", kCounter, "commands", "Commands decided."},
       kLeader,
       [](const Reading& from) { return one(from.loop().commands); }},
      {{"berth_commands_waiting", kGauge, "commands", "Commands that wait for the writer."},
       kLeader,
       [](const Reading& from) { return one(from.at.loop->waiting()); }},
      {{"berth_commands_refused_total", kCounter, "commands",
        "Commands refused because too many waited."},
       kLeader,
       [](const Reading& from) { return one(from.loop().refused); }},
      {{"berth_commits_total", kCounter, "commits", "Groups of commands committed together."},
       kLeader,
       [](const Reading& from) { return one(from.loop().commits); }},
      {{"berth_cycles_total", kCounter, "cycles", "Cycles planned."},
       kLeader,
       [](const Reading& from) { return one(from.loop().cycles); }},
      {{"berth_cycle_seconds", kGauge, "seconds", "Time that the last cycle took to plan."},
       kLeader,
       [](const Reading& from) { return one(static_cast<double>(from.loop().cycle_us) / 1e6); }},
      {{"berth_lost_races_total", kCounter, "placements",
        "Placements that no longer held when they were committed."},
       kLeader,
       [](const Reading& from) { return one(from.loop().lost_races); }},
      {{"berth_snapshots_total", kCounter, "snapshots", "Snapshots saved."},
       kLeader,
       [](const Reading& from) { return one(from.loop().snapshots); }},
  };
  return kMetrics;
}

const std::vector<Declared>& of_agents() {
  static const std::vector<Declared> kMetrics = {
      {{"berth_agent_sessions", kGauge, "sessions", "Agents that are connected."},
       kLeader,
       [](const Reading& from) { return one(from.at.agents.sessions); }},
      {{"berth_agents_turned_away_total", kCounter, "joins", "Agents that were not let in."},
       kLeader,
       [](const Reading& from) { return one(from.at.agents.turned_away); }},
      {{"berth_agent_orders", kGauge, "orders",
        "Orders kept for agents until a report says that they are over."},
       kLeader,
       [](const Reading& from) { return one(from.at.agents.orders); }},
      {{"berth_agent_orders_refused_total", kCounter, "orders",
        "Orders that an agent did not follow."},
       kLeader,
       [](const Reading& from) { return one(from.at.agents.refused); }},
      {{"berth_agent_reports_repeated_total", kCounter, "reports", "Reports that came again."},
       kLeader,
       [](const Reading& from) { return one(from.at.agents.repeated); }},
  };
  return kMetrics;
}

std::vector<Declared> all() {
  std::vector<Declared> metrics;
  for (const auto& part : {of_the_server, of_the_cluster, of_deciding, of_agents}) {
    metrics.insert(metrics.end(), part().begin(), part().end());
  }
  return metrics;
}

bool tells(const MeasuredServer& at, MetricTeller teller) {
  switch (teller) {
    case MetricTeller::kEach:
      return true;
    case MetricTeller::kLeader:
      return at.loop != nullptr;
    case MetricTeller::kWithTls:
      return at.certificate_expires_at.has_value();
  }
  return false;
}

const char* text_of(MetricTeller teller) {
  switch (teller) {
    case MetricTeller::kEach:
      return "each server";
    case MetricTeller::kLeader:
      return "the leader";
    case MetricTeller::kWithTls:
      return "each server with TLS";
  }
  return "";
}

}  // namespace

std::vector<ToldMetric> server_metric_specs() {
  std::vector<ToldMetric> specs;
  for (const Declared& metric : all()) specs.push_back({metric.spec, metric.teller});
  return specs;
}

std::string metrics_reference() {
  std::string text =
      "# Metrics\n\n"
      "What `/metrics` tells, in the text format of Prometheus. A server that runs alone leads. "
      "Counters begin at 0\nwith each start of the process; all of the leader's but "
      "`berth_events_total` and the waits of jobs with each of its terms.\n\n"
      "| metric | kind | unit | told by | meaning |\n|---|---|---|---|---|\n";
  for (const Declared& metric : all()) {
    text += "| `" + std::string(metric.spec.name) + "` | " + server::word(metric.spec.kind) +
            " | " + metric.spec.unit + " | " + text_of(metric.teller) + " | " + metric.spec.text +
            " |\n";
  }
  return text;
}

std::string server_metrics(const MeasuredServer& at) {
  const Reading from{at, at.replica.read(server::cluster_view)};
  std::vector<server::MetricFamily> families;
  for (const Declared& metric : all()) {
    if (tells(at, metric.teller)) families.push_back({metric.spec, metric.read(from)});
  }
  return server::metrics_text(families);
}

}  // namespace berth::cli
