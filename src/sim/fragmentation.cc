#include "sim/fragmentation.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/placement/fragmentation.h"

namespace berth::sim {
namespace {

using engine::StrandedBy;
using engine::WeightedShape;

constexpr std::size_t kMostShapes = 48;  // the most frequent ones stand for the mix

std::vector<WeightedShape> device_mix(const engine::ClusterState& state) {
  std::vector<WeightedShape> mix;
  const auto sightings = state.sightings();
  for (std::size_t i = 0; i < sightings.size(); ++i) {
    const ShapeIndex index(static_cast<std::uint32_t>(i));
    if (sightings[i] == 0 || state.shapes().at(index).request.devices.empty()) continue;
    mix.push_back({index, static_cast<std::int64_t>(sightings[i])});
  }
  std::stable_sort(mix.begin(), mix.end(), [](const WeightedShape& a, const WeightedShape& b) {
    return a.weight > b.weight;
  });
  if (mix.size() > kMostShapes) mix.resize(kMostShapes);
  return mix;
}

// Nothing for a model that the shape does not want: that capacity is of use to others.
std::optional<Cause> cause_of(StrandedBy stranded) {
  switch (stranded) {
    case StrandedBy::kModel:
      return std::nullopt;
    case StrandedBy::kNodeState:
    case StrandedBy::kCardHealth:
      return Cause::kHealth;
    case StrandedBy::kMode:
    case StrandedBy::kTrustDomain:
    case StrandedBy::kClients:
      return Cause::kMode;
    case StrandedBy::kMigPlacement:
      return Cause::kMig;
    case StrandedBy::kCardCompute:
    case StrandedBy::kCardMemory:
    case StrandedBy::kCardBoth:
      return Cause::kCard;
    case StrandedBy::kTooFewCards:
    case StrandedBy::kDomain:
      return Cause::kTopology;
    case StrandedBy::kNodeCpu:
    case StrandedBy::kNodeMemory:
    case StrandedBy::kNodeResource:
      return Cause::kNode;
  }
  return std::nullopt;
}

double part_of_card(CardUnits units) {
  return static_cast<double>(units) / static_cast<double>(kCard);
}

}  // namespace

std::array<double, kCauseCount> unschedulable_cards(const engine::ClusterState& state) {
  std::array<double, kCauseCount> cards{};
  const std::vector<WeightedShape> mix = device_mix(state);
  if (mix.empty()) return cards;
  const engine::FragmentationGauge gauge = engine::gauge_of(state, mix);
  for (std::size_t i = 0; i < engine::kStrandedCauses; ++i) {
    const auto cause = cause_of(static_cast<StrandedBy>(i));
    if (cause) cards[static_cast<std::size_t>(*cause)] += part_of_card(gauge.by_cause[i].compute);
  }
  // the gauge counts what is kept for a job like a node that takes no work; it serves that job
  double& idle = cards[static_cast<std::size_t>(Cause::kHealth)];
  idle = std::max(0.0, idle - kept_cards(state));
  return cards;
}

double kept_cards(const engine::ClusterState& state) {
  CardUnits free = 0;
  for (const engine::NodeRecord& node : state.nodes()) {
    if (node.held_for.is_none() || node.condition != NodeCondition::kReady) continue;
    for (const engine::CardState& card : node.cards) {
      if (card.health == CardHealth::kHealthy) free += card.compute_free;
    }
  }
  return part_of_card(free);
}

double request_share(const engine::ClusterState& state, const DeviceRequest& request) {
  if (request.kind == ShareKind::kWhole) return 1;
  if (request.kind == ShareKind::kShare) return part_of_card(request.compute);
  for (std::size_t m = 0; m < state.model_count(); ++m) {
    const GpuModel& gpu = *state.model(ModelIndex(static_cast<std::uint16_t>(m))).gpu;
    for (const MigProfile& profile : gpu.mig_profiles) {
      if (profile.name == request.mig_profile && gpu.compute_slices > 0) {
        return static_cast<double>(profile.compute_slices) / gpu.compute_slices;
      }
    }
  }
  return 0;
}

}  // namespace berth::sim
