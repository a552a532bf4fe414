// GangSearch: places the tasks of a job together, all that are needed or none.
//
// A job goes into one lowest domain where that holds all of it, else over as few as it can (see
// Spread). Rules that are required bind; those that are wishes do where that costs the job no task;
// the preference to stay together needs no rule. Inside the
// lowest domain each task goes where the engine's own cost is least. A single task goes where that
// cost is least in the whole fleet, a node's chance to be empty soon counted. A search gives up
// after a number of steps, never after a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/placement/domain_room.h"
#include "engine/placement/gang_need.h"
#include "engine/placement/placer.h"
#include "engine/placement/spread.h"
#include "engine/state/trial.h"

namespace berth::engine {

class GangSearch {
 public:
  struct Request {
    const Ask& ask;
    SpecIndex spec;                               // none: nothing is charged to its queue
    std::vector<RoleNeed> needs;                  // by role
    std::vector<std::vector<ModelIndex>> models;  // by role; empty: no restriction
    std::span<const Anchor> anchors;              // the rules bind what is placed to these, too
    TimeMs now = 0;
  };

  GangSearch(Trial& trial, Placer& placer, RoomTable& rooms, const Request& request);

  // The places, taken and charged in the trial; nothing when it does not fit: then the trial is as
  // it was.
  std::optional<GangPlace> run();
  const Shortfall& shortfall() const { return shortfall_; }

 private:
  // What one segment lacks.
  struct Segment {
    std::uint32_t number = 0;
    DomainIndex held;  // where the rest of it is; none: nowhere yet
    std::vector<std::uint32_t> tasks;
  };

  struct SingleTask {
    std::size_t role = 0;
    std::uint32_t number = 0;
  };
  using Wishes = std::vector<const TopologyRule*>;

  const TopologyTree& tree() const { return state_.topology_tree(); }
  Wishes wishes() const;
  Wishes wishes_to_keep();
  std::size_t fitting(const Wishes& wishes);
  std::optional<GangPlace> search(const Wishes& wishes);
  bool binds(const TopologyRule& rule) const;
  bool is_flat() const;
  std::optional<std::uint32_t> rank_of_rule(std::size_t role, RuleUnit unit) const;
  std::optional<std::uint32_t> rank_of_job() const;
  bool place_job();
  bool place_roles(DomainIndex scope);
  void note_job_rule(std::uint32_t rank);
  std::uint64_t tasks_needed() const;
  std::int64_t fitted_now() const;

  // gang_weigh.cc
  struct Filled {
    std::uint32_t tasks = 0;
    std::int64_t packing = 0;    // what they cost, without communication
    std::int64_t bandwidth = 0;  // among all nodes of the job, in GB/s
  };
  bool weighs_bandwidth(std::uint32_t wanted) const;
  std::uint32_t fill_cheapest(DomainIndex scope, std::uint32_t wanted);
  Filled filled(std::uint32_t tasks) const;
  std::int64_t lost_bandwidth(const Filled& near, const Filled& packed) const;
  CardGrants on_same_rails(const NodeRecord& node, CardGrants grants) const;

  // gang_roles.cc
  using RoleOrder = std::vector<std::size_t>;
  bool place_several(const RoleOrder& order, DomainIndex scope);
  RoleOrder tightest_first(DomainIndex scope);
  std::uint64_t room_in(std::size_t role, DomainIndex scope);
  bool place_in_order(const RoleOrder& order, DomainIndex scope);
  bool place_in_other_order(const RoleOrder& order, DomainIndex scope);
  bool place_in_one(const RoleOrder& order, DomainIndex scope);
  bool place_in_one_of(const RoleOrder& order, std::vector<DomainIndex> domains);
  bool may_hold_all(DomainIndex domain);
  bool holds_apart(DomainIndex domain);
  bool place_back_and_forth(const RoleOrder& order, DomainIndex scope);
  bool place_from(std::size_t at, std::size_t first_node);
  std::vector<std::size_t> choices_for(const SingleTask& task, std::size_t first_node);
  bool is_bound_alike(const SingleTask& a, const SingleTask& b) const;
  bool obeys_rules(const SingleTask& task, NodeIndex node) const;
  void note_fitting(const RoleOrder& order, DomainIndex scope);
  void note_role(std::size_t role);

  bool place_role(std::size_t role, DomainIndex scope);
  bool place_role_in(std::size_t role, DomainIndex scope);
  void note_shortfall(std::size_t role);
  void note_resources(std::uint32_t rank);
  void take_resources(DomainIndex domain);
  DomainIndex anchor(std::size_t role, std::uint32_t rank) const;

  std::uint32_t fill(DomainIndex scope, std::uint32_t wanted);
  std::uint32_t fill_near(DomainIndex scope, std::uint32_t wanted);
  std::uint32_t fill_segments(DomainIndex scope);
  std::vector<Segment> segments_to_place(DomainIndex scope) const;
  DomainIndex anchor_of_segment(std::uint32_t number, DomainIndex scope) const;
  std::span<const Segment> pack_segments(std::span<const Segment> left, DomainIndex scope);
  std::span<const Segment> pack_segments_in(std::span<const Segment> left, DomainIndex scope);
  void note_segment(std::span<const Segment> left, DomainIndex scope);
  bool place_segment(DomainIndex domain, const Segment& segment);
  bool place_segment_anywhere(DomainIndex scope, const Segment& segment);
  std::uint32_t fill_nodes(std::span<const NodeIndex> nodes, std::uint32_t wanted);
  std::span<const NodeIndex> nodes_in(DomainIndex scope, std::vector<NodeIndex>& buffer) const;
  bool place_single(DomainIndex scope);
  bool place_on(const Candidate& candidate);
  bool place_next(const SearchScope& scope);
  SearchScope scope_of(std::span<const NodeIndex> nodes) const;
  bool has_room_in(std::span<const DomainIndex> domains);
  DomainRoom& room();
  DomainRoom& room_of(std::size_t role);
  Spread spread(std::span<const DomainIndex> used = {});
  std::vector<DomainIndex> used_domains() const;
  std::vector<DomainIndex> domains_at(DomainIndex scope, std::uint32_t rank) const;
  std::vector<DomainIndex> candidates(DomainIndex scope, std::uint32_t rank, std::uint64_t least);
  DomainIndex take_best(std::vector<DomainIndex>& domains);
  void note_topology(DomainIndex scope, std::uint32_t rank, std::uint64_t asked);
  void undo(Trial::Checkpoint to, std::size_t tasks);

  static constexpr std::uint32_t kMostSteps = 4096;
  static constexpr std::uint32_t kMostExactSteps = 2048;

  Trial& trial_;
  const ClusterState& state_;
  Placer& placer_;
  RoomTable& rooms_;
  Request request_;
  GangPlace place_;
  Shortfall shortfall_;
  Wishes kept_;               // bind in this search
  std::int64_t packing_ = 0;  // what the tasks placed since it was last set to 0 cost
  std::uint32_t steps_ = 0;

  // Of the role that is being placed.
  std::size_t role_ = 0;
  std::vector<std::uint32_t> order_;  // tasks in which they get their places
  std::size_t next_ = 0;              // of these
  std::optional<std::uint32_t> segment_rank_;

  // Of a search back and forth.
  std::vector<SingleTask> single_tasks_;
  std::vector<NodeIndex> nodes_;
  std::uint32_t exact_steps_ = 0;
  std::size_t failed_role_ = 0;  // of the last order of roles
};

}  // namespace berth::engine
