// What a server tells of itself at /metrics. Each metric is declared once, in server_metrics.cc;
// its page in docs/reference comes from there as well.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/control_loop.h"
#include "server/agents/gateway.h"
#include "server/event_hub.h"
#include "server/metrics.h"
#include "server/replica.h"

namespace berth::cli {

struct MeasuredServer {
  const server::ControlMetrics& counts;
  server::Replica& replica;
  const server::EventHub& events;
  std::shared_ptr<control::ControlLoop> loop;  // null: it does not lead
  server::GatewayCounts agents;
  std::string version;
  std::optional<DurationMs> staleness_ms;        // none: it has not read the journal to its end yet
  std::optional<TimeMs> certificate_expires_at;  // none: it has no TLS
};

// Which servers tell it.
enum class MetricTeller : std::uint8_t { kEach, kLeader, kWithTls };

struct ToldMetric {
  server::MetricSpec spec;
  MetricTeller teller;
};

std::vector<ToldMetric> server_metric_specs();
// Their page of the reference.
std::string metrics_reference();

std::string server_metrics(const MeasuredServer& at);

}  // namespace berth::cli
