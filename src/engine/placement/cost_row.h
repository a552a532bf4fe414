// CostRow: the cost of one shape on every slot, kept between searches, and for each block of slots
// a lower bound, so that a search looks at few blocks and still finds the least cost of all.
//
// A row catches up when its shape is asked for. When prices change, each bound falls by the most
// that any slot of its block may have fallen; costs are put together again when a block is looked
// at. Whatever is out of date is found by the generation of the slot.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/placement/shape_cost.h"
#include "engine/placement/slot_lanes.h"

namespace berth::engine {

struct RowPrices {
  std::int32_t cpu = 0;
  std::array<std::int32_t, kBlockSizes> block = {};
  std::uint64_t version = 0;  // of the prices; 0: none
};

struct SlotChoice {
  std::int32_t cost = 0;
  std::uint64_t name = 0;  // name order of the node
  SlotIndex slot;          // none: the shape fits nowhere
  NodeIndex node;
};

class CostRow {
 public:
  CostRow(const ClusterState& state, const NodeWorth& worth, const Shape& shape)
      : shape_(state, worth, shape) {}

  // The cheapest slot that has a node with room for the shape, ties by the node's name. `shape`
  // may ask for more host memory and countables than the row's.
  SlotChoice find(const ClusterState& state, const SlotLanes& lanes, const RowPrices& prices,
                  const Shape& shape);
  CardGrants grants(const ClusterState& state, const Slot& slot) {
    return shape_.grants(state, slot);
  }
  // False once a cost was too large for the row.
  bool is_exact() const { return exact_; }

 private:
  struct alignas(64) Record {
    Lanes fixed;  // kNever: the slot cannot serve the shape
    Lanes stranded;
    std::array<std::uint32_t, kLanes> generation;  // of the slots when looked at; 0: never
  };
  using BlockParts = std::array<Lanes, kBlockSizes>;
  struct Search {
    const ClusterState& state;
    const SlotLanes& lanes;
    const Shape& shape;
    SlotChoice best;
  };

  void catch_up(const Search& search);
  void grow(const Search& search);
  void note(const Search& search, std::uint32_t slot);
  void reprice(const Search& search, const RowPrices& prices);
  void shift_bounds(const SlotLanes& lanes, const RowPrices& prices);
  void evaluate(const Search& search, std::size_t block, std::size_t lane);
  void refresh(const Search& search, std::size_t block, std::uint32_t lanes);
  void set_blocks(std::size_t block, std::size_t lane, const TaskCost& cost);
  std::int32_t lane_cost(std::size_t block, std::size_t lane) const;
  std::int32_t price_lanes(const Search& search, std::size_t block, Lanes& cost);
  std::size_t cheapest_block() const;
  void visit_all(Search& search, std::size_t but);
  void visit(Search& search, std::size_t block);
  void consider(Search& search, std::size_t block, std::size_t lane, std::int32_t cost);

  ShapeCost shape_;
  RowPrices prices_;
  std::uint64_t position_ = 0;  // in the births
  bool exact_ = true;
  std::vector<std::int32_t> surcharges_;  // price of the model, by block
  std::vector<std::int32_t> bounds_;      // surcharge included; kDirty: must be looked at
  std::vector<std::int32_t> least_stranded_;
  std::vector<std::int32_t> most_stranded_;
  std::vector<std::int32_t> most_blocks_;
  std::vector<std::uint16_t> breaks_;  // lanes that break a block of whole cards
  std::vector<std::uint32_t> parts_at_;
  std::vector<Record> records_;
  std::vector<BlockParts> parts_;
};

}  // namespace berth::engine
