// Berth's own policy by a look at every node state: no two shapes are ever taken for equal, as the
// engine's search does where the state knows very many. Slow; for what that costs in allocation.
// Owns: one scan that follows the state's fits. Must never change the state.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/placement/worth_scan.h"
#include "engine/state/cluster_state.h"
#include "model/event.h"

namespace berth::bench::speed {

class ExactPlacement {
 public:
  // Grants one pending job of a single task a place at once; nothing when it fits nowhere.
  EventBatch place_at_once(const engine::ClusterState& state, JobId job, TimeMs now);

 private:
  std::optional<engine::WorthScan> scan_;
  std::uint64_t fit_revision_ = 0;  // that the scan was made for
};

}  // namespace berth::bench::speed
