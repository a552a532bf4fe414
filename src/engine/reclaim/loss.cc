#include "engine/reclaim/loss.h"

#include <algorithm>

namespace berth::engine {
namespace {

constexpr std::int64_t kGpuHoursBetweenFailures = 50'000;
// Of a job that does not say how long it takes to write a checkpoint: that of 80 GiB at the 1.6
// GiB/s at which device memory was measured to come out of a card (own measurement, H100).
constexpr DurationMs kUnknownCheckpointMs = 50 * kSecondMs;
constexpr MicroMoney kUnpriced = 1'000'000;  // per GPU-hour

// Rounded down.
std::int64_t square_root(std::int64_t value) {
  std::int64_t low = 0;
  std::int64_t high = std::int64_t{1} << 31;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (middle <= value / middle) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Work that the last checkpoint that is known of does not hold; a suspension saves none of it.
DurationMs unsaved_ms(const JobRecord& job, TimeMs now) {
  return job.started_at == kNever ? 0 : now - job.running_since() - job.saved_ms;
}

const ProcessSuspension* suspension_of(const ClusterState& state, const TaskPlacement& place) {
  const ModelIndex model = state.node_kind(state.node(place.node).kind).model;
  if (model.is_none()) return nullptr;
  const auto& known = state.model(model).gpu->suspension;
  return known ? &*known : nullptr;
}

// Time to move `mib` at `mib_per_s`, rounded up.
DurationMs copy_ms(Mib mib, std::int64_t mib_per_s) {
  return (saturating_mul(mib, kSecondMs) + mib_per_s - 1) / mib_per_s;
}

bool may_suspend(const ClusterState& state, const Lease& lease) {
  if (!lease.capabilities.has(ReclaimGrade::kSuspend)) return false;
  if (!state.policy().may_use(ReclaimGrade::kSuspend)) return false;
  return state.node(lease.placement.node).memory_free >= state.image_of(lease);
}

Loss loss_of_suspending(const ClusterState& state, const Lease& lease) {
  const ProcessSuspension& rates = *suspension_of(state, lease.placement);
  const Mib image = state.image_of(lease);
  const DurationMs out = rates.lock_ms + copy_ms(image, rates.out_mib_per_s);
  const DurationMs lost = out + copy_ms(image, rates.in_mib_per_s);
  // a kernel under way delays the lock: as long as any other task has to end
  return {ReclaimGrade::kSuspend, lost, lost, out + kLeastGraceMs};
}

}  // namespace

DurationMs recommended_interval(const JobSpec& spec, std::uint64_t cards) {
  const DurationMs write =
      spec.checkpoint.duration_ms > 0 ? spec.checkpoint.duration_ms : kUnknownCheckpointMs;
  const auto gpus = static_cast<std::int64_t>(std::max<std::uint64_t>(1, cards));
  const DurationMs between = std::max<DurationMs>(1, kGpuHoursBetweenFailures * kHourMs / gpus);
  return std::max(write, square_root(saturating_mul(2 * write, between)));
}

Loss loss_of(const ClusterState& state, const JobRecord& job, TimeMs now) {
  const SpecRecord& record = state.spec_of(job);
  const CheckpointSpec& checkpoint = record.spec->checkpoint;
  const DurationMs real = unsaved_ms(job, now);
  const DurationMs age = std::min(real, recommended_interval(*record.spec, record.cards));
  Loss best{ReclaimGrade::kKill, age + checkpoint.restart_ms, real + checkpoint.restart_ms,
            kLeastGraceMs};
  const bool saves = checkpoint.method == CheckpointMethod::kSignal ||
                     checkpoint.method == CheckpointMethod::kHttp;
  if (saves && state.policy().may_use(ReclaimGrade::kCheckpointEvict)) {
    const auto lost = [&](DurationMs unsaved) {
      const DurationMs kept =
          checkpoint.acknowledges ? std::min(unsaved, checkpoint.duration_ms) : unsaved;
      return kept + checkpoint.restart_ms;
    };
    best = {ReclaimGrade::kCheckpointEvict, lost(age), lost(real),
            std::max(kLeastGraceMs, checkpoint.grace_ms)};
  }
  if (job.leases.size() != 1) return best;
  const Lease& lease = *state.find_lease(job.leases.front());
  if (!may_suspend(state, lease)) return best;
  const Loss suspended = loss_of_suspending(state, lease);
  return suspended.counted_ms <= best.counted_ms ? suspended : best;
}

Loss loss_of_shrinking(const JobSpec& spec) {
  const DurationMs lost = spec.checkpoint.restart_ms;
  return {ReclaimGrade::kShrink, lost, lost, std::max(kLeastGraceMs, spec.checkpoint.grace_ms)};
}

std::uint32_t count_since(const std::vector<TimeMs>& times, TimeMs after) {
  return static_cast<std::uint32_t>(
      std::count_if(times.begin(), times.end(), [&](TimeMs at) { return at > after; }));
}

LeaseCapabilities capabilities_of(const ClusterState& state, const SpecRecord& spec,
                                  const TaskPlacement& place) {
  LeaseCapabilities can;
  can.add(ReclaimGrade::kKill);
  const JobSpec& job = *spec.spec;
  if (job.checkpoint.method == CheckpointMethod::kSignal ||
      job.checkpoint.method == CheckpointMethod::kHttp) {
    can.add(ReclaimGrade::kCheckpointEvict);
    can.add(ReclaimGrade::kMove);
  }
  if (job.roles[place.role].elastic) can.add(ReclaimGrade::kShrink);
  // from outside: one process on one card that is no client of MPS, where it has been measured
  const bool single = spec.tasks == 1 && place.grants.size() == 1 &&
                      (place.grants.front().mode == CardMode::kWhole ||
                       place.grants.front().mode == CardMode::kTimeslice);
  if (job.checkpoint.method == CheckpointMethod::kDriver && single &&
      suspension_of(state, place) != nullptr) {
    can.add(ReclaimGrade::kPause);
    can.add(ReclaimGrade::kSuspend);
    can.add(ReclaimGrade::kMove);
  }
  return can;
}

MicroMoney worth_of(const ClusterState& state, FlavourIndex flavour, JobClass job_class,
                    CardUnits cards, DurationMs ms) {
  const MicroMoney priced = state.price_per_gpu_hour(state.quota().flavour(flavour));
  CardTime time;
  time.add(cards, ms);
  const __int128 weighted = static_cast<__int128>(time.cost(priced > 0 ? priced : kUnpriced)) *
                            state.policy().class_weights.of(job_class) / kPpmOne;
  return static_cast<MicroMoney>(std::min<__int128>(weighted, INT64_MAX));
}

}  // namespace berth::engine
