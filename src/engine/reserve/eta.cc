#include "engine/reserve/eta.h"

#include <algorithm>
#include <set>

#include "engine/reserve/end_book.h"

namespace berth::engine {
namespace {

constexpr std::uint32_t kHalf = 65'536 / 2;
constexpr std::uint32_t kRarely = 65'536 / 20;

}  // namespace

ExpectedEnd expected_end(const ClusterState& state, const Lease& lease, TimeMs now) {
  const JobRecord& job = *state.find_job(lease.job);
  const SpecRecord& spec = state.spec_of(job);
  const TimeMs start = job.started_at == kNever ? now : job.running_since();
  if (lease.state == LeaseState::kRevoking) {
    return {std::max(now, std::min(lease.deadline, kNever - 1)), lease.id, EndBasis::kDeclared};
  }
  if (spec.spec->run_time_ms) {
    const TimeMs declared = saturating_add(start, *spec.spec->run_time_ms);
    if (declared > now) return {declared, lease.id, EndBasis::kDeclared};
  }
  const DurationHistogram& times = state.run_times().of(spec.kind);
  const DurationMs left = times.remaining(now - start, kHalf);
  return {saturating_add(now, left), lease.id,
          times.count() < kJobsKnown ? EndBasis::kUnknown : EndBasis::kLearned};
}

ExpectedEnd end_when_started(const ClusterState& state, const SpecRecord& spec, TimeMs now) {
  if (spec.spec->run_time_ms) {
    return {saturating_add(now, *spec.spec->run_time_ms), LeaseId::none(), EndBasis::kDeclared};
  }
  const DurationHistogram& times = state.run_times().of(spec.kind);
  return {saturating_add(now, times.remaining(0, kHalf)), LeaseId::none(),
          times.count() < kJobsKnown ? EndBasis::kUnknown : EndBasis::kLearned};
}

bool ends_before(const ClusterState& state, const SpecRecord& spec, TimeMs now, TimeMs until,
                 Backfill backfill) {
  if (backfill == Backfill::kOff || until <= now) return false;
  if (spec.spec->run_time_ms) return saturating_add(now, *spec.spec->run_time_ms) <= until;
  if (backfill == Backfill::kDeclared) return false;
  const DurationHistogram& times = state.run_times().of(spec.kind);
  return times.count() >= kJobsKnown && times.survival(0, until - now) <= kRarely;
}

std::vector<ExpectedEnd> expected_ends(const ClusterState& state, TimeMs now) {
  const std::set<JobId> stalled = stalled_jobs(state);
  std::vector<ExpectedEnd> ends;
  for (const LeaseId id : state.leases().sorted_ids()) {
    const Lease& lease = state.leases().at(id);
    const bool ends_some_time =
        lease.holds_cards() && ends_by_itself(lease, stalled.contains(lease.job));
    if (ends_some_time) ends.push_back(expected_end(state, lease, now));
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

}  // namespace berth::engine
