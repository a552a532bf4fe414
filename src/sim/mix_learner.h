// MixLearner: the demand mix as it was seen, without tables derived from it: the most frequent
// shapes by sightings.
#pragma once

#include "control/ports.h"

namespace berth::sim {

inline constexpr std::size_t kMixShapes = 64;

// The most frequent shapes that ask for devices, most frequent first, ties by shape.
std::vector<MixEntry> seen_mix(const engine::ClusterState& state, std::size_t most);

class MixLearner final : public control::Learner {
 public:
  FitPtr learn(const engine::ClusterState& state) override;
};

}  // namespace berth::sim
