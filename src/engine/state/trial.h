// Trial: tries placements on a state and undoes them exactly. One Trial at a time per state; while
// it lives, only it may change the state. All of it is undone when it goes.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::engine {

class Trial {
 public:
  using Checkpoint = std::size_t;

  explicit Trial(ClusterState& state) : state_(state) {}
  ~Trial() { rollback(0); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  const ClusterState& state() const { return state_; }

  void take(ShapeIndex shape, NodeIndex node, const CardGrants& grants);
  // Takes countable resources of a domain.
  void take(DomainIndex domain, const std::vector<Countable>& resources);
  void give(DomainIndex domain, const std::vector<Countable>& resources);
  // Keeps a node's room for a job, or (none) for nobody.
  void keep(NodeIndex node, JobId job);
  // Counts what a task of the spec takes there against the quota of its queue.
  void charge(SpecIndex spec, ShapeIndex shape, NodeIndex node, const CardGrants& grants);
  // The opposite, for what is no longer promised.
  void uncharge(SpecIndex spec, ShapeIndex shape, NodeIndex node, const CardGrants& grants);
  // The end of a lease: gives back what it holds, of the quota too.
  void release(SpecIndex spec, ShapeIndex shape, NodeIndex node, const CardGrants& grants);
  // Promises room to a task, or takes a promise back.
  void promise(ShapeIndex shape, NodeIndex node, const CardGrants& grants, int sign);
  // Takes host memory for the image of a suspended task, or gives it back.
  void take_host(NodeIndex node, Mib mib, int sign);
  // Gives back what a lease holds, as if it had been released.
  void give(ShapeIndex shape, NodeIndex node, const CardGrants& grants);

  Checkpoint checkpoint() const { return steps_.size(); }
  // Undoes every step after the checkpoint, newest first.
  void rollback(Checkpoint to);
  // What was tried since is undone, and nobody noted in between that he found no room: what the
  // state has logged as gains from the position on is none.
  void forget_gains_from(std::uint64_t position) { state_.forget_gains_from(position); }

 private:
  enum class Kind : std::uint8_t {
    kTake,
    kGive,
    kCharge,
    kUncharge,
    kDomain,
    kGiveDomain,
    kKeep,
    kPromise,
    kHost
  };
  struct Step {
    Kind kind = Kind::kTake;
    ShapeIndex shape;
    NodeIndex node;
    CardGrants grants;
    SpecIndex spec;  // of a charge
    DomainIndex domain;
    JobId kept_for;                    // before a keep
    std::vector<Countable> resources;  // of the domain
    std::int64_t amount = 0;           // of a promise: its sign; of host memory: MiB
  };

  void hold(SpecIndex spec, ShapeIndex shape, NodeIndex node, const CardGrants& grants, int sign);

  ClusterState& state_;
  std::vector<Step> steps_;
};

}  // namespace berth::engine
