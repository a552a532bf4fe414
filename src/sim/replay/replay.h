// Replay: what a journal recorded, once more under other policies: the load that the cluster had,
// on the fleet that it has, in the simulator.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/replay/recorded_load.h"
#include "sim/replay/tenant_tally.h"
#include "sim/run_result.h"
#include "sim/simulation.h"

namespace berth::sim {

using FiguresByTenant = std::map<std::string, TenantFigures>;

// What was recorded, and what it takes to play it.
struct Recorded {
  RecordedLoad load;
  engine::ClusterState end;
  FiguresByTenant figures;
};

// `from`: the state that the records follow. kInvalid: nothing happened, or there is no fleet.
Result<Recorded> read_recorded(const control::Journal& journal, engine::ClusterState from,
                               DurationMs objective_ms);

struct Played {
  std::string policy;
  FiguresByTenant figures;
  RunResult result;
};

Result<Played> play_recorded(const Recorded& recorded, const PolicySpec& policy,
                             DurationMs objective_ms, const ProgressSink& progress);

}  // namespace berth::sim
