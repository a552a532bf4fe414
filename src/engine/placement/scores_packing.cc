#include "engine/placement/scores_packing.h"

#include <algorithm>

namespace berth::engine {
namespace {

// The artifact's normalisers: its largest node.
constexpr std::int64_t kMostCpuMilli = 128'000;
constexpr std::int64_t kMostGpuMilli = 8'000;
constexpr std::int64_t kBest = 100;

std::int64_t free_gpu_milli(const Slot& slot) {
  std::int64_t units = 0;
  for (const CardState& card : slot.cards) units += card.compute_free;
  return units / kCardMilli;
}

std::int64_t asked_gpu_milli(const Shape& shape) {
  std::int64_t units = 0;
  for (const DeviceRequest& r : shape.request.devices) {
    units += r.count * (r.kind == ShareKind::kShare ? r.compute : kCard);
  }
  return units / kCardMilli;
}

// The bit of the class in a node's set; 0 without cards.
std::uint8_t class_bit(const Shape& shape) {
  const std::uint32_t cards = shape.device_count();
  if (cards == 0) return 0;
  if (cards == 1) return shape.shares_by_software() ? 1 : 2;
  if (cards == 2) return 4;
  return cards <= 4 ? 8 : 16;
}

}  // namespace

std::int64_t DotProduct::of(const ClusterState& /*state*/, const Slot& slot, const Shape& shape,
                            const CardChoice& /*choice*/) const {
  // 100 (1 - (cpu c / C^2 + gpu g / G^2) / 2), over the common denominator C^2
  constexpr std::int64_t kSquare = kMostCpuMilli * kMostCpuMilli;
  constexpr std::int64_t kGpuScale = kSquare / (kMostGpuMilli * kMostGpuMilli);
  static_assert(kGpuScale * kMostGpuMilli * kMostGpuMilli == kSquare);
  const std::int64_t product = slot.cpu_free * shape.request.cpu_milli +
                               kGpuScale * free_gpu_milli(slot) * asked_gpu_milli(shape);
  return -((kBest * kSquare - kBest / 2 * product) / kSquare);
}

std::int64_t BestFitOfFgd::of(const ClusterState& /*state*/, const Slot& slot, const Shape& shape,
                              const CardChoice& /*choice*/) const {
  // 100 (1 - (cpu - c) / 2C - (gpu - g) / 2G), over the common denominator C. The artifact then
  // stretches the scores of all nodes to 0..100, which keeps their order.
  constexpr std::int64_t kGpuScale = kMostCpuMilli / kMostGpuMilli;
  const std::int64_t left = slot.cpu_free - shape.request.cpu_milli +
                            kGpuScale * (free_gpu_milli(slot) - asked_gpu_milli(shape));
  return -((kBest * kMostCpuMilli - kBest / 2 * left) / kMostCpuMilli);
}

std::int64_t Packing::of(const ClusterState& /*state*/, const Slot& slot, const Shape& shape,
                         const CardChoice& choice) const {
  if (shape.request.devices.empty()) return 0;
  constexpr std::int64_t kThird = kBest / 3;
  constexpr std::int64_t kHalf = kBest / 2;
  const std::int64_t free_cards = std::count_if(slot.cards.begin(), slot.cards.end(),
                                                [](const CardState& c) { return c.is_empty(); });
  if (free_cards == static_cast<std::int64_t>(slot.cards.size())) {
    return -std::max(kThird - free_cards, free_cards);
  }
  std::int64_t opened = 0;
  std::int64_t free_pct = 0;  // of the cards taken, each in %
  for (const CardGrant& grant : choice.grants) {
    const CardState& card = slot.cards[grant.card];
    if (card.is_empty()) ++opened;
    free_pct += card.compute_free * 100 / kCard;
  }
  if (opened > 0) return -std::max(kHalf - opened, kThird);
  return -std::max(kBest - free_pct / 10, kHalf);
}

void Clustering::add(const ClusterState& state, const Lease& lease) {
  const SpecRecord& spec = state.spec_of(*state.find_job(lease.job));
  const Shape& shape = state.shapes().at(spec.shapes[lease.placement.role]);
  classes_[lease.placement.node.value()] |= class_bit(shape);
  ++leases_;
}

void Clustering::refresh(const ClusterState& state) {
  classes_.resize(state.nodes().size(), 0);
  for (; next_ < state.next_lease(); next_ = LeaseId(next_.value() + 1)) {
    if (const Lease* lease = state.find_lease(next_)) add(state, *lease);
  }
  if (leases_ == state.leases().size()) return;
  // some have ended: count afresh
  classes_.assign(state.nodes().size(), 0);
  leases_ = 0;
  for (const LeaseId id : state.leases().sorted_ids()) add(state, *state.find_lease(id));
}

std::int64_t Clustering::of(const ClusterState& /*state*/, const Slot& slot, const Shape& shape,
                            const CardChoice& /*choice*/) const {
  if (shape.request.devices.empty()) return 0;
  return -(kBest / 4 * (kMostGpuMilli - free_gpu_milli(slot)) / kMostGpuMilli);
}

std::int64_t Clustering::of_node(const ClusterState& /*state*/, NodeIndex node,
                                 const Shape& shape) const {
  const std::uint8_t own = class_bit(shape);
  const std::uint8_t held = classes_[node.value()];
  if (own == 0) return 0;
  if (held == own) return -kBest * 3 / 4;
  if ((held & own) != 0) return -kBest / 2;
  return held == 0 ? -kBest / 4 : 0;
}

}  // namespace berth::engine
