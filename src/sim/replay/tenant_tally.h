// TenantTally: how the tenants of a run fared, from its events alone, so that what was recorded and
// what is played are counted by the same rules. A learner that passes learning on: it sees every
// event once the state has it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "control/ports.h"
#include "engine/state/cluster_state.h"

namespace berth::sim {

// Of one queue, and of jobs that have not started when the tally begins; their waits count from
// then.
struct TenantFigures {
  std::int64_t jobs = 0;
  std::vector<DurationMs> waits;  // to the first start; of those that wait still: so far
  std::int64_t evictions = 0;     // of its jobs: reclaims and drains
  double lost_gpu_hours = 0;      // work since the last checkpoint, when a job was stopped
  // Of inference and interactive jobs: those that had started within the objective.
  std::int64_t prompt = 0;
  std::int64_t prompt_of = 0;
  double gpu_hours = 0;  // held
  MicroMoney cost = 0;   // of them, by the prices of the policy
};

class TenantTally final : public control::Learner {
 public:
  // `inner` learns, and must outlive it. `objective_ms`: the longest wait that is prompt.
  TenantTally(control::Learner& inner, DurationMs objective_ms)
      : inner_(inner), objective_ms_(objective_ms) {}

  // Counts from this state on: what was held before is none of its business.
  void begin(const engine::ClusterState& state);
  // Jobs of these names are not counted, though their work is.
  void leave_out(std::set<std::string> names) { left_out_ = std::move(names); }
  FitPtr learn(const engine::ClusterState& state) override { return inner_.learn(state); }
  void observe(const Event& event, const engine::ClusterState& state) override;
  StandingsPtr standings(const engine::ClusterState& state, TimeMs now) override {
    return inner_.standings(state, now);
  }

  // By queue, as it is at the end.
  std::map<std::string, TenantFigures> figures(const engine::ClusterState& end, TimeMs now) const;

 private:
  struct JobTrack {
    std::string queue;
    TimeMs submitted = 0;
    bool is_prompt_asked = false;  // inference or interactive
    bool has_started = false;
    TimeMs started = kNever;  // its present run
    DurationMs base_ms = 0;   // of its work, when that began
    DurationMs saved_ms = 0;
    double cards = 0;
  };
  struct Held {
    double gpu_hours = 0;
    MicroMoney cost = 0;
  };

  void track(const engine::JobRecord& job, const engine::ClusterState& state);
  void started(JobId id, const engine::ClusterState& state, TimeMs at);
  void stopped(JobId id, EndReason reason, TimeMs at);
  static std::map<std::string, Held> held(const engine::ClusterState& state, TimeMs now);
  void count_wait(const JobTrack& job, DurationMs waited, TenantFigures& of) const;

  control::Learner& inner_;
  DurationMs objective_ms_;
  std::map<JobId, JobTrack> jobs_;
  std::map<std::string, TenantFigures> figures_;
  std::map<std::string, Held> before_;
  std::set<std::string> left_out_;
};

}  // namespace berth::sim
