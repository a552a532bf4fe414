#include "bench/scale/cluster.h"

#include <utility>
#include <variant>

#include "base/check.h"

namespace berth::bench::scale {
namespace {

constexpr std::uint64_t kFirstEpoch = 1;  // nothing is ever taken back

}  // namespace

void Cluster::execute(CommandBody body) {
  const auto events = engine_.decide({std::move(body), {}, {}}, now_);
  BERTH_CHECK(events.has_value());
  apply(*events);
}

JobId Cluster::submit(const JobSpecPtr& spec) {
  const JobId job = state().next_job();
  execute(SubmitJob{"j" + std::to_string(job.value()), spec});
  if (state().fit_due()) apply({Event{now_, FitObserved{learner_.learn(state())}}});
  apply(engine_.upkeep(now_));
  return job;
}

bool Cluster::place_at_once(JobId job) {
  const EventBatch events = engine_.place_at_once(job, now_);
  apply(events);
  start(events);
  return !events.empty();
}

void Cluster::cancel(JobId job) { execute(CancelJob{state().find_job(job)->name}); }

void Cluster::end(JobId job) {
  const auto leases = state().find_job(job)->leases;  // a copy: they go one by one
  for (const LeaseId lease : leases) {
    execute(ReportEnded{lease, kFirstEpoch, EndReason::kSucceeded});
  }
}

std::size_t Cluster::carry_out(const Plan& plan) {
  const engine::Commitment commitment = engine_.commit(plan, now_);
  apply(commitment.events);
  start(commitment.events);
  return commitment.lost;
}

void Cluster::settle() {
  for (;;) {
    const Plan plan = engine_.plan(now_);
    if (plan.decisions.empty()) return;
    carry_out(plan);
  }
}

void Cluster::apply(const EventBatch& events) {
  for (const Event& event : events) engine_.apply(event);
  news_.insert(news_.end(), events.begin(), events.end());
}

void Cluster::start(const EventBatch& events) {
  for (const Event& event : events) {
    const auto* granted = std::get_if<LeaseGranted>(&event.body);
    if (granted != nullptr) execute(ReportPrepared{granted->lease, kFirstEpoch});
  }
}

}  // namespace berth::bench::scale
