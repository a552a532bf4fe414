#include "control/job_waits.h"

#include <algorithm>

#include "engine/decide_lease.h"

namespace berth::control {
namespace {

using engine::ClusterState;
using engine::JobRecord;
using For = JobWait::For;

JobWait wait_to_run(const ClusterState& state, const JobRecord& job, TimeMs at) {
  const bool was_stopped = job.stop.at != kNever;
  return {was_stopped ? For::kRestart : For::kStart, state.spec_of(job).spec->job_class,
          at - job.waits_since()};
}

// None: it wasn't repaired in time, and goes on without.
std::optional<JobWait> wait_for_repair(const ClusterState& state, const JobRecord& job,
                                       std::uint16_t role, TimeMs at) {
  const auto repair = std::find_if(job.repairs.begin(), job.repairs.end(),
                                   [&](const auto& one) { return one.first == role; });
  if (repair == job.repairs.end() || at >= repair->second) return std::nullopt;
  return JobWait{For::kRepair, state.spec_of(job).spec->job_class,
                 at - engine::repaired_since(state, job, repair->second)};
}

}  // namespace

std::optional<JobWait> wait_that_ends(const Event& event, const ClusterState& before) {
  if (const auto* started = std::get_if<JobStarted>(&event.body)) {
    return wait_to_run(before, *before.find_job(started->job), event.at);
  }
  if (const auto* resumed = std::get_if<LeaseResumed>(&event.body)) {
    const Lease& lease = *before.find_lease(resumed->lease);
    return wait_to_run(before, *before.find_job(lease.job), event.at);
  }
  if (const auto* repaired = std::get_if<JobRepaired>(&event.body)) {
    return wait_for_repair(before, *before.find_job(repaired->job), repaired->role, event.at);
  }
  return std::nullopt;
}

}  // namespace berth::control
