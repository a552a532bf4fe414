// ConsolidationLog: the few consolidations of a run that made most room, each as a map of the cards
// that it concerns, before and after.
#pragma once

#include <vector>

#include "engine/state/cluster_state.h"
#include "model/plan.h"
#include "sim/run_result.h"

namespace berth::sim {

class ConsolidationLog {
 public:
  // A receipt was made; the state is the one from which it takes.
  void issued(const Reclaim& receipt, const engine::ClusterState& state, TimeMs now);

  void fill(RunResult& result) const { result.consolidations = kept_; }

 private:
  std::vector<ConsolidationNote> kept_;  // rising in time
};

}  // namespace berth::sim
