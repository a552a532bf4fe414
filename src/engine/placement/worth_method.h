// WorthMethod: places each task where the worth of the fleet's free room falls least, scarce
// resources priced in. The engine's own placement policy. The search is exact: the same choice as
// a look at every node.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/placement/alive_slots.h"
#include "engine/placement/node_worth.h"
#include "engine/placement/placer.h"

namespace berth::engine {

class WorthMethod final : public PlacementMethod {
 public:
  explicit WorthMethod(const ClusterState& state) : worth_(state) {}
  std::optional<Candidate> find(const ClusterState& state, ShapeIndex shape) override;
  Prices quote(const ClusterState& state) override;

 private:
  struct KnownSlot {
    StateWorth worth;
    std::uint32_t generation = 0;  // of the slot when computed; 0: never
  };
  struct KnownCost {
    TaskCost cost;
    std::uint32_t generation = 0;
    bool fits = false;
  };
  using Row = std::vector<KnownCost>;  // by slot

  const StateWorth& worth_of(const ClusterState& state, SlotIndex slot);
  const KnownCost& cost_of(const ClusterState& state, SlotIndex slot, const Shape& shape, Row& row);
  Remaining remaining(const ClusterState& state);

  NodeWorth worth_;
  AliveSlots alive_;
  std::vector<KnownSlot> slots_;
  std::vector<Row> rows_;  // by shape
};

}  // namespace berth::engine
