// Planners: replicas of the state on which the batch cycle plans beside the fast path. Several of
// them plan the pools of the fleet at the same time; the plan is the one that a single one makes.
//
// One caller at a time, but as said below. It owns threads only while it plans.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "engine/cycle/engine.h"
#include "model/event.h"

namespace berth::control {

class Planners {
 public:
  explicit Planners(unsigned count);  // at least one
  // All of them go on from the state.
  void begin(const engine::ClusterState& state);

  // Something was committed. The next plan knows of it if the news are taken before.
  void tell(Event event) { news_.push_back(std::move(event)); }
  void take_news();
  // May run on another thread than `tell`.
  Plan plan(TimeMs now);

 private:
  void catch_up(engine::Engine& replica) const;

  std::vector<engine::Engine> replicas_;
  std::deque<Event> news_;
  std::deque<Event> taken_;  // for the next plan
};

}  // namespace berth::control
