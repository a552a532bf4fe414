// Jobs that have ended lately: the state forgets a job when it ends, its owner does not.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "engine/state/cluster_state.h"
#include "model/event.h"

namespace berth::server {

struct EndedJob {
  JobId id;
  std::string name;
  JobSpecPtr spec;
  EndReason reason = EndReason::kSucceeded;
  TimeMs submitted_at = 0;
  TimeMs started_at = kNever;
  TimeMs ended_at = 0;
  std::uint64_t revision = 0;  // of the state without it; the same on every server
};

class JobHistory {
 public:
  static constexpr std::size_t kKept = 20'000;

  // Called with each event and the state before it, which still knows the job.
  void before(const Event& event, const engine::ClusterState& state);

  // In the order in which they ended.
  const std::deque<EndedJob>& jobs() const { return jobs_; }
  // The last one of that name; null: none is known.
  const EndedJob* find(const std::string& name) const;
  const EndedJob* find(JobId id) const;

 private:
  std::deque<EndedJob> jobs_;
  std::uint64_t forgotten_ = 0;                   // that were in front
  std::map<std::string, std::uint64_t> by_name_;  // number since the first
  std::map<JobId, std::uint64_t> by_id_;          // the same
};

}  // namespace berth::server
