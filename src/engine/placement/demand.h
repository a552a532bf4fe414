// Demand: the mix of a Fit in the numbers of one state: models as a mask, shares in thousandths of
// a card. What every figure that looks at the demand starts from.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::engine {

enum class DemandKind : std::uint8_t { kCpuOnly, kShare, kWhole, kMig };

struct DemandType {
  DemandKind kind = DemandKind::kCpuOnly;
  CpuMilli cpu_milli = 0;
  std::int32_t cards = 0;
  std::int32_t milli = 0;    // thousandths of each card, rounded up
  std::uint64_t models = 0;  // bit per ModelIndex; all set: any
  std::int64_t weight = 0;

  std::int64_t total_milli() const { return std::int64_t{cards} * milli; }
};

// Models beyond the width of the mask share its last bit.
std::uint64_t model_bit(ModelIndex model);

// Several device requests of one task count as their sum; entries of weight 0 are left out.
std::vector<DemandType> demand_types(const ClusterState& state, const std::vector<MixEntry>& mix);

// Sizes of blocks of whole cards that are kept apart: jobs of 2, of 3 to 4, of 5 and more cards.
inline constexpr std::size_t kBlockSizes = 3;
inline constexpr std::int32_t kBlockCards[kBlockSizes] = {2, 4, 8};
// Index in kBlockCards; kBlockSizes for a task that needs no block.
std::size_t block_size_of(const DemandType& type);

}  // namespace berth::engine
