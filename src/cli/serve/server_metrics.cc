#include "cli/serve/server_metrics.h"

#include "server/make_views.h"

namespace berth::cli {
namespace {

using server::MetricKind;
using Families = std::vector<server::MetricFamily>;

void add_to(Families& families, const char* name, const char* text, MetricKind kind, double value) {
  families.push_back({name, text, kind, {{{}, value}}});
}

void add_loop(const control::ControlLoop& loop, Families& families) {
  const control::ControlLoop::Counts& loops = loop.counts();
  const auto add = [&](const char* name, const char* text, MetricKind kind, double value) {
    add_to(families, name, text, kind, value);
  };
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
      static_cast<double>(loop.waiting()));
  add("berth_commands_refused_total", "Commands refused because too many waited.",
      MetricKind::kCounter, static_cast<double>(loops.refused));
}

}  // namespace

std::string server_metrics(const MeasuredServer& at) {
  const auto view = at.replica.read(server::cluster_view);
  Families families = {at.counts.family()};
  const auto add = [&](const char* name, const char* text, MetricKind kind, double value) {
    add_to(families, name, text, kind, value);
  };
  add("berth_leads", "Whether this server leads.", MetricKind::kGauge,
      at.loop == nullptr ? 0.0 : 1.0);
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
  if (at.loop != nullptr) add_loop(*at.loop, families);
  add("berth_watches", "Open watches of events.", MetricKind::kGauge,
      static_cast<double>(at.events.open()));
  add("berth_agent_sessions", "Agents that are connected.", MetricKind::kGauge,
      static_cast<double>(at.agents.sessions));
  add("berth_agent_orders", "Orders kept for agents.", MetricKind::kGauge,
      static_cast<double>(at.agents.orders));
  add("berth_agent_reports_repeated_total", "Reports that came again.", MetricKind::kCounter,
      static_cast<double>(at.agents.repeated));
  return server::metrics_text(families);
}

}  // namespace berth::cli
