// LayoutLog: the MIG layouts of the cards of the static regime at the beginning and at the end of a
// run, and the last changes of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/state/cluster_state.h"
#include "model/event.h"
#include "sim/run_result.h"

namespace berth::sim {

class LayoutLog {
 public:
  void begin(const engine::ClusterState& state);
  // A change took its next step; the state knows of it.
  void advanced(const RegeometryAdvanced& event, const engine::ClusterState& state, TimeMs now);

  void fill(const engine::ClusterState& state, RunResult& result) const;

 private:
  using Card = std::pair<NodeIndex, std::uint16_t>;
  using Uses = std::map<std::pair<std::string, std::vector<std::uint8_t>>, LayoutUse>;  // by model

  template <typename Note>  // note(use, card)
  static void count(const engine::ClusterState& state, Uses& uses, Note note);

  Uses before_;
  std::map<Card, TimeMs> planned_at_;
  std::vector<LayoutChangeNote> changes_;  // that have ended, rising in time
};

}  // namespace berth::sim
