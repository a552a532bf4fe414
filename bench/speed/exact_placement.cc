#include "bench/speed/exact_placement.h"

#include "engine/cycle/commit.h"

namespace berth::bench::speed {

EventBatch ExactPlacement::place_at_once(const engine::ClusterState& state, JobId job, TimeMs now) {
  if (!scan_ || fit_revision_ != state.fit_revision()) {
    fit_revision_ = state.fit_revision();
    scan_.emplace(state);
  }
  EventBatch events;
  const engine::JobRecord& record = *state.find_job(job);
  const engine::SpecRecord& spec = state.spec_of(record);
  const auto candidate = scan_->find(state, spec.shapes.front());
  if (!candidate) return events;
  TaskPlacement task;
  task.node = candidate->node;
  task.grants = candidate->grants;
  events.push_back(
      {now, engine::grant_of(state, record, state.next_lease(), task, LeaseOwnership::kBorrowed)});
  return events;
}

}  // namespace berth::bench::speed
