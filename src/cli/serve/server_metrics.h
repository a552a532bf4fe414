// What a server tells of itself at /metrics.
#pragma once

#include <memory>
#include <string>

#include "control/control_loop.h"
#include "server/agents/gateway.h"
#include "server/event_hub.h"
#include "server/metrics.h"
#include "server/replica.h"

namespace berth::cli {

struct MeasuredServer {
  const server::EventCounts& counts;
  server::Replica& replica;
  const server::EventHub& events;
  std::shared_ptr<control::ControlLoop> loop;  // null: it does not lead
  server::GatewayCounts agents;
};

std::string server_metrics(const MeasuredServer& at);

}  // namespace berth::cli
