#include "sim/mix_learner.h"

#include <algorithm>

namespace berth::sim {

std::vector<MixEntry> seen_mix(const engine::ClusterState& state, std::size_t most) {
  std::vector<MixEntry> mix;
  const auto sightings = state.sightings();
  for (std::size_t i = 0; i < sightings.size(); ++i) {
    const engine::Shape& shape = state.shapes().at(ShapeIndex(static_cast<std::uint32_t>(i)));
    if (sightings[i] == 0 || shape.request.devices.empty()) continue;
    mix.push_back({shape.request, static_cast<std::int64_t>(sightings[i])});
  }
  std::stable_sort(mix.begin(), mix.end(),
                   [](const MixEntry& a, const MixEntry& b) { return a.weight > b.weight; });
  if (mix.size() > most) mix.resize(most);
  return mix;
}

FitPtr MixLearner::learn(const engine::ClusterState& state) {
  auto fit = std::make_shared<Fit>();
  fit->mix = seen_mix(state, kMixShapes);
  return fit;
}

}  // namespace berth::sim
