// Controller: the one writer. It decides commands, commits the events to the journal, applies them
// and then lets the executor act; nobody acts on what is not in the journal. The batch planner runs
// on a replica fed by the same events, the fast path on the live state.
//
// One caller at a time. It owns no clock, and no thread beside its planners.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "control/loose_ends.h"
#include "control/outbox.h"
#include "control/planners.h"
#include "control/ports.h"
#include "engine/cycle/engine.h"
#include "engine/cycle/fixes.h"
#include "engine/cycle/outlook.h"
#include "model/command.h"

namespace berth::control {

struct Ports {
  Journal& journal;
  Executor& executor;
  Clock& clock;
  Metrics& metrics;
  Learner& learner;
  Snapshots* snapshots = nullptr;    // of the journal; null: it is read from its beginning
  Subscriber* subscriber = nullptr;  // null: nobody
};

// Which jobs are placed at once when they are submitted; all others wait for the cycle.
enum class FastPath : std::uint8_t { kInference, kEveryClass, kOff };
// Where the cycle plans. Both give the same plan for the same revision.
enum class PlanOn : std::uint8_t { kReplica, kLiveState };

struct ControllerOptions {
  FastPath fast_path = FastPath::kInference;
  PlanOn plan_on = PlanOn::kReplica;
  unsigned planners = 1;  // replicas; several plan the pools of the fleet at the same time
};

struct Reply {
  std::uint64_t revision = 0;  // of the state after the command
  JobId job;                   // of a submit
  bool was_seen = false;       // the request was carried out before; nothing has changed
};

// Batches that are applied and not in the journal yet, from which revision on, and what follows.
struct CommitGroup {
  std::uint64_t first_revision = 0;
  std::vector<EventBatch> batches;
  Outbox calls;
};

// A state as a snapshot, with what its journal had left open.
Snapshot snapshot_of(const engine::ClusterState& state, const LooseEnds& loose);

class Controller {
 public:
  Controller(Ports ports, ControllerOptions options);
  // Goes on from a state instead of from its journal, for what is only tried; plans on the live
  // state. The executor is called for each lease that it has not answered for.
  Controller(Ports ports, ControllerOptions options, const engine::ClusterState& from);

  // Builds the state from the newest snapshot, if there are any, and what the journal has after it;
  // call once, before anything else. What a controller that
  // stopped anywhere may have left undone is done: the rest of its last command, and every call to
  // the executor that has not been answered, though some of them were made before.
  Status recover();

  // What a snapshot holds.
  static Result<engine::ClusterState> state_of(const Snapshot& snapshot);
  // What the state is now becomes a snapshot; where the account of tenants begins anew with a
  // controller that starts from it.
  Status save_snapshot();

  const engine::ClusterState& state() const { return live_.state(); }

  // Why a pending job waits, in numbers of this moment; empty when it fits now.
  Rejections why(JobId job) { return live_.why(job, now()); }
  // When it will start if nothing else comes.
  engine::Outlook eta(JobId job) const { return engine::look_ahead(live_, job, now()); }
  // What would let it start now, each tried on a copy of the state.
  std::vector<engine::Fix> fixes(JobId job) const { return engine::find_fixes(live_, job, now()); }

  // Decides and commits one command. On error nothing has changed.
  Result<Reply> execute(const Command& command);
  // Decides commands in their order, each against what those before it have made, and commits all
  // at once, so that many share one wait for the disk. A command that is refused changes nothing,
  // and says so in its place. An error of the journal is that of all of them: nobody was told of
  // anything, and this controller takes nothing more; another one goes on from the journal.
  Result<std::vector<Result<Reply>>> execute_all(std::span<const Command> commands);

  // Carries out what is due by now; nothing is committed when nothing is.
  Status tick();
  // Before a cycle: how tenants fare, where the policy asks for it and something has changed.
  Status observe_tenants();
  // The parts of a cycle. Between the first and the last the controller goes on with commands, and
  // the second may run on another thread meanwhile, where the cycle plans on the replica.
  TimeMs begin_plan();
  Plan run_plan(TimeMs at);
  Plan plan() { return run_plan(begin_plan()); }
  // Commits the decisions that still hold; the number of placements that lost a race.
  Result<std::size_t> commit(const Plan& plan);
  // When a cycle may be needed though nothing has happened; kNever: at no time.
  TimeMs next_due() const { return live_.next_due(now()); }
  // Plans and commits until a plan commits nothing new.
  Status run_cycle();

 private:
  // The state's time never goes back, whatever the clock does.
  TimeMs now() const;
  Result<Reply> answer_again(const Command& command, JobId made) const;
  Status load_snapshot();
  void tell(std::uint64_t first_revision, std::vector<EventBatch> batches);
  void call_again();
  Status commit_events(EventBatch events);
  Status commit_group();
  void apply(EventBatch events, Executor& executor);
  void act(const Event& event, Executor& executor);
  void act_on_job(JobId job, Executor& executor);
  void ask_for_layout(const engine::RegeometryState& change, Executor& executor);
  Status after_submit(JobId job);

  Ports ports_;
  ControllerOptions options_;
  engine::Engine live_;
  LooseEnds loose_;
  Planners planners_;
  std::optional<CommitGroup> group_;
  std::optional<Error> failed_;  // the journal refused what was applied already
};

}  // namespace berth::control
