// Vacancy: how likely it is that all that runs on a node has ended soon, by what was learned of run
// times.
#pragma once

#include <cstdint>

#include "engine/state/cluster_state.h"

namespace berth::engine {

inline constexpr std::uint32_t kCertain = 65'536;

// In 1/65536, from `now` on; certain for a node on which nothing runs. Ends are taken to be
// independent. Tasks that only a trial has placed are not seen.
std::uint32_t vacancy(const ClusterState& state, NodeIndex node, TimeMs now, DurationMs within);

}  // namespace berth::engine
