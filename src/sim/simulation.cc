#include "sim/simulation.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "control/learner.h"
#include "sim/misfits.h"
#include "sim/quota_warnings.h"

namespace berth::sim {

Simulation::Simulation(SimInput input, SimPorts ports)
    : input_(std::move(input)),
      recorder_(clock_),
      executor_(input_.settings.executor, input_.policy, input_.settings.seed, clock_, queue_,
                recorder_) {
  const PlannerSpec& planner = input_.settings.planner;
  controller_ = std::make_unique<control::Controller>(
      control::Ports{ports.journal, executor_, clock_, metrics_, ports.learner},
      control::ControllerOptions{planner.fast_path, planner.plan_on, planner.replicas});
}

Simulation::~Simulation() = default;

Status Simulation::begin() {
  std::vector<CommandBody> commands;
  commands.emplace_back(SetPolicy{input_.policy});
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
  return {};
}

Status Simulation::step(const SimEvent& event) {
  switch (event.kind) {
    case SimEventKind::kArrival:
      return arrive();
    case SimEventKind::kPrepared:
      return report(event, ReportPrepared{event.lease, event.epoch});
    case SimEventKind::kPrepareFailed:
      return report(event,
                    ReportPrepareFailed{event.lease, event.epoch, "the simulated node failed"});
    case SimEventKind::kWorking:
      begin_work(event);
      return {};
    case SimEventKind::kEnded:
      return report(event, ReportEnded{event.lease, event.epoch, EndReason::kSucceeded});
    case SimEventKind::kReleased:
      return report(event, ReportReleased{event.lease, event.epoch, {}});
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
  }
  BERTH_CHECK(false);
}

Status Simulation::arrive() {
  SimJob job = std::move(*next_job_);
  // Known before the command: the fast path may start the job at once.
  const JobId id = state().next_job();
  executor_.set_run_time(id, job.run_ms);
  recorder_.submitted(id, *job.spec);
  Command command;
  command.body = SubmitJob{std::move(job.name), job.spec};
  const auto reply = controller_->execute(command);
  if (!reply) {
    if (reply.error().code == ErrorCode::kCorrupt ||
        reply.error().code == ErrorCode::kUnavailable) {
      return tl::unexpected(reply.error());
    }
    recorder_.withdraw(id, *job.spec);
    if (first_refusal_.empty()) first_refusal_ = reply.error().to_text();
  }
  schedule_arrival();
  return {};
}

// The controller is not told: to it a job runs from the start barrier on.
void Simulation::begin_work(const SimEvent& event) {
  const Lease* lease = state().find_lease(event.lease);
  if (lease == nullptr || lease->epoch != event.epoch) return;
  recorder_.started_up(*lease);
  executor_.work(*lease);
}

// An executor's report; one about a lease that is gone is late and changes nothing.
Status Simulation::report(const SimEvent& event, const CommandBody& body) {
  const Lease* lease = state().find_lease(event.lease);
  if (lease == nullptr || lease->epoch != event.epoch) return {};
  if (event.kind != SimEventKind::kPrepared) recorder_.released(*lease);
  const auto reply = controller_->execute({body, {}, {}});
  if (!reply) return tl::unexpected(reply.error());
  schedule_due();
  return {};
}

// A start may have become overdue.
Status Simulation::tick() {
  const auto reply = controller_->execute({Tick{}, {}, {}});
  return reply ? Status{} : tl::unexpected(reply.error());
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
  recorder_.sample(state());
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
  if (state().pending().empty() || planned_ || plan_at_ != kNever) return false;
  return lost_a_race_ || is_due_ || planned_room_ != state().room_revision() ||
         planned_submitted_ != state().totals().submitted;
}

void Simulation::schedule_plan() {
  plan_at_ = std::max(clock_.now(), last_plan_ + input_.settings.planner.debounce_ms);
  queue_.push(plan_at_, {SimEventKind::kPlan, 0, {}});
}

// Nothing will happen any more: only the next sample is left. Jobs may still wait, for ever.
bool Simulation::is_over() const {
  if (queue_.empty()) return true;
  return input_.settings.duration_ms == 0 && queue_.size() == 1 && !next_job_ && !planned_;
}

RunResult Simulation::result() const {
  RunResult result = recorder_.result(state(), input_.settings.sample_ms);
  result.name = input_.name;
  result.policy = input_.policy.name;
  result.seed = input_.settings.seed;
  result.state_hash = state().hash();
  result.first_refusal = first_refusal_;
  result.warnings = quota_warnings(state(), now());
  for (std::string& line : misfit_warnings(state(), now())) {
    result.warnings.push_back(std::move(line));
  }
  return result;
}

}  // namespace berth::sim
