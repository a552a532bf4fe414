// Simulation: a fleet, jobs and a policy through the product's own controller in virtual time. One
// thread; no wall clock; the same input gives the same events.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "control/controller.h"
#include "model/fleet.h"
#include "model/gpu_model.h"
#include "model/policy.h"
#include "sim/failures.h"
#include "sim/job_source.h"
#include "sim/recorder.h"
#include "sim/run_result.h"
#include "sim/settings.h"
#include "sim/sim_executor.h"
#include "sim/virtual_clock.h"
#include "sim/work_book.h"

namespace berth::sim {

struct SimInput {
  std::string name;
  std::vector<GpuModel> models;
  TopologySpec topology;
  std::vector<PartitionSpec> partitions;
  std::vector<QueueSpec> queues;
  std::vector<NodeSpec> nodes;
  PolicySpec policy;
  std::vector<MixEntry> mix;  // known before the first job; empty: nothing is
  std::unique_ptr<JobSource> jobs;
  SimSettings settings;
};

struct Progress {
  TimeMs at = 0;
  DurationMs duration_ms = 0;  // 0: open end
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::size_t waiting = 0;
};
using ProgressSink = std::function<void(const Progress&)>;

// Ports that a caller may replace; the journal must be empty or hold what the state is built from.
struct SimPorts {
  control::Journal& journal;
  control::Learner& learner;
};

class Simulation {
 public:
  Simulation(SimInput input, SimPorts ports);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Declares fleet, tenants and policy; call once, first.
  Status begin();
  // Plays until the end of the input's duration, or until nothing is left to happen.
  Status run(const ProgressSink& progress);

  const engine::ClusterState& state() const { return controller_->state(); }
  TimeMs now() const { return clock_.now(); }
  // What the product answers about a job as things stand.
  Rejections why(JobId job) { return controller_->why(job); }
  engine::Outlook eta(JobId job) const { return controller_->eta(job); }
  std::vector<engine::Fix> fixes(JobId job) const { return controller_->fixes(job); }
  // What was measured; `wall_s` is the caller's to fill.
  RunResult result() const;
  // What leases were spent on until the end of `run`, exactly.
  WorkSums work() const { return book_.sums(); }
  // Of one job that has not ended, as far as it is booked.
  WorkSums work(JobId job) const { return book_.sums(job); }

 private:
  // Sees each event once the state has applied it; learning is another's.
  class Watch;

  Status step(const SimEvent& event);
  Status step_lease(const SimEvent& event);
  Status arrive();
  Status end_turn(const SimEvent& event);
  Status end_layout(const SimEvent& event);
  Status tick();
  Status tell(CommandBody body);
  template <typename Body>
  void saw(const Body& /*event*/) {}
  void saw(const LeaseGranted& event);
  void saw(const LeaseMoved& event);
  void saw(const LeaseRevoking& event);
  void saw(const LeaseReleased& event);
  void saw(const LeaseSuspended& event);
  void saw(const LeaseResumed& event);
  void saw(const LeaseOverdue& event);
  void saw(const JobStarted& event);
  void saw(const JobRepairing& event);
  void saw(const JobRepaired& event);
  void saw(const JobEnded& event);
  void saw(const ReceiptIssued& event) { recorder_.issued(*event.receipt, state()); }
  void saw(const ReceiptEnded& event) { recorder_.ended(event.receipt, event.outcome); }
  void saw(const RegeometryAdvanced& event);
  Status plan();
  Status commit();
  void sample();
  void schedule_arrival();
  void schedule_plan();
  void schedule_due();
  bool plan_is_due() const;
  bool is_over() const;

  // Failures; nothing happens without the section of the settings.
  Status begin_failures();
  void schedule_failure(SimEventKind kind, DurationMs after);
  Status happen(const SimEvent& event);
  Status fail(const Strike& strike);
  Status fail_card(NodeIndex node, std::uint16_t card, DurationMs repair_ms);
  Status lose_node(NodeIndex node, Interruption cause, DurationMs back_ms, DurationMs give_up_ms);
  void lose_task(LeaseId id, Interruption cause);
  Status give_up(NodeIndex node);
  Status notice(NodeIndex node);
  std::vector<LeaseId> leases_on(NodeIndex node) const;
  std::string name_of(NodeIndex node) const;

  SimInput input_;
  VirtualClock clock_;
  SimQueue queue_;
  Recorder recorder_;
  WorkBook book_;
  SimExecutor executor_;
  std::unique_ptr<Watch> watch_;
  std::optional<Failures> failures_;
  std::vector<std::uint32_t> node_turns_;  // how often a node was lost
  std::size_t endless_ = 1;                // events of which one is always to come: the sample
  control::NoMetrics metrics_;             // the run's figures come from the recorder
  std::unique_ptr<control::Controller> controller_;
  std::optional<SimJob> next_job_;
  std::optional<Plan> planned_;  // waits for its commit
  TimeMs plan_at_ = kNever;      // of the scheduled cycle
  TimeMs last_plan_ = 0;
  std::uint64_t planned_room_ = 0;       // room revision that the last cycle saw
  std::uint64_t planned_submitted_ = 0;  // jobs submitted when it ran
  bool lost_a_race_ = false;
  bool is_due_ = false;
  TimeMs due_at_ = kNever;  // of the last kDue
  std::int64_t layouts_changed_ = 0;
  std::int64_t layouts_rolled_back_ = 0;
  std::string first_refusal_;  // why the first job was refused; empty: none was
};

}  // namespace berth::sim
