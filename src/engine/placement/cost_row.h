// CostRow: the cost of one shape on every slot, kept between searches, and for each block of slots
// a lower bound, so that a search looks at few blocks and still finds the least cost of all.
//
// A row catches up when its shape is asked for. When prices change, each bound falls by the most
// that any slot of its block may have fallen; costs are put together again when a block is looked
// at. Whatever is out of date is found by the generation of the slot.
//
// A row may serve shapes that differ in their CPU a little: their costs are taken for equal, what
// fits is exact. It then keeps a bound for each of several steps of CPU, over the slots that have
// that much free.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/placement/lane_math.h"
#include "engine/placement/placer.h"
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

// The CPU that the shapes of a row ask for: from `least` to below `least` + `width`.
struct CpuRange {
  CpuMilli least = 0;
  CpuMilli width = 1;
};

class CostRow {
 public:
  // `shape` is the one whose costs stand for all of the range.
  CostRow(const NodeWorth& worth, const Shape& shape, CpuRange range)
      : shape_(worth, shape), range_(range), bounds_(range.width > 1 ? kSteps : 1) {}

  // The worth of everything is another: nothing that is known holds.
  void start_over();

  // The cheapest slot that has a node with room for the shape, ties by the node's name. `shape`
  // is one of those that the row serves; host memory and countables are its own. None of them
  // asks for less host memory than `least_memory`. `models`: on nodes of these only; none named: of
  // any.
  SlotChoice find(const ClusterState& state, const SlotLanes& lanes, const RowPrices& prices,
                  const Shape& shape, Mib least_memory, std::span<const ModelIndex> models);
  CardGrants grants(const ClusterState& state, const Slot& slot) {
    return shape_.grants(state, slot);
  }
  // False once a cost was too large for the row.
  bool is_exact() const { return exact_; }

 private:
  using BlockParts = std::array<Lanes, kBlockSizes>;
  struct Search {
    const ClusterState& state;
    const SlotLanes& lanes;
    const Shape& shape;
    std::span<const ModelIndex> models;
    std::size_t step = 0;  // of its CPU
    SlotChoice best;

    bool looks_at(std::size_t block) const {
      return models.empty() || is_among(state, state.slots().block_kind(block), models);
    }
  };
  static constexpr std::size_t kSteps = 8;

  std::int32_t step_cpu(std::size_t step) const {
    const auto above = range_.width * static_cast<CpuMilli>(step) / static_cast<CpuMilli>(kSteps);
    return static_cast<std::int32_t>(range_.least + above);
  }
  std::size_t step_of(CpuMilli cpu_milli) const;
  LaneNeeds needs() const {
    return {static_cast<std::int32_t>(range_.least), shape_.hole(), shape_.whole_cards(),
            least_memory_};
  }
  void make_all_dirty(const Search& search);
  void make_dirty(std::size_t block);
  void catch_up(const Search& search);
  void grow(const Search& search);
  std::uint32_t fitting(const SlotLanes& lanes, std::size_t from, std::size_t count) const;
  void prefetch(const Search& search, std::size_t block) const;
  void note_all(const Search& search, std::size_t from, std::uint32_t which);
  void note(const Search& search, std::uint32_t slot);
  void reprice(const Search& search, const RowPrices& prices);
  void shift_bounds(const RowPrices& prices);
  std::int32_t surcharge_of_block(const SlotLanes& lanes, std::size_t block) const {
    const ModelIndex model = lanes.model_of_block(block);
    return model.is_none() ? 0 : surcharges_[model.value()];
  }
  void evaluate(const Search& search, std::size_t block, std::size_t lane);
  void set_blocks(std::size_t block, std::size_t lane, const TaskCost& cost);
  std::int32_t lane_cost(std::size_t block, std::size_t lane) const;
  std::int32_t price_lanes(const Search& search, std::size_t block, Lanes& cost);
  std::int32_t price_blocks(std::size_t block, const Lanes& shut, Lanes& extra) const;
  void set_bounds(const Search& search, std::size_t block, const Lanes& cost, std::int32_t least);
  std::size_t cheapest_block(const Search& search) const;
  std::size_t cheapest_among(const Search& search) const;
  void visit_all(Search& search, std::size_t but);
  void visit(Search& search, std::size_t block);
  void consider_all(Search& search, std::size_t block, const Lanes& cost, std::int32_t limit,
                    std::int32_t surcharge);
  void consider(Search& search, std::size_t block, std::size_t lane, std::int32_t cost);

  ShapeCost shape_;
  CpuRange range_;
  RowPrices prices_;
  std::uint64_t position_ = 0;  // in the births
  std::int32_t least_memory_ = std::numeric_limits<std::int32_t>::max();
  bool exact_ = true;
  // By step of CPU and block, surcharge included; kDirty: must be looked at.
  std::vector<std::vector<std::int32_t>> bounds_;
  std::vector<std::int32_t> surcharges_;  // price of the cards, by model
  std::vector<std::int32_t> least_stranded_;
  std::vector<std::int32_t> most_stranded_;
  std::vector<std::int32_t> most_blocks_;
  std::vector<std::uint16_t> breaks_;  // lanes that break a block of whole cards
  std::vector<std::uint32_t> parts_at_;
  std::vector<LaneCosts> records_;
  std::vector<BlockParts> parts_;
};

}  // namespace berth::engine
