// What a declaration or a job may say, held against the state: every name known, and nothing asked
// for that the engine would not honour. Errors name the field, the value and what is accepted.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// "'x' is not a queue; did you mean 'y'?"
tl::unexpected<Error> unknown_name(const std::string& what, const std::string& name,
                                   const std::vector<std::string>& known, const std::string& field);

// A job: its queue, partition, models, profiles and levels exist, and its selectors can be
// evaluated. Whether there is room now is not asked.
Status check_spec(const ClusterState& state, const JobSpec& spec);

// The shapes of a demand mix ask for what exists.
Status check_mix(const ClusterState& state, const std::vector<MixEntry>& mix);

// A topology that replaces the state's: levels that nodes or jobs use must stay.
Status check_topology(const ClusterState& state, const TopologySpec& topology);

}  // namespace berth::engine
