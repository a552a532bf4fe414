// RoomMemory: which asks found no room, and whether anything has changed since that could matter to
// them. It saves searches and changes no decision: what it calls hopeless would be searched for in
// vain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::engine {

class RoomMemory {
 public:
  // Nodes with more room since are looked at up to this many; after more the ask is tried again.
  static constexpr std::size_t kMostGains = 256;

  // Whether the ask would be tried in vain on any subset of the models it was last tried on.
  bool is_hopeless(const ClusterState& state, AskIndex ask);
  // The ask found no room now, tried on all models that it accepts.
  void note_failure(const ClusterState& state, AskIndex ask);
  void forget(AskIndex ask);

  // Of an ask of one task: the node was found for it now.
  void note_place(const ClusterState& state, AskIndex ask, NodeIndex node);
  // Whether it would fit on the node that was found for it last.
  bool has_place(const ClusterState& state, AskIndex ask) const;

 private:
  struct Failure {
    bool known = false;
    std::uint64_t gains = 0;    // position in the state's log of nodes with more room
    std::uint64_t changes = 0;  // in that of all changes
    std::uint64_t room_revision = 0;
    std::uint64_t prices = 0;  // their revisions: what costs otherwise may be placed otherwise
    std::uint64_t fit = 0;
  };

  static bool may_matter(const ClusterState& state, const Ask& ask, NodeIndex node);

  std::vector<Failure> failures_;  // by ask
  std::vector<NodeIndex> places_;  // by ask
};

}  // namespace berth::engine
