// TaskPhysics: what happens to the tasks of simulated nodes. It is the simulator's executor, told
// by the agents of nodes instead of by a controller, and it answers with what an agent would
// observe.
//
// The tasks of a job are one run, whatever nodes they are on: they start, save and stop together.
// What a node alone cannot know (that its gang saved because another member was asked first) is
// kept until its own order comes. One caller at a time; time is an argument.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/lease_book.h"
#include "agent/core/messages.h"
#include "model/gpu_model.h"
#include "sim/settings.h"
#include "sim/sim_executor.h"
#include "sim/virtual_clock.h"
#include "sim/work_book.h"

namespace berth::sim {

struct Observation {
  std::size_t node = 0;
  agent::ReportBody what;
};
using Observations = std::vector<Observation>;

class TaskPhysics {
 public:
  // `suspensions`: by node, what its model says of suspending; null where nothing was measured.
  // `default_run_ms`: of jobs that declare no run time.
  TaskPhysics(const ExecutorSpec& spec, std::uint64_t seed,
              std::vector<const ProcessSuspension*> suspensions, DurationMs default_run_ms);

  TimeMs now() const { return clock_.now(); }
  TimeMs next_at() const { return queue_.next_at(); }
  // Lets time pass until `to`, which is not before now.
  Observations advance(TimeMs to);

  // An agent's runner is told; `task` is what its book holds of it, null where it has let go.
  Observations act(std::size_t node, const agent::TaskAction& action, const agent::HeldTask* task);
  void change_layout(std::size_t node, const agent::LayoutOrder& order);
  // The node has failed, and with it its tasks.
  void lose(std::size_t node);

  std::size_t tasks() const { return tasks_.size(); }
  WorkSums work() const { return book_.sums(); }

 private:
  // So many jobs without a task are remembered, for when they are granted again.
  static constexpr std::size_t kIdleJobs = 100'000;

  struct Task {
    std::size_t node = 0;
    Lease lease;
    JobSpec spec;
    std::uint32_t min_tasks = 1;
    bool is_started = false;
    bool is_asked = false;                   // its own node was told to take it back
    bool is_gone = false;                    // it has left the run already
    std::optional<agent::ReportBody> early;  // observed before its node was asked
  };

  Task* find(std::uint64_t lease, std::uint64_t epoch);
  void prepare(std::size_t node, const agent::Grant& grant);
  Observations start(Task& task);
  Observations take_back(Task& task, const agent::TaskAction& action, const agent::HeldTask& held);
  Observations arrive(std::size_t node, const agent::TaskAction& action,
                      const agent::HeldTask& held);
  Observations happen(const SimEvent& event);
  Observations prepared(const SimEvent& event);
  Observations turn(const SimEvent& event);
  Observations released(const SimEvent& event);
  // Tells it now, or when its node is asked.
  Observations tell(Task& task, agent::ReportBody what);
  void leave_run(Task& task);
  void forget(LeaseId lease);
  void follow_repair(JobId job);
  bool has_started(JobId job) const;
  std::size_t started(JobId job, std::uint16_t role) const;

  PolicySpec policy_;
  std::vector<const ProcessSuspension*> suspensions_;
  DurationMs default_run_ms_;
  VirtualClock clock_;
  SimQueue queue_;
  WorkBook book_;
  SimExecutor executor_;
  std::map<LeaseId, Task> tasks_;
  std::map<JobId, std::set<LeaseId>> jobs_;  // with a run; the tasks that are part of it
  std::set<JobId> repairing_;
  std::deque<JobId> idle_;  // in the order in which they became it; some are no longer
};

}  // namespace berth::sim
