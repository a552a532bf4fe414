// RecordedLoad: what a journal says of the load that a cluster had, so that it can be played again:
// which jobs came when, and how long each of them worked.
//
// Of a job's work counts what it kept: until its end, or as it was declared, or else what jobs of
// its kind are expected to take. A job that was withdrawn before it started is left out.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "control/ports.h"
#include "sim/job_source.h"
#include "sim/simulation.h"

namespace berth::sim {

class RecordedLoad {
 public:
  // Jobs that are there already come at the beginning, with the work that they have left.
  void begin(const engine::ClusterState& state);
  // Each event once the state has it.
  void observe(const Event& event, const engine::ClusterState& state);

  // The load, with the fleet and the tenants as they are at the end, on nodes that take as long to
  // prepare a job as they did on average.
  SimInput input(const engine::ClusterState& end) const;

  DurationMs duration(const engine::ClusterState& end) const { return end.now() - begin_; }
  std::size_t jobs() const { return jobs_.size(); }
  // Jobs that had started before the beginning, by their names in the replay.
  const std::set<std::string>& under_way() const { return under_way_; }
  std::int64_t withdrawn() const { return withdrawn_; }
  // Nodes that came or went after the beginning: the replay has those of the end throughout.
  std::int64_t node_changes() const { return node_changes_; }

 private:
  struct JobTrack {
    SimJob job;
    bool has_started = false;
    bool is_over = false;
    TimeMs granted = kNever;  // its first task, since it waited last
    TimeMs started = kNever;
    DurationMs base_ms = 0;
    DurationMs done_before_ms = 0;  // the beginning
  };

  void add(const engine::JobRecord& job, const engine::ClusterState& state, TimeMs at);
  void started(JobTrack& track, TimeMs at, const engine::JobRecord* job);
  void ended(JobId id, TimeMs at);
  std::string unused_name(const std::string& name, JobId id);

  TimeMs begin_ = 0;
  std::vector<GpuModel> models_;
  std::map<JobId, JobTrack> jobs_;
  std::set<std::string> names_;
  std::set<std::string> under_way_;
  std::int64_t starts_ = 0;
  DurationMs prepared_ms_ = 0;  // of all starts
  std::int64_t withdrawn_ = 0;
  std::int64_t node_changes_ = 0;
};

}  // namespace berth::sim
