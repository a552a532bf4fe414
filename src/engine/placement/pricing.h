// Pricing: how scarce each resource is, from what is free and what the mix asks for. A price is in
// 1/1024 of the unit it multiplies; 0 = plenty. Integers only; the result is committed as an event.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/placement/blocks.h"
#include "engine/placement/demand.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// What is free in the fleet now.
struct Remaining {
  std::vector<std::int64_t> model_milli;  // thousandths of a card, per model
  std::int64_t milli = 0;
  CpuMilli cpu_milli = 0;
  BlockWorth blocks = {};
  Ppm lasting = kPpmOne;  // of all leases ever granted, those still held
};

Ppm lasting_share(const ClusterState& state);

class Pricing {
 public:
  Pricing(const std::vector<DemandType>& demand, std::size_t models);

  Prices quote(const Remaining& remaining) const;

 private:
  // Demand that accepts some models only, narrowest first.
  struct Constrained {
    std::uint64_t models = 0;
    std::int64_t milli = 0;
  };
  std::vector<std::int64_t> model_prices(const Remaining& remaining) const;
  std::int64_t scaled(std::int64_t demand, std::int64_t free_milli) const;

  std::size_t models_ = 0;
  std::vector<Constrained> constrained_;
  BlockWorth block_milli_ = {};
  std::int64_t total_milli_ = 0;
  std::int64_t cpu_milli_ = 0;
};

}  // namespace berth::engine
