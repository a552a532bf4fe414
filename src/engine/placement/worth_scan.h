// WorthScan: the engine's own placement by a look at every slot. Plain; the reference that
// WorthMethod must agree with, and its way for what the index cannot hold.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/placement/alive_slots.h"
#include "engine/placement/node_worth.h"
#include "engine/placement/placer.h"

namespace berth::engine {

// Thousandths of a card that a task takes, by compute: what the price of a model multiplies.
std::int64_t milli_of(const Shape& shape);

class WorthScan final : public PlacementMethod {
 public:
  explicit WorthScan(const ClusterState& state) : worth_(state) {}
  std::optional<Candidate> find(const ClusterState& state, ShapeIndex shape) override {
    return find_in(state, shape, {});
  }
  std::optional<Candidate> find_in(const ClusterState& state, ShapeIndex shape,
                                   const SearchScope& scope) override;
  Prices quote(const ClusterState& state) override;

 private:
  // The best place so far.
  struct Best {
    std::int64_t cost = 0;
    SlotIndex slot;
    NodeIndex node;
  };

  std::optional<std::int64_t> cost_on(const ClusterState& state, const Slot& slot,
                                      const Shape& shape) const;
  Best best_slot(const ClusterState& state, const Shape& shape, const SearchScope& scope);
  Best best_node(const ClusterState& state, const Shape& shape, const SearchScope& scope) const;

  NodeWorth worth_;
  AliveSlots alive_;
};

}  // namespace berth::engine
