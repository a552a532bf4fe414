#include "sim/replay/recorded_load.h"

#include <algorithm>
#include <memory>
#include <variant>

namespace berth::sim {
namespace {

constexpr DurationMs kLeastRunMs = 1;

}  // namespace

void RecordedLoad::begin(const engine::ClusterState& state) {
  begin_ = state.now();
  for (const JobId id : state.jobs().sorted_ids()) {
    const engine::JobRecord& job = *state.find_job(id);
    add(job, state, begin_);
    JobTrack& track = jobs_.at(id);
    track.done_before_ms = job.saved_ms;
    if (job.started_at != kNever || job.attempts > 0) under_way_.insert(track.job.name);
    if (job.started_at == kNever || job.phase != JobPhase::kRunning) continue;
    track.has_started = true;
    track.started = job.started_at;
    track.base_ms = job.base_ms;
    track.done_before_ms = begin_ - job.running_since();
  }
}

// Names of jobs that have ended are free again; in one run each is another one.
std::string RecordedLoad::unused_name(const std::string& name, JobId id) {
  if (names_.insert(name).second) return name;
  std::string other = name + "." + std::to_string(id.value());
  names_.insert(other);
  return other;
}

void RecordedLoad::add(const engine::JobRecord& job, const engine::ClusterState& state, TimeMs at) {
  JobTrack track;
  track.job.at = at - begin_;
  track.job.name = unused_name(job.name, job.id);
  track.job.spec = state.spec_of(job).spec;
  jobs_.insert_or_assign(job.id, std::move(track));
}

void RecordedLoad::started(JobTrack& track, TimeMs at, const engine::JobRecord* job) {
  track.has_started = true;
  track.started = at;
  if (job != nullptr) track.base_ms = job->base_ms;
  if (track.granted == kNever) return;
  ++starts_;
  prepared_ms_ += at - track.granted;
}

void RecordedLoad::ended(JobId id, TimeMs at) {
  const auto known = jobs_.find(id);
  if (known == jobs_.end()) return;
  JobTrack& track = known->second;
  if (!track.has_started) {
    ++withdrawn_;
    jobs_.erase(known);
    return;
  }
  track.is_over = true;
  const DurationMs since = track.started == kNever ? 0 : at - track.started;
  track.job.run_ms = std::max(kLeastRunMs, since + track.base_ms - track.done_before_ms);
}

void RecordedLoad::observe(const Event& event, const engine::ClusterState& state) {
  if (begin_ == 0) begin_ = event.at;  // a journal that is there from its beginning
  if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
    if (const auto* job = state.find_job(submitted->job)) add(*job, state, event.at);
  } else if (const auto* start = std::get_if<JobStarted>(&event.body)) {
    const auto known = jobs_.find(start->job);
    if (known != jobs_.end()) started(known->second, event.at, state.find_job(start->job));
  } else if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) {
    const auto known = jobs_.find(granted->job);
    if (known != jobs_.end() && known->second.granted == kNever) known->second.granted = event.at;
  } else if (const auto* requeued = std::get_if<JobRequeued>(&event.body)) {
    const auto known = jobs_.find(requeued->job);
    if (known == jobs_.end()) return;
    known->second.started = kNever;
    known->second.granted = kNever;
  } else if (const auto* over = std::get_if<JobEnded>(&event.body)) {
    ended(over->job, event.at);
  } else if (std::holds_alternative<NodeJoined>(event.body) ||
             std::holds_alternative<NodeConditionChanged>(event.body)) {
    ++node_changes_;
  }
}

SimInput RecordedLoad::input(const engine::ClusterState& end) const {
  SimInput input;
  for (std::uint32_t m = 0; m < end.model_count(); ++m) {
    input.models.push_back(*end.model(ModelIndex(static_cast<std::uint16_t>(m))).gpu);
  }
  input.topology = end.topology();
  for (std::size_t p = 0; p < end.partition_count(); ++p) {
    input.partitions.push_back(end.partition(PartitionIndex(static_cast<std::uint32_t>(p))));
  }
  for (const engine::QueueRecord& queue : end.queues()) input.queues.push_back(*queue.spec);
  for (const engine::NodeRecord& node : end.nodes()) {
    if (node.condition != NodeCondition::kRemoved) input.nodes.push_back(*node.spec);
  }
  input.policy = *end.policies().everywhere();
  if (end.fit() != nullptr) input.mix = end.fit()->mix;
  std::vector<SimJob> jobs;
  for (const auto& [id, track] : jobs_) {
    SimJob job = track.job;
    if (!track.is_over) {
      const engine::JobRecord* record = end.find_job(id);
      const DurationMs expected =
          record == nullptr ? 0 : end.expected_run(end.spec_of(*record), end.now());
      const DurationMs so_far =
          track.started == kNever ? 0 : end.now() - track.started + track.base_ms;
      job.run_ms = std::max(kLeastRunMs, std::max(expected, so_far) - track.done_before_ms);
    }
    jobs.push_back(std::move(job));
  }
  input.jobs = std::make_unique<ListedJobs>(std::move(jobs));
  if (starts_ > 0) input.settings.executor.prepare.value_ms = prepared_ms_ / starts_;
  input.settings.duration_ms = std::max<DurationMs>(1, end.now() - begin_);
  return input;
}

}  // namespace berth::sim
