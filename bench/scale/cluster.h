// One engine and what a controller does around it: commands, events, executors that prepare at
// once. Owns: the engine and its time. Must never decide what arrives or ends.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "control/learner.h"
#include "engine/cycle/engine.h"
#include "model/command.h"

namespace berth::bench::scale {

class Cluster {
 public:
  Cluster() = default;
  // As a controller that took over: from the bytes of a state.
  explicit Cluster(engine::ClusterState state) : engine_(std::move(state)) {}

  engine::Engine& engine() { return engine_; }
  const engine::ClusterState& state() const { return engine_.state(); }
  TimeMs now() const { return now_; }
  void pass(DurationMs time) { now_ += time; }
  // Events of the last calls, for a replica; cleared by the caller.
  EventBatch& news() { return news_; }

  // Stops the program where the engine refuses.
  void execute(CommandBody body);
  JobId submit(const JobSpecPtr& spec);
  // Places the pending job at once; false where it does not fit.
  bool place_at_once(JobId job);
  void cancel(JobId job);
  // The job has done its work.
  void end(JobId job);
  // Carries out a plan; what it grants runs. Decisions that were lost.
  std::size_t carry_out(const Plan& plan);
  // Plans and carries out until there is nothing left to do.
  void settle();

 private:
  void apply(const EventBatch& events);
  void start(const EventBatch& events);

  engine::Engine engine_;
  control::FitLearner learner_;
  TimeMs now_ = 0;
  EventBatch news_;
};

}  // namespace berth::bench::scale
