#include "sim/sim_executor.h"

#include <algorithm>

namespace berth::sim {

SimExecutor::SimExecutor(const ExecutorSpec& spec, const PolicySpec& policy, std::uint64_t seed,
                         const VirtualClock& clock, SimQueue& queue, Recorder& recorder)
    : prepare_(spec.prepare),
      start_up_(spec.start_up),
      release_ms_(spec.release_ms),
      failure_ppm_(spec.prepare_failure_ppm),
      policy_(policy),
      rng_(seed),
      clock_(clock),
      queue_(queue),
      recorder_(recorder) {}

void SimExecutor::set_run_time(JobId job, DurationMs run_ms) {
  if (run_ms_.size() <= job.value()) run_ms_.resize(job.value() + 1, 0);
  run_ms_[job.value()] = run_ms;
}

void SimExecutor::prepare(const Lease& lease, const JobSpec& spec) {
  const bool fails =
      failure_ppm_ > 0 && rng_.below(kPpmOne) < static_cast<std::uint64_t>(failure_ppm_);
  const DurationMs takes = prepare_.draw(rng_);
  const DurationMs timeout = start_timeout_ms(policy_, spec);
  if (timeout > 0 && takes >= timeout) schedule(timeout, SimEventKind::kTick, lease);
  schedule(takes, fails ? SimEventKind::kPrepareFailed : SimEventKind::kPrepared, lease);
}

void SimExecutor::start(const Lease& lease, const JobSpec& /*spec*/) {
  recorder_.started(lease.job);
  if (lease.job.value() >= began_.size()) began_.resize(lease.job.value() + 1, Began{});
  Began& began = began_[lease.job.value()];
  if (began.epoch != lease.epoch) began = {lease.epoch, clock_.now()};
  const DurationMs start_up = start_up_of(lease.job);
  if (start_up == 0) return work(lease);
  schedule(start_up, SimEventKind::kWorking, lease);
}

DurationMs SimExecutor::start_up_of(JobId job) {
  if (last_.job != job || last_.at != clock_.now()) {
    last_ = {job, clock_.now(), start_up_.draw(rng_)};
  }
  return last_.ms;
}

// A task that joined later ends with its job.
void SimExecutor::work(const Lease& lease) {
  const bool known = lease.job.value() < run_ms_.size();
  const DurationMs run = known ? run_ms_[lease.job.value()] : 0;
  const DurationMs late = lease.started_at - began_[lease.job.value()].at;
  schedule(std::max<DurationMs>(0, run - late), SimEventKind::kEnded, lease);
}

void SimExecutor::revoke(const Lease& lease, ReclaimGrade /*grade*/) {
  schedule(release_ms_, SimEventKind::kReleased, lease);
}

void SimExecutor::schedule(DurationMs after, SimEventKind kind, const Lease& lease) {
  queue_.push(saturating_add(clock_.now(), after),
              {kind, static_cast<std::uint32_t>(lease.epoch), lease.id});
}

}  // namespace berth::sim
