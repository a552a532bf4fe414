#include "engine/reserve/eta.h"

#include <algorithm>

namespace berth::engine {
namespace {

constexpr std::uint32_t kHalf = 65'536 / 2;

}  // namespace

ExpectedEnd expected_end(const ClusterState& state, const Lease& lease, TimeMs now) {
  const JobRecord& job = *state.find_job(lease.job);
  const SpecRecord& spec = state.spec_of(job);
  const TimeMs start = job.started_at == kNever ? now : job.started_at;
  if (lease.state == LeaseState::kRevoking) {
    return {std::max(now, std::min(lease.deadline, kNever - 1)), lease.id, EndBasis::kDeclared};
  }
  if (spec.spec->run_time_ms) {
    const TimeMs declared = saturating_add(start, *spec.spec->run_time_ms);
    if (declared > now) return {declared, lease.id, EndBasis::kDeclared};
  }
  const DurationMs left = state.run_times().of(spec.kind).remaining(now - start, kHalf);
  return {saturating_add(now, left), lease.id, EndBasis::kLearned};
}

std::vector<ExpectedEnd> expected_ends(const ClusterState& state, TimeMs now) {
  std::vector<ExpectedEnd> ends;
  for (const LeaseId id : state.leases().sorted_ids()) {
    const Lease& lease = state.leases().at(id);
    if (lease.state != LeaseState::kPromised) ends.push_back(expected_end(state, lease, now));
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

}  // namespace berth::engine
