#include "engine/reserve/vacancy.h"

#include <algorithm>

namespace berth::engine {
namespace {

std::uint32_t ends_within(const ClusterState& state, const JobRecord& job, TimeMs now,
                          DurationMs within) {
  const SpecRecord& spec = state.spec_of(job);
  const TimeMs start = job.started_at == kNever ? now : job.started_at;
  const auto& declared = spec.spec->run_time_ms;
  if (declared && saturating_add(start, *declared) <= saturating_add(now, within)) return kCertain;
  const DurationHistogram& times = state.run_times().of(spec.kind);
  return kCertain - std::min(kCertain, times.survival(now - start, within));
}

}  // namespace

std::uint32_t vacancy(const ClusterState& state, NodeIndex node, TimeMs now, DurationMs within) {
  std::uint64_t part = kCertain;
  const JobRecord* last = nullptr;  // tasks of one job end together
  for (const LeaseId id : state.node(node).leases) {
    const JobRecord* job = state.find_job(state.find_lease(id)->job);
    if (job != last) part = part * ends_within(state, *job, now, within) / kCertain;
    last = job;
  }
  return static_cast<std::uint32_t>(part);
}

}  // namespace berth::engine
