#include "server/job_history.h"

namespace berth::server {

void JobHistory::before(const Event& event, const engine::ClusterState& state) {
  const auto* ended = std::get_if<JobEnded>(&event.body);
  if (ended == nullptr) return;
  const engine::JobRecord* job = state.find_job(ended->job);
  if (job == nullptr) return;
  EndedJob entry;
  entry.id = job->id;
  entry.name = job->name;
  entry.spec = state.spec_of(*job).spec;
  entry.reason = ended->reason;
  entry.submitted_at = job->submitted_at;
  entry.started_at = job->started_at;
  entry.ended_at = event.at;
  entry.revision = state.revision() + 1;
  by_name_[entry.name] = forgotten_ + jobs_.size();
  by_id_[entry.id] = forgotten_ + jobs_.size();
  jobs_.push_back(std::move(entry));
  if (jobs_.size() <= kKept) return;
  const auto oldest = by_name_.find(jobs_.front().name);
  if (oldest != by_name_.end() && oldest->second == forgotten_) by_name_.erase(oldest);
  by_id_.erase(jobs_.front().id);
  jobs_.pop_front();
  ++forgotten_;
}

const EndedJob* JobHistory::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &jobs_[found->second - forgotten_];
}

const EndedJob* JobHistory::find(JobId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &jobs_[found->second - forgotten_];
}

}  // namespace berth::server
