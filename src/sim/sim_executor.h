// SimExecutor: carries out leases in virtual time. Of each job it knows how far it has come and
// what its last checkpoint holds; it puts what will happen next into the event queue, and the event
// loop turns that into reports to the controller.
//
// The tasks of a job start, save and stop together. A job that is interrupted goes on from its last
// checkpoint, or from the beginning. Every card-millisecond of a lease is booked in the WorkBook.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/id_table.h"
#include "base/ids.h"
#include "base/lookup_map.h"
#include "base/rng.h"
#include "control/ports.h"
#include "model/command.h"
#include "model/event.h"
#include "model/gpu_model.h"
#include "model/plan.h"
#include "sim/event_queue.h"
#include "sim/job_run.h"
#include "sim/settings.h"
#include "sim/virtual_clock.h"
#include "sim/work_book.h"

namespace berth::sim {

enum class SimEventKind : std::uint8_t {
  kArrival,
  kPrepared,
  kPrepareFailed,
  kJoined,   // the start-up of a task that joins is over
  kJobTurn,  // what a job was doing is over
  kReleased,
  kDue,
  kPlan,
  kCommit,
  kSample,
  kTick,
  kFailure,      // the next node or card fails
  kNotice,       // the next spot node gets its notice
  kNodeTaken,    // the notice of a spot node has run out
  kNodeGivenUp,  // the tasks of a lost node are known to be gone
  kNodeBack,
  kCardBack,
  kLayout  // a node has carried out what it was asked for a card's layout
};

struct SimEvent {
  SimEventKind kind = SimEventKind::kArrival;
  std::uint32_t round = 0;    // epoch of a lease; turn of a job or node; number of a card
  std::uint64_t subject = 0;  // a lease, a job, a node or the number of an ask for a layout

  LeaseId lease() const { return LeaseId(subject); }
  JobId job() const { return JobId(subject); }
  NodeIndex node() const { return NodeIndex(static_cast<std::uint32_t>(subject)); }
};
using SimQueue = EventQueue<SimEvent>;

// What it costs to take the lease's process off its card; null: its model has no such figures.
using SuspensionOf = std::function<const ProcessSuspension*(const Lease&)>;

class SimExecutor final : public control::Executor {
 public:
  // `policy` and what is referred to must outlive the executor.
  SimExecutor(const ExecutorSpec& spec, const PolicySpec& policy, std::uint64_t seed,
              const VirtualClock& clock, SimQueue& queue, WorkBook& book,
              SuspensionOf suspension_of);

  // The job of the account will come; it takes so much work once it has started up.
  void submitted(DurationMs run_ms, WorkAccount& account);
  // Jobs fail by themselves, on average so often in an hour of work; 0: never.
  void set_crashes(double per_hour) { crashes_per_hour_ = per_hour; }

  void prepare(const Lease& lease, const JobSpec& spec) override;
  void start(const Lease& lease, const JobSpec& spec) override;
  void resume(const Lease& lease, const JobSpec& spec) override;
  void revoke(const Lease& lease, ReclaimGrade grade) override;
  void change_layout(const control::LayoutAsk& ask) override;

  // A step of a layout is over: what the node reads back, but for the node's name. Nothing of an
  // ask that a later one for its card has replaced.
  std::optional<std::pair<NodeIndex, ReportLayout>> end_layout(std::uint64_t number);

  // What the event loop is to tell the controller when a turn of the job is over, in this order.
  std::vector<CommandBody> end_turn(JobId job, std::uint32_t turn);
  // The task has started up and works with the others.
  void joined(const Lease& lease);
  // Id of the checkpoint that a released task has left; empty: none.
  std::string checkpoint_of(const Lease& lease);
  // Its node or card is gone: it reports nothing any more.
  bool is_dead(const Lease& lease);

  // What the controller has decided, before it calls the executor for it.
  void revoking(const LeaseRevoking& event);
  void off_cards(LeaseId lease);
  void gone(LeaseId lease);
  void repairing(JobId job);
  void repaired(JobId job);
  void ended(JobId job);

  // What happens to the hardware under a lease: its node will be taken away, or it is gone.
  void noticed(const Lease& lease) { jobs_.at(lease.job).is_noticed = true; }
  void lost(const Lease& lease, Interruption cause, DurationMs start_timeout_ms);

  // Books what is under way, for a result.
  void settle_all();

 private:
  // The tasks of a gang that pass the barrier together start up in one time, that of the slowest.
  struct StartUp {
    JobId job;
    TimeMs at = kNever;
    DurationMs ms = 0;
  };

  TimeMs now() const { return clock_.now(); }
  void settle(JobRun& run);
  void settle(JobRun& run, Member& member);
  void enter(JobRun& run, Activity activity, DurationMs takes);
  void set_state(JobRun& run, Member& member, MemberState state);
  void begin(JobRun& run, Member& member, const JobSpec& spec);
  void start_over(JobRun& run);
  void work(JobRun& run);
  void recheck(JobRun& run);
  std::vector<CommandBody> after_work(JobRun& run);
  std::vector<CommandBody> finish(JobRun& run);
  std::vector<CommandBody> crash(JobRun& run);
  std::vector<CommandBody> given_way(JobRun& run);
  void save(JobRun& run);
  CommandBody checkpoint_report(const JobRun& run) const;
  void lose(JobRun& run, Interruption cause);
  void ask(JobRun& run, Member& member, const Lease& lease);
  void kill(JobRun& run, Member& member, const Lease& lease);
  void pause(JobRun& run, Member& member, const Lease& lease);
  void suspend(JobRun& run, const Lease& lease);
  void leave(JobRun& run, Member& member, const Lease& lease, DurationMs after);
  void count_eviction(JobRun& run, ReclaimGrade grade);
  void tick_at(JobRun& run, TimeMs deadline);
  DurationMs start_up_of(JobId job);
  DurationMs straggle();
  const ProcessSuspension& suspension(const Lease& lease) const;
  void schedule(DurationMs after, SimEventKind kind, const Lease& lease);

  DurationDraw prepare_;
  DurationDraw start_up_;
  DurationDraw straggle_;
  DurationDraw layout_;
  DurationMs release_ms_;
  Ppm failure_ppm_;
  Ppm straggler_ppm_;
  Ppm layout_failure_ppm_;
  double crashes_per_hour_ = 0;
  const PolicySpec& policy_;
  Rng rng_;
  Rng stragglers_;  // streams of their own, so that neither moves another draw
  Rng crashes_;
  Rng layouts_;
  const VirtualClock& clock_;
  SimQueue& queue_;
  WorkBook& book_;
  SuspensionOf suspension_of_;
  IdTable<JobId, JobRun> jobs_;
  LookupMap<LeaseId, JobId> job_of_;
  StartUp last_;  // the start-up that was drawn last
  using CardOfNode = std::pair<NodeIndex, std::uint16_t>;
  std::map<CardOfNode, control::LayoutAsk> asks_;                 // under way
  std::map<CardOfNode, std::vector<MigInstanceSpec>> instances_;  // of cards that were asked for
};

}  // namespace berth::sim
