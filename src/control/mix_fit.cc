#include "control/mix_fit.h"

#include <utility>

#include "engine/placement/demand.h"
#include "learn/card_fit.h"

namespace berth::control {

std::vector<MixEntry> sighted_mix(const engine::ClusterState& state) {
  std::vector<MixEntry> mix;
  const auto sightings = state.sightings();
  for (std::size_t i = 0; i < sightings.size(); ++i) {
    if (sightings[i] == 0) continue;
    const ShapeIndex shape(static_cast<std::uint32_t>(i));
    mix.push_back({state.shapes().at(shape).request, static_cast<std::int64_t>(sightings[i])});
  }
  return mix;
}

Fit fit_mix(const engine::ClusterState& state, std::vector<MixEntry> mix) {
  std::vector<learn::CardDemand> demand;
  for (const engine::DemandType& type : engine::demand_types(state, mix)) {
    const bool by_software =
        type.kind == engine::DemandKind::kShare || type.kind == engine::DemandKind::kWhole;
    demand.push_back({type.cpu_milli, by_software ? type.cards : 0, type.milli,
                      static_cast<double>(type.weight)});
  }
  learn::CardFit cards = learn::fit_cards(demand);
  Fit fit;
  fit.mix = std::move(mix);
  fit.hole_worth = std::move(cards.hole_worth);
  fit.share_value = std::move(cards.share_value);
  fit.stranding = std::move(cards.stranding);
  return fit;
}

}  // namespace berth::control
