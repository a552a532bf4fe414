#include "sim/simulation.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "control/learner.h"
#include "sim/misfits.h"
#include "sim/quota_warnings.h"

namespace berth::sim {

class Simulation::Watch final : public control::Learner {
 public:
  Watch(Simulation& simulation, control::Learner& learner)
      : simulation_(simulation), learner_(learner) {}
  FitPtr learn(const engine::ClusterState& state) override { return learner_.learn(state); }
  void observe(const Event& event, const engine::ClusterState& state) override {
    learner_.observe(event, state);
    std::visit([this](const auto& body) { simulation_.saw(body); }, event.body);
  }
  StandingsPtr standings(const engine::ClusterState& state, TimeMs now) override {
    return learner_.standings(state, now);
  }

 private:
  Simulation& simulation_;
  control::Learner& learner_;
};

Simulation::Simulation(SimInput input, SimPorts ports)
    : input_(std::move(input)),
      recorder_(clock_),
      executor_(input_.settings.executor, input_.policy, input_.settings.seed, clock_, queue_,
                book_,
                [this](const Lease& lease) -> const ProcessSuspension* {
                  const NodeIndex node = lease.placement.node;
                  const ModelIndex model = state().node_kind(state().node(node).kind).model;
                  if (model.is_none()) return nullptr;
                  const auto& measured = state().model(model).gpu->suspension;
                  return measured ? &*measured : nullptr;
                }),
      watch_(std::make_unique<Watch>(*this, ports.learner)) {
  const PlannerSpec& planner = input_.settings.planner;
  controller_ = std::make_unique<control::Controller>(
      control::Ports{ports.journal, executor_, clock_, metrics_, *watch_},
      control::ControllerOptions{planner.fast_path, planner.plan_on, planner.replicas});
}

Simulation::~Simulation() = default;

Status Simulation::begin() {
  if (auto s = begin_failures(); !s) return s;
  std::vector<CommandBody> commands;
  commands.emplace_back(SetPolicy{input_.policy, {}});
  for (GpuModel& model : input_.models) commands.emplace_back(DeclareModel{std::move(model)});
  commands.emplace_back(DeclareTopology{std::move(input_.topology)});
  for (auto& partition : input_.partitions) {
    commands.emplace_back(DeclarePartition{std::move(partition)});
  }
  for (auto& queue : input_.queues) commands.emplace_back(DeclareQueue{std::move(queue)});
  for (auto& node : input_.nodes) commands.emplace_back(JoinNode{std::move(node)});
  for (CommandBody& body : commands) {
    if (auto done = controller_->execute({std::move(body), {}, {}}); !done) {
      return tl::unexpected(done.error());
    }
  }
  if (!input_.mix.empty()) {
    const ObserveFit given{control::given_fit(state(), std::move(input_.mix))};
    if (auto done = controller_->execute({given, {}, {}}); !done) {
      return tl::unexpected(done.error());
    }
  }
  recorder_.begin(state());
  schedule_arrival();
  queue_.push(0, {SimEventKind::kSample, 0, {}});
  return {};
}

Status Simulation::run(const ProgressSink& progress) {
  const DurationMs duration = input_.settings.duration_ms;
  const TimeMs end = duration > 0 ? duration : kNever;
  while (!is_over() && queue_.next_at() <= end) {
    clock_.advance(queue_.next_at());
    const SimEvent event = queue_.pop();
    if (auto s = step(event); !s) return s;
    if (plan_is_due()) schedule_plan();
    if (event.kind == SimEventKind::kSample && progress) {
      progress({clock_.now(), duration, state().totals().submitted, state().totals().ended,
                state().pending().size()});
    }
  }
  if (end != kNever) clock_.advance(end);
  executor_.settle_all();
  recorder_.finish(book_);
  return {};
}

Status Simulation::step(const SimEvent& event) {
  switch (event.kind) {
    case SimEventKind::kArrival:
      return arrive();
    case SimEventKind::kPrepared:
    case SimEventKind::kPrepareFailed:
    case SimEventKind::kJoined:
    case SimEventKind::kReleased:
      return step_lease(event);
    case SimEventKind::kJobTurn:
      return end_turn(event);
    case SimEventKind::kDue:
      is_due_ = true;
      return {};
    case SimEventKind::kPlan:
      return plan();
    case SimEventKind::kCommit:
      return commit();
    case SimEventKind::kSample:
      sample();
      return {};
    case SimEventKind::kTick:
      return tick();
    case SimEventKind::kLayout:
      return end_layout(event);
    case SimEventKind::kFailure:
    case SimEventKind::kNotice:
    case SimEventKind::kNodeTaken:
    case SimEventKind::kNodeGivenUp:
    case SimEventKind::kNodeBack:
    case SimEventKind::kCardBack:
      return happen(event);
  }
  BERTH_CHECK(false);
}

Status Simulation::arrive() {
  SimJob job = std::move(*next_job_);
  // Known before the command: the fast path may start the job at once.
  const JobId id = state().next_job();
  const std::uint32_t team = recorder_.submitted(id, *job.spec);
  executor_.submitted(job.run_ms, book_.open(id, team, job.name));
  Command command;
  command.body = SubmitJob{std::move(job.name), job.spec};
  const auto reply = controller_->execute(command);
  if (!reply) {
    if (reply.error().code == ErrorCode::kCorrupt ||
        reply.error().code == ErrorCode::kUnavailable) {
      return tl::unexpected(reply.error());
    }
    executor_.ended(id);
    recorder_.withdraw(id, *job.spec);
    if (first_refusal_.empty()) first_refusal_ = reply.error().to_text();
  }
  schedule_arrival();
  return {};
}

// An executor's event; one about a lease that is gone is late and changes nothing, and nobody hears
// of one whose node or card is lost.
Status Simulation::step_lease(const SimEvent& event) {
  const Lease* lease = state().find_lease(event.lease());
  if (lease == nullptr || lease->epoch != event.round || executor_.is_dead(*lease)) return {};
  CommandBody report = Tick{};
  if (event.kind == SimEventKind::kJoined) {
    executor_.joined(*lease);
    return {};
  }
  if (event.kind == SimEventKind::kPrepared) {
    report = ReportPrepared{lease->id, lease->epoch};
  } else if (event.kind == SimEventKind::kPrepareFailed) {
    report = ReportPrepareFailed{lease->id, lease->epoch, "the simulated node failed"};
  } else {
    report = ReportReleased{lease->id, lease->epoch, executor_.checkpoint_of(*lease)};
  }
  if (auto s = tell(std::move(report)); !s) return s;
  schedule_due();
  return {};
}

// The controller is not told of start-ups: to it a job runs from the start barrier on.
Status Simulation::end_turn(const SimEvent& event) {
  std::vector<CommandBody> reports = executor_.end_turn(event.job(), event.round);
  if (reports.empty()) return {};
  for (CommandBody& report : reports) {
    if (auto s = tell(std::move(report)); !s) return s;
  }
  schedule_due();
  return {};
}

// Nobody hears of it while the node is lost or the card broken; it is asked again when they are
// back.
Status Simulation::end_layout(const SimEvent& event) {
  auto done = executor_.end_layout(event.subject);
  if (!done) return {};
  auto& [index, report] = *done;
  const engine::NodeRecord& node = state().node(index);
  const engine::RegeometryState* stands = state().regeometry_of(index, report.card);
  const bool heard = node.condition != NodeCondition::kLost &&
                     node.cards[report.card].is_healthy() && stands != nullptr &&
                     stands->ask == report.ask;
  if (!heard) return {};
  report.node = node.spec->name;
  if (auto s = tell(std::move(report)); !s) return s;
  schedule_due();
  return {};
}

Status Simulation::tell(CommandBody body) {
  const auto reply = controller_->execute({std::move(body), {}, {}});
  return reply ? Status{} : tl::unexpected(reply.error());
}

void Simulation::saw(const LeaseGranted& event) {
  recorder_.holds(*state().find_lease(event.lease));
}

void Simulation::saw(const LeaseMoved& event) {
  recorder_.holds_no_more(event.lease);
  recorder_.holds(*state().find_lease(event.lease));
}

void Simulation::saw(const LeaseRevoking& event) { executor_.revoking(event); }

void Simulation::saw(const LeaseReleased& event) {
  recorder_.holds_no_more(event.lease);
  executor_.gone(event.lease);
}

void Simulation::saw(const LeaseSuspended& event) {
  recorder_.holds_no_more(event.lease);
  executor_.off_cards(event.lease);
}

void Simulation::saw(const LeaseResumed& event) {
  recorder_.holds(*state().find_lease(event.lease));
}

void Simulation::saw(const LeaseOverdue& event) {
  if (event.deadline != kNever) queue_.push(event.deadline, {SimEventKind::kTick, 0, 0});
}

void Simulation::saw(const JobStarted& event) { recorder_.started(event.job); }

// A job that can do without the role runs on.
void Simulation::saw(const JobRepairing& event) {
  if (event.until != kNever) queue_.push(event.until, {SimEventKind::kTick, 0, 0});
  if (state().find_job(event.job)->phase == JobPhase::kRepairing) executor_.repairing(event.job);
}

// The controller looks when the time for the step is over.
void Simulation::saw(const RegeometryAdvanced& event) {
  recorder_.advanced(event, state());
  if (event.stage == RegeometryStage::kVerified) ++layouts_changed_;
  if (event.stage == RegeometryStage::kRolledBack) ++layouts_rolled_back_;
  const bool ended =
      event.stage == RegeometryStage::kVerified || event.stage == RegeometryStage::kRolledBack;
  if (!ended && event.deadline != kNever) {
    queue_.push(event.deadline, {SimEventKind::kTick, 0, 0});
  }
}

void Simulation::saw(const JobRepaired& event) { executor_.repaired(event.job); }

void Simulation::saw(const JobEnded& event) { executor_.ended(event.job); }

// A start, a repair, a revocation or a change of a layout may have become overdue.
Status Simulation::tick() {
  if (auto s = tell(Tick{}); !s) return s;
  if (input_.policy.regeometry.max_cards > 0) schedule_due();
  return {};
}

Status Simulation::plan() {
  plan_at_ = kNever;
  last_plan_ = clock_.now();
  planned_room_ = state().room_revision();
  planned_submitted_ = state().totals().submitted;
  lost_a_race_ = false;
  is_due_ = false;
  if (auto s = controller_->observe_tenants(); !s) return s;
  planned_ = controller_->plan();
  const DurationMs delay = input_.settings.planner.delay_ms;
  if (delay == 0) return commit();
  queue_.push(clock_.now() + delay, {SimEventKind::kCommit, 0, {}});
  return {};
}

Status Simulation::commit() {
  const Plan decisions = std::move(*planned_);
  planned_.reset();
  const auto lost = controller_->commit(decisions);
  if (!lost) return tl::unexpected(lost.error());
  lost_a_race_ = *lost > 0;
  schedule_due();
  return {};
}

// Time alone may make a cycle necessary.
void Simulation::schedule_due() {
  const TimeMs due = controller_->next_due();
  if (due == kNever || due <= clock_.now() || due == due_at_) return;
  due_at_ = due;
  queue_.push(due, {SimEventKind::kDue, 0, {}});
}

void Simulation::sample() {
  recorder_.sample(state(), book_);
  queue_.push(clock_.now() + input_.settings.sample_ms, {SimEventKind::kSample, 0, {}});
}

void Simulation::schedule_arrival() {
  next_job_ = input_.jobs->next();
  if (next_job_) {
    queue_.push(std::max(next_job_->at, clock_.now()), {SimEventKind::kArrival, 0, {}});
  }
}

// A cycle can do something only after an arrival, a release, a lost race or what time alone brings.
bool Simulation::plan_is_due() const {
  const engine::PendingLines& pending = state().pending();
  if (pending.empty() && pending.short_jobs().empty()) return false;
  if (planned_ || plan_at_ != kNever) return false;
  return lost_a_race_ || is_due_ || planned_room_ != state().room_revision() ||
         planned_submitted_ != state().totals().submitted;
}

void Simulation::schedule_plan() {
  plan_at_ = std::max(clock_.now(), last_plan_ + input_.settings.planner.debounce_ms);
  queue_.push(plan_at_, {SimEventKind::kPlan, 0, {}});
}

// Nothing will happen any more: only the next sample and failures are left, or no job at all. Jobs
// may still wait, for ever.
bool Simulation::is_over() const {
  if (queue_.empty()) return true;
  if (input_.settings.duration_ms > 0 || next_job_ || planned_) return false;
  return queue_.size() == endless_ || (failures_ && state().jobs().empty());
}

RunResult Simulation::result() const {
  RunResult result = recorder_.result(state(), input_.settings.sample_ms);
  result.name = input_.name;
  result.policy = input_.policy.name;
  result.seed = input_.settings.seed;
  result.state_hash = state().hash();
  result.first_refusal = first_refusal_;
  result.layouts_changed = layouts_changed_;
  result.layouts_rolled_back = layouts_rolled_back_;
  book_.fill(result, recorder_.teams());
  result.start_up_gpu_hours = result.work.spent[static_cast<std::size_t>(Spending::kStartUp)];
  result.warnings = quota_warnings(state(), now());
  for (std::string& line : misfit_warnings(state(), now())) {
    result.warnings.push_back(std::move(line));
  }
  return result;
}

}  // namespace berth::sim
