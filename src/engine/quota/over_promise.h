// Where the root queues together are guaranteed more than the fleet has: nobody is refused for it,
// since capacity can be lost at any time, but operators are told.
#pragma once

#include <string>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::engine {

struct OverPromised {
  FlavourPattern pattern;  // without a model: all cards of the partition, whatever they count under
  CardUnits promised = 0;  // to all roots together
  CardUnits exists = 0;
};

// In no particular order. Lost nodes and cards that are not usable do not exist; those that only
// take no new work do. O(fleet) where something is guaranteed.
std::vector<OverPromised> over_promised(const ClusterState& state);

// "H100-80G in night", "cards of any model"
std::string pattern_name(const ClusterState& state, const FlavourPattern& pattern);

}  // namespace berth::engine
