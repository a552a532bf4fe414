#include "engine/placement/demand.h"

#include <algorithm>

namespace berth::engine {
namespace {

constexpr std::int64_t kWholeMilli = 1000;

std::int32_t to_milli(std::int64_t part, std::int64_t whole) {
  const std::int64_t milli = (saturating_mul(part, kWholeMilli) + whole - 1) / whole;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(milli, 0, kWholeMilli));
}

std::uint64_t named_models(const ClusterState& state, const std::vector<std::string>& models) {
  if (models.empty()) return ~std::uint64_t{0};
  std::uint64_t mask = 0;
  for (const std::string& name : models) {
    const ModelIndex model = state.find_model(name);
    if (!model.is_none()) mask |= model_bit(model);
  }
  return mask;
}

std::uint64_t mask_of(const ClusterState& state, const DeviceRequest& request) {
  const std::uint64_t named = named_models(state, request.models);
  if (request.selector.empty()) return named;
  std::uint64_t selected = 0;
  for (std::size_t m = 0; m < state.model_count(); ++m) {
    const ModelIndex index(static_cast<std::uint16_t>(m));
    if (state.selectors().may_match(request, *state.model(index).gpu)) selected |= model_bit(index);
  }
  return named & selected;
}

// The memory of the largest accepted model: what a request in MiB is a share of.
Mib reference_memory(const ClusterState& state, std::uint64_t mask) {
  Mib most = 1;
  for (std::size_t m = 0; m < state.model_count(); ++m) {
    const ModelIndex index(static_cast<std::uint16_t>(m));
    if ((mask & model_bit(index)) != 0) most = std::max(most, state.model(index).gpu->memory_mib);
  }
  return most;
}

std::int32_t mig_milli(const ClusterState& state, const DeviceRequest& request,
                       std::uint64_t mask) {
  for (std::size_t m = 0; m < state.model_count(); ++m) {
    const ModelIndex index(static_cast<std::uint16_t>(m));
    if ((mask & model_bit(index)) == 0) continue;
    for (const MigProfile& profile : state.model(index).gpu->mig_profiles) {
      if (profile.name != request.mig_profile) continue;
      return to_milli(profile.memory_slots, state.model(index).gpu->memory_slots);
    }
  }
  return static_cast<std::int32_t>(kWholeMilli);
}

void add_request(const ClusterState& state, const DeviceRequest& request, DemandType& type) {
  const std::uint64_t mask = mask_of(state, request);
  type.models &= mask;
  type.cards += static_cast<std::int32_t>(request.count);
  std::int32_t milli = static_cast<std::int32_t>(kWholeMilli);
  if (request.kind == ShareKind::kShare) {
    type.kind = DemandKind::kShare;
    milli = std::max(to_milli(request.compute, kCard),
                     to_milli(request.memory_mib.value_or(0), reference_memory(state, mask)));
  } else if (request.kind == ShareKind::kMig) {
    type.kind = DemandKind::kMig;
    milli = mig_milli(state, request, mask);
  } else {
    type.kind = DemandKind::kWhole;
  }
  type.milli = std::max(type.milli, milli);
}

}  // namespace

std::uint64_t model_bit(ModelIndex model) {
  return std::uint64_t{1} << std::min<unsigned>(model.value(), 63);
}

std::vector<DemandType> demand_types(const ClusterState& state, const std::vector<MixEntry>& mix) {
  std::vector<DemandType> types;
  for (const MixEntry& entry : mix) {
    if (entry.weight == 0) continue;
    DemandType type;
    type.cpu_milli = entry.shape.cpu_milli;
    type.models = ~std::uint64_t{0};
    type.weight = entry.weight;
    for (const DeviceRequest& request : entry.shape.devices) add_request(state, request, type);
    types.push_back(type);
  }
  return types;
}

std::size_t block_size_of(const DemandType& type) {
  if (type.kind != DemandKind::kWhole || type.cards <= 1) return kBlockSizes;
  std::size_t size = 0;
  while (size + 1 < kBlockSizes && kBlockCards[size] < type.cards) ++size;
  return size;
}

}  // namespace berth::engine
