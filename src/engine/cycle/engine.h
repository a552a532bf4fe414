// Engine: one replica of the state with what is derived from it for placing. Pure: no clock, no
// thread, no journal. The controller owns one that is the truth and, when it plans beside the fast
// path, a second one that is fed by the same events.
#pragma once

#include <optional>
#include <string_view>

#include "engine/cycle/card_classes.h"
#include "engine/cycle/pools.h"
#include "engine/cycle/refusal_memory.h"
#include "engine/cycle/room_memory.h"
#include "engine/decide.h"
#include "engine/placement/domain_room.h"
#include "engine/placement/placer.h"
#include "engine/placement/repack.h"
#include "engine/quota/job_quota.h"
#include "engine/reserve/eta.h"
#include "engine/state/cluster_state.h"
#include "model/plan.h"

namespace berth::engine {

// What a plan comes to.
struct Commitment {
  EventBatch events;
  std::size_t lost = 0;  // placements that no longer hold; the next cycle plans those jobs again
};

// What the last cycle did, in steps: the measure of its cost that does not depend on a machine.
struct Effort {
  std::uint64_t lines = 0;       // of jobs for which there may be room
  std::uint64_t turns = 0;       // of them, and of running jobs: those that were tried
  std::uint64_t searches = 0;    // for the place of a job
  std::uint64_t candidates = 0;  // to be taken back for others, that were looked at
};

// When a waiting job could start if nothing else came: once these leases have ended.
struct Eta {
  TimeMs at = kNever;                   // kNever: ends alone do not help
  JobId last;                           // whose end makes it fit; none: it fits now
  EndBasis basis = EndBasis::kUnknown;  // the weakest of the ends
  std::vector<NodeIndex> nodes;         // where it would start
};

class Engine {
 public:
  Engine() = default;
  explicit Engine(ClusterState state) : state_(std::move(state)) {}

  const ClusterState& state() const { return state_; }
  const Effort& effort() const { return effort_; }

  Result<EventBatch> decide(const Command& command, TimeMs now) const {
    return engine::decide(state_, command, now);
  }
  void apply(const Event& event) { state_.apply(event); }

  // The fast path: places one pending job at once against the indexes of the state. Nothing when
  // it does not fit now; the batch cycle explains why.
  EventBatch place_at_once(JobId job, TimeMs now);

  // What the state must learn before the next decision: scarcity prices that have become due.
  // Empty most of the time.
  EventBatch upkeep(TimeMs now);

  // One scheduling cycle over the pending jobs; leaves the state as it was. Pool by pool: replicas
  // of the engine may plan some each, and their plans merged are this one.
  Plan plan(TimeMs now);
  void begin_plan(TimeMs now);
  Plan plan_pool(Pool pool, TimeMs now);

  // The first instant after `now` at which a cycle may decide something though nothing has
  // happened: a back-off or a reservation is over, or a job has waited long enough for a better
  // place. kNever: none.
  TimeMs next_due(TimeMs now) const;

  // Why a pending job waits, or what a running one lacks, in numbers of this moment; leaves the
  // state as it was. Empty when the job fits now, or lacks nothing. What the state keeps of a job's
  // reasons is why it began to wait.
  Rejections why(JobId job, TimeMs now);

  // The events of a plan's decisions, each checked against the state as it is now. Decisions that
  // lost a race are left out.
  Commitment commit(const Plan& plan, TimeMs now);

 private:
  friend class Cycle;

  // As far as the policy in scope goes.
  TimeMs next_due_of_policy(TimeMs now) const;
  // Room for one task of a shape that fits nowhere, where the policy allows moves. Leases that
  // `pinned` names stay; `credit` is what is in the bank of moves. The state is left as it was.
  std::optional<Repacking> repack(ShapeIndex shape, const std::vector<LeaseId>& pinned, Ppm credit);
  bool may_pass(const JobRecord& job, TimeMs now) const;

  ClusterState state_;
  Placer placer_;
  // Memories that save work and change no decision.
  AskFlavours flavours_;
  RoomMemory memory_;
  RefusalMemory refusals_;
  CardClasses card_classes_;
  Effort effort_;
  RoomTable rooms_;
  // Shapes for which no moves were found, with the revision at which that was so.
  LookupMap<ShapeIndex, std::uint64_t> immovable_;
};

}  // namespace berth::engine
