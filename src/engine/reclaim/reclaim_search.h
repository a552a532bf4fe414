// ReclaimSearch: the cheapest set of victims whose end makes room for all of a job, and the exact
// places that use it. Everything is tried in one trial, which is as before when the search is over,
// by the same predicates as any placement; where the job cannot be placed, nothing comes of it.
//
// 1 candidates  what the right allows to be asked, with grade and price (units.h)
// 2 cover       units that let the quota admit it where that refuses, and that make enough room,
//               domain by domain where the job must lie in one
// 3 proof       the placement search, with those units gone; it takes more of them until it
//               succeeds
// 4 sparing     each unit, dearest first, goes back if the job can be placed all the same
// 5 moves       by consolidation each unit that is left must find another place (moves.h); where
//               one does not, the search is made again without it
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/placement/gang_search.h"
#include "engine/reclaim/moves.h"
#include "engine/reclaim/quota_cover.h"

namespace berth::engine {

class ReclaimSearch {
 public:
  struct Request {
    const JobRecord& job;
    JobAdmission::Attempt attempt;
    ReclaimRight right;
    Floor floor = Floor::kShare;
    std::vector<RoleNeed> needs;
    const LeavingLeases& leaving;  // by other reclaims, those of the same cycle included
    Budgets budgets = Budgets::kHeed;
    TimeMs now = 0;
  };
  // What the searches did, in steps.
  struct Effort {
    std::uint64_t candidates = 0;
    std::uint64_t proofs = 0;  // searches for a place
  };

  // What is worked out once a cycle for all searches.
  struct Known {
    FlavourShares& shares;
    ServiceLevels& levels;
    AskFlavours& flavours;
  };

  ReclaimSearch(Trial& trial, Placer& placer, RoomTable& rooms, const Known& known,
                Request request);

  // Without receipt, gain and times; nothing when the job cannot be placed by this right.
  std::optional<Reclaim> run();
  // Takes all that the right allows, whether it makes room or not, and leaves the trial so.
  void take_all();
  const Effort& effort() const { return effort_; }

 private:
  std::optional<Reclaim> search_in(DomainIndex scope);
  bool consolidates() const { return request_.right == ReclaimRight::kConsolidation; }
  bool is_enough_free(const ReclaimRights::Claims& claims) const;
  ReclaimRights::Claims claims();
  void list_units(const ReclaimRights::Claims& wanted);
  std::vector<DomainIndex> scopes();
  std::vector<NodeIndex> nodes_in(DomainIndex scope) const;
  bool cover_quota();
  bool restrict_to(const std::vector<ModelChoice>& models);
  bool cover(DomainIndex scope);
  UnitCost cost_of_taken() const;
  bool prove(DomainIndex scope);
  bool take_more(std::span<const std::uint32_t> order, std::size_t& next, std::size_t count);
  std::optional<GangPlace> place(const std::vector<RoleNeed>& needs,
                                 std::span<const Anchor> anchors);
  void spare_needless();
  bool quota_holds() const { return !quota_ || quota_->holds(place_.tasks); }
  bool spare_beside(const Unit& unit);
  bool spare_elsewhere(const Unit& unit);
  std::vector<std::size_t> tasks_beside(const Unit& unit) const;
  std::vector<Anchor> anchors_without(std::span<const std::size_t> displaced) const;
  void replace(std::span<const std::size_t> displaced, const std::vector<TaskPlacement>& tasks);
  void note_tasks();
  bool may_have_room(const Unit& unit, std::span<const std::size_t> displaced);
  std::set<NodeIndex> nodes_of(const Unit& unit) const;
  std::uint32_t tasks_with(const Unit& unit, NodeIndex node, const Shape& shape) const;
  Reclaim receipt() const;
  TimeMs others_gone_at() const;

  Trial& trial_;
  const ClusterState& state_;
  Placer& placer_;
  RoomTable& rooms_;
  Known known_;
  Request request_;
  const SpecRecord& spec_;
  const Ask& ask_;
  std::optional<ReclaimRights> rights_;
  std::optional<UnitTable> units_;
  Moves moves_;
  std::optional<QuotaCover> quota_;  // where the quota refuses the job as things stand
  GangPlace place_;
  std::map<NodeIndex, std::vector<std::size_t>> tasks_on_;  // of `place_`, by node
  std::optional<MicroMoney> runner_up_;
  CardUnits useful_ = 0;  // that are asked for in all
  Effort effort_;
};

}  // namespace berth::engine
