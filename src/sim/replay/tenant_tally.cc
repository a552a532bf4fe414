#include "sim/replay/tenant_tally.h"

#include <algorithm>
#include <variant>

namespace berth::sim {
namespace {

constexpr double kMsPerHour = 3'600'000;

std::string queue_name(const engine::ClusterState& state, const engine::JobRecord& job) {
  return state.quota().queue(state.spec_of(job).home.queue).spec->name;
}

}  // namespace

void TenantTally::begin(const engine::ClusterState& state) {
  before_ = held(state, state.now());
  for (const JobId id : state.jobs().sorted_ids()) {
    const engine::JobRecord& job = *state.find_job(id);
    track(job, state);
    jobs_.at(id).submitted = state.now();
    if (job.started_at == kNever) continue;
    JobTrack& known = jobs_.at(id);
    known.has_started = true;
    known.started = job.started_at;
    known.base_ms = job.base_ms;
    known.saved_ms = job.saved_ms;
  }
}

void TenantTally::track(const engine::JobRecord& job, const engine::ClusterState& state) {
  JobTrack known;
  known.queue = queue_name(state, job);
  known.submitted = job.submitted_at;
  known.saved_ms = job.saved_ms;
  const engine::SpecRecord& spec = state.spec_of(job);
  known.cards = static_cast<double>(spec.cards);
  known.is_prompt_asked = spec.spec->job_class != JobClass::kTraining;
  known.has_started = job.attempts > 0 || left_out_.contains(job.name);
  jobs_.insert_or_assign(job.id, std::move(known));
}

void TenantTally::count_wait(const JobTrack& job, DurationMs waited, TenantFigures& of) const {
  ++of.jobs;
  of.waits.push_back(waited);
  if (!job.is_prompt_asked) return;
  ++of.prompt_of;
  if (waited <= objective_ms_) ++of.prompt;
}

void TenantTally::started(JobId id, const engine::ClusterState& state, TimeMs at) {
  const auto known = jobs_.find(id);
  if (known == jobs_.end()) return;
  JobTrack& job = known->second;
  if (!job.has_started) {
    job.has_started = true;
    count_wait(job, at - job.submitted, figures_[job.queue]);
  }
  job.started = at;
  if (const engine::JobRecord* now = state.find_job(id)) job.base_ms = now->base_ms;
}

// What it has done since its last checkpoint is done again.
void TenantTally::stopped(JobId id, EndReason reason, TimeMs at) {
  const auto known = jobs_.find(id);
  if (known == jobs_.end()) return;
  JobTrack& job = known->second;
  TenantFigures& of = figures_[job.queue];
  if (is_taken_back(reason)) ++of.evictions;
  if (job.started == kNever) return;
  const DurationMs done = at - job.started + job.base_ms;
  of.lost_gpu_hours +=
      static_cast<double>(std::max<DurationMs>(0, done - job.saved_ms)) * job.cards / kMsPerHour;
  job.started = kNever;
}

void TenantTally::observe(const Event& event, const engine::ClusterState& state) {
  inner_.observe(event, state);
  if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
    if (const auto* job = state.find_job(submitted->job)) track(*job, state);
  } else if (const auto* start = std::get_if<JobStarted>(&event.body)) {
    started(start->job, state, event.at);
  } else if (const auto* requeued = std::get_if<JobRequeued>(&event.body)) {
    stopped(requeued->job, requeued->reason, event.at);
  } else if (const auto* saved = std::get_if<CheckpointObserved>(&event.body)) {
    const Lease* lease = state.find_lease(saved->lease);
    const engine::JobRecord* job = lease == nullptr ? nullptr : state.find_job(lease->job);
    const auto known = job == nullptr ? jobs_.end() : jobs_.find(job->id);
    if (known != jobs_.end()) known->second.saved_ms = job->saved_ms;
  } else if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
    jobs_.erase(ended->job);  // one that never started and was withdrawn waited for nothing
  }
}

std::map<std::string, TenantTally::Held> TenantTally::held(const engine::ClusterState& state,
                                                           TimeMs now) {
  std::map<std::string, Held> all;
  for (std::uint32_t q = 0; q < state.queues().size(); ++q) {
    const engine::QueueRecord& queue = state.quota().queue(QueueIndex(q));
    for (const engine::FlavourUsage& usage : queue.usage) {
      const engine::Flavour& flavour = state.quota().flavour(usage.flavour);
      if (flavour.is_cpu()) continue;
      const DurationMs unbooked = std::max<DurationMs>(0, now - usage.since);
      const engine::CardTime time = usage.held.plus(usage.total.compute, unbooked);
      Held& of = all[queue.spec->name];
      of.gpu_hours += static_cast<double>(time.card_ms()) / kMsPerHour;
      of.cost += time.cost(state.price_per_gpu_hour(flavour));
    }
  }
  return all;
}

std::map<std::string, TenantFigures> TenantTally::figures(const engine::ClusterState& end,
                                                          TimeMs now) const {
  std::map<std::string, TenantFigures> all = figures_;
  for (const auto& [id, job] : jobs_) {
    if (!job.has_started) count_wait(job, now - job.submitted, all[job.queue]);
  }
  for (const auto& [queue, time] : held(end, now)) {
    const auto before = before_.find(queue);
    const Held was = before == before_.end() ? Held{} : before->second;
    if (time.gpu_hours - was.gpu_hours <= 0 && !all.contains(queue)) continue;
    all[queue].gpu_hours = time.gpu_hours - was.gpu_hours;
    all[queue].cost = time.cost - was.cost;
  }
  return all;
}

}  // namespace berth::sim
