#include "sim/fragmentation.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/sharing/sharing.h"

namespace berth::sim {
namespace {

using engine::CardState;
using engine::ClusterState;
using engine::Shape;
using engine::Slot;

constexpr std::size_t kMostShapes = 48;  // the most frequent ones stand for the mix

struct Draw {
  ShapeIndex shape;
  double weight = 0;
};

std::vector<Draw> device_draws(const ClusterState& state) {
  std::vector<Draw> draws;
  const auto sightings = state.sightings();
  for (std::size_t i = 0; i < sightings.size(); ++i) {
    const ShapeIndex index(static_cast<std::uint32_t>(i));
    if (sightings[i] == 0 || state.shapes().at(index).request.devices.size() != 1) continue;
    draws.push_back({index, static_cast<double>(sightings[i])});
  }
  std::stable_sort(draws.begin(), draws.end(),
                   [](const Draw& a, const Draw& b) { return a.weight > b.weight; });
  if (draws.size() > kMostShapes) draws.resize(kMostShapes);
  return draws;
}

double part_of_card(CardUnits units) {
  return static_cast<double>(units) / static_cast<double>(kCard);
}

// Why this card cannot serve one device of the shape now; nothing when it can.
std::optional<Cause> card_cause(const ClusterState& state, const Shape& shape,
                                const CardState& card) {
  const engine::CardKind& kind = state.card_kind(card.kind);
  const engine::CardAsk ask = state.ask(shape, 0, card.kind);
  const auto rule = engine::sharing_mode(ask.mode).refuses(kind, card, ask);
  if (!rule) return std::nullopt;
  switch (*rule) {
    case Rule::kMigPlacement:
    case Rule::kMigProfile:
      return Cause::kMig;
    case Rule::kCardMode:
    case Rule::kTrustDomain:
    case Rule::kClients:
      return card.mode == CardMode::kMig ? Cause::kMig : Cause::kMode;
    default:
      return card.mode == CardMode::kMig ? Cause::kMig : Cause::kCard;
  }
}

bool accepts_model(const ClusterState& state, const Slot& slot, const Shape& shape) {
  const DeviceRequest& request = shape.request.devices.front();
  const ModelIndex model = state.node_kind(slot.kind).model;
  const auto named = [&](const std::string& name) { return state.find_model(name) == model; };
  return request.models.empty() ||
         std::any_of(request.models.begin(), request.models.end(), named);
}

class Gauge {
 public:
  explicit Gauge(const ClusterState& state) : state_(state), draws_(device_draws(state)) {}

  std::array<double, kCauseCount> run() {
    for (const engine::NodeRecord& node : state_.nodes()) add_unhealthy(node);
    for (const Slot& slot : state_.slots().slots()) {
      if (slot.alive() && !slot.cards.empty()) add_slot(slot);
    }
    return sums_;
  }

 private:
  void add(Cause cause, double cards) { sums_[static_cast<std::size_t>(cause)] += cards; }

  void add_unhealthy(const engine::NodeRecord& node) {
    for (const CardState& card : node.cards) {
      if (node.condition != NodeCondition::kReady || !card.usable()) {
        add(Cause::kHealth, part_of_card(card.compute_free));
      }
    }
  }

  void add_slot(const Slot& slot) {
    std::vector<Draw> accepted;
    double total = 0;
    for (const Draw& draw : draws_) {
      if (!accepts_model(state_, slot, state_.shapes().at(draw.shape)) ||
          !possible(slot, state_.shapes().at(draw.shape))) {
        continue;
      }
      accepted.push_back(draw);
      total += draw.weight;
    }
    for (const Draw& draw : accepted) {
      add_shape(slot, state_.shapes().at(draw.shape),
                draw.weight / total * static_cast<double>(slot.nodes.size()));
    }
  }

  bool possible(const Slot& slot, const Shape& shape) const {
    return state_.ask(shape, 0, slot.cards.front().kind).possible;
  }

  void add_shape(const Slot& slot, const Shape& shape, double weight) {
    const engine::NodeRecord& node = state_.node(slot.nodes.back());
    const bool node_is_full = slot.cpu_free < shape.request.cpu_milli ||
                              node.memory_free < shape.request.memory_mib;
    const std::uint32_t wanted = shape.request.devices.front().count;
    std::uint32_t able = 0;
    double able_cards = 0;
    for (const CardState& card : slot.cards) {
      if (!card.usable() || card.compute_free == 0) continue;
      const double free = part_of_card(card.compute_free) * weight;
      const auto cause = card_cause(state_, shape, card);
      if (node_is_full) {
        add(Cause::kNode, free);
      } else if (cause) {
        add(*cause, free);
      } else {
        ++able;
        able_cards += free;
      }
    }
    if (able < wanted) add(Cause::kTopology, able_cards);
  }

  const ClusterState& state_;
  std::vector<Draw> draws_;
  std::array<double, kCauseCount> sums_{};
};

}  // namespace

std::array<double, kCauseCount> unschedulable_cards(const ClusterState& state) {
  return Gauge(state).run();
}

double request_share(const ClusterState& state, const DeviceRequest& request) {
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
