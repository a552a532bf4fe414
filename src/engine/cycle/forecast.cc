// When a job that waits could start if nothing else came: the soonest expected ends that let it
// fit.
#include <algorithm>

#include "engine/cycle/cycle.h"

namespace berth::engine {

Eta Cycle::eta(const JobRecord& job) {
  Eta eta;
  if (why_asleep(job) || lacks_group(job)) return eta;
  const std::vector<ExpectedEnd> ends = expected_ends(state_, now_);
  if (fits_after(job, ends, 0)) return {now_, JobId::none(), EndBasis::kDeclared};
  if (!fits_after(job, ends, ends.size())) return eta;
  // more ends never leave less room: the least number is found by halving
  std::size_t low = 1;
  std::size_t high = ends.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (fits_after(job, ends, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const ExpectedEnd& last = ends[low - 1];
  const auto learned = [](const ExpectedEnd& end) { return end.basis == EndBasis::kLearned; };
  const bool guessed =
      std::any_of(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(low), learned);
  return {last.at, state_.find_lease(last.lease)->job,
          guessed ? EndBasis::kLearned : EndBasis::kDeclared};
}

// Whether the job fits once the first `count` leases have ended.
bool Cycle::fits_after(const JobRecord& job, const std::vector<ExpectedEnd>& ends,
                       std::size_t count) {
  const Trial::Checkpoint start = trial_.checkpoint();
  const std::size_t decisions = plan_.decisions.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Lease& lease = *state_.find_lease(ends[i].lease);
    const JobRecord& owner = *state_.find_job(lease.job);
    trial_.release(owner.spec, state_.spec_of(owner).shapes[lease.placement.role],
                   lease.placement.node, lease.placement.grants);
  }
  const bool fits = !admit(job, least_tasks(state_.ask_of(job))) && search(job, needs_of(job), {});
  trial_.rollback(start);
  plan_.decisions.resize(decisions);
  return fits;
}

Eta Engine::eta(JobId id, TimeMs now) {
  const JobRecord* job = state_.find_job(id);
  if (job == nullptr || job->phase != JobPhase::kPending) return {};
  state_.wake(now);
  return Cycle(*this, now).eta(*job);
}

}  // namespace berth::engine
