// WorthMethod: places each task where the worth of the fleet's free room falls least, scarce
// resources priced in. The engine's own placement policy. The search is exact: the same choice as
// WorthScan, which looks at every node. Where the state knows very many shapes, those that differ
// little in CPU are taken for equal when costs are compared; what fits is exact even then.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/placement/cost_row.h"
#include "engine/placement/node_worth.h"
#include "engine/placement/placer.h"
#include "engine/placement/slot_lanes.h"
#include "engine/placement/worth_scan.h"
#include "engine/state/shape_table.h"

namespace berth::engine {

class WorthMethod final : public PlacementMethod {
 public:
  explicit WorthMethod(const ClusterState& state)
      : fit_revision_(state.fit_revision()), worth_(state), lanes_(worth_), scan_(state) {}
  WorthMethod(const WorthMethod&) = delete;  // rows and lanes point to worth_
  WorthMethod& operator=(const WorthMethod&) = delete;
  std::optional<Candidate> find(const ClusterState& state, ShapeIndex shape) override {
    return find_on(state, shape, {});
  }
  std::optional<Candidate> find_in(const ClusterState& state, ShapeIndex shape,
                                   const SearchScope& scope) override {
    if (scope.all_nodes) return find_on(state, shape, scope.models);
    if (fit_revision_ != state.fit_revision()) refit(state);
    return scan_.find_in(state, shape, scope);
  }
  Prices quote(const ClusterState& state) override;

 private:
  struct RowSlot {
    CpuRange range;
    Mib least_memory = 0;  // of its shapes
    std::unique_ptr<CostRow> row;
    std::uint64_t used_at = 0;
  };

  // On nodes of the models; none named: of any.
  std::optional<Candidate> find_on(const ClusterState& state, ShapeIndex shape,
                                   std::span<const ModelIndex> models);
  void catch_up(const ClusterState& state);
  void refit(const ClusterState& state);
  void read_prices(const ClusterState& state);
  void learn_shapes(const ClusterState& state);
  void join_keys(const ClusterState& state);
  CostRow& row_of(const ClusterState& state, ShapeIndex shape);
  void evict(std::size_t keep);
  void forget_rows();

  std::uint64_t fit_revision_;
  NodeWorth worth_;
  SlotLanes lanes_;
  WorthScan scan_;
  RowPrices prices_;
  bool small_prices_ = true;
  std::uint64_t seen_prices_ = 0;  // revision of the state's prices; 0: none
  bool joined_ = false;            // too many shapes for a row each
  ShapeTable keys_;                // shapes without what is asked of single nodes
  std::vector<std::uint32_t> keys_of_shapes_;
  std::vector<RowSlot> rows_;  // by key
  std::size_t live_rows_ = 0;
  std::uint64_t searches_ = 0;
};

}  // namespace berth::engine
