// Which cards of the static MIG regime should take another layout for the work that waits: pool by
// pool (GPU model and partition), the most profitable first. Decides and changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/cycle/pools.h"
#include "engine/sharing/regeometry.h"
#include "engine/state/cluster_state.h"
#include "model/plan.h"

namespace berth::engine {

// Tasks that wait, that ask for MIG instances and nothing else, and that their quota would admit.
struct WaitingTasks {
  ShapeIndex shape;
  std::int64_t tasks = 0;
  DurationMs run_ms = 0;  // of each, as far as is known
};

class LayoutPlanner {
 public:
  LayoutPlanner(const ClusterState& state, const Pool& pool, TimeMs now)
      : state_(state), pool_(pool), now_(now) {}

  // As many changes as the policy allows at once; what they serve waits no more.
  std::vector<Regeometry> run(std::vector<WaitingTasks> waiting);

 private:
  using Flavour = std::pair<ModelIndex, PartitionIndex>;
  // The static cards of one model and partition.
  struct Family {
    std::vector<SlotIndex> slots;
    const MigGeometry* grid = nullptr;
    std::vector<NodeKindIndex> kinds;  // of its nodes, each once
    std::array<std::int64_t, kMaxMigProfiles> open{};
    std::array<std::int64_t, kMaxMigProfiles> busy{};
    std::int64_t memory_slots = 0;  // of all its cards
    std::uint32_t changing = 0;     // cards
  };
  struct Candidate {
    Regeometry change;
    LayoutChoice choice;
    MigOccupancy busy = 0;
    std::uint64_t name_order = 0;

    auto rank() const { return std::tuple(-choice.net(), name_order, change.card); }
  };

  DurationMs window() const;
  std::vector<Family> families();
  void count_slot(const Slot& slot, Family& family) const;
  void count_changes(Family& family, const Flavour& flavour);
  std::optional<Candidate> best_of(const Family& family) const;
  // Whether the node has such a card that may change.
  bool try_node(const Family& family, const PoolSupply& supply, const CardState& wanted,
                NodeIndex node, std::optional<Candidate>& best) const;
  PoolSupply supply_of(const Family& family, const Slot& slot) const;
  void add_expected(const Family& family, PoolSupply& supply) const;
  LayoutCard card_of(NodeIndex node, std::uint16_t card) const;
  void note_leases(NodeIndex node, std::uint16_t index, LayoutCard& card) const;
  DurationMs free_in(const JobRecord& job) const;
  bool is_at_rest(NodeIndex node, std::uint16_t card) const;
  void apply(const Candidate& candidate, Family& family);
  // So many more instances of the profile for those who accept the family's cards.
  void serve(const Family& family, MigProfileIndex profile, std::int64_t instances);
  // use(profile, instances of it that one task of the shape asks for), if it may run on nodes of
  // any of the kinds.
  template <typename Use>
  void for_each_request(const Family& family, std::span<const NodeKindIndex> kinds,
                        const Shape& shape, Use use) const;

  const ClusterState& state_;
  const Pool& pool_;
  TimeMs now_;
  std::vector<WaitingTasks> waiting_;
  std::set<std::pair<NodeIndex, std::uint16_t>> chosen_;
};

// A card whose layout changes so that instances come that the shape asks for, the first by name:
// "n1:0, draining" with how many; empty: there is none.
std::pair<std::string, std::int64_t> layout_to_come(const ClusterState& state, ShapeIndex shape);

}  // namespace berth::engine
