#include "sim/agents/task_physics.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace berth::sim {
namespace {

// What the executor reads of a job's spec.
JobSpec spec_of(const agent::TaskSpec& task) {
  JobSpec spec;
  spec.job_class = task.job_class;
  spec.checkpoint = task.checkpoint;
  spec.start_timeout_ms = task.start_timeout_ms;
  spec.at_most_once_ms = task.at_most_once_ms;
  return spec;
}

Lease lease_of(const agent::Grant& grant, std::size_t node, TimeMs now) {
  Lease lease;
  lease.id = grant.key.lease;
  lease.epoch = grant.key.epoch;
  lease.term = grant.term;
  lease.job = grant.job;
  lease.placement.role = grant.role;
  lease.placement.task = grant.task;
  lease.placement.node = NodeIndex(static_cast<std::uint32_t>(node));
  lease.placement.grants = grant.cards;
  lease.granted_at = now;
  return lease;
}

void append(Observations& to, Observations more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

}  // namespace

TaskPhysics::TaskPhysics(const ExecutorSpec& spec, std::uint64_t seed,
                         std::vector<const ProcessSuspension*> suspensions,
                         DurationMs default_run_ms)
    : suspensions_(std::move(suspensions)),
      default_run_ms_(default_run_ms),
      executor_(spec, policy_, seed, clock_, queue_, book_, [this](const Lease& lease) {
        return suspensions_.at(lease.placement.node.value());
      }) {}

TaskPhysics::Task* TaskPhysics::find(std::uint64_t lease, std::uint64_t epoch) {
  const auto found = tasks_.find(LeaseId(lease));
  const bool is_it = found != tasks_.end() && found->second.lease.epoch == epoch;
  return is_it ? &found->second : nullptr;
}

Observations TaskPhysics::advance(TimeMs to) {
  Observations seen;
  while (queue_.next_at() <= to) {
    clock_.advance(queue_.next_at());
    append(seen, happen(queue_.pop()));
  }
  clock_.advance(to);
  return seen;
}

Observations TaskPhysics::act(std::size_t node, const agent::TaskAction& action,
                              const agent::HeldTask* held) {
  Task* task = find(action.key.lease.value(), action.key.epoch);
  if (action.kind == agent::ActionKind::kLetGo) return {};  // it lives on until it arrives
  BERTH_CHECK(held != nullptr);
  if (action.kind == agent::ActionKind::kPrepare) {
    if (task == nullptr) prepare(node, held->grant);
    return {};
  }
  if (action.kind == agent::ActionKind::kMove) return arrive(node, action, *held);
  if (task == nullptr) {  // it failed with its node, and nobody has been told yet
    return {{node, ReportEnded{action.key.lease, action.key.epoch, EndReason::kLost}}};
  }
  if (action.kind == agent::ActionKind::kStart) return start(*task);
  if (action.kind == agent::ActionKind::kResume) {
    task->lease.placement.grants = held->grant.cards;
    task->is_asked = false;
    executor_.resume(task->lease, task->spec);
    return {};
  }
  return take_back(*task, action, *held);
}

void TaskPhysics::prepare(std::size_t node, const agent::Grant& grant) {
  Task task;
  task.node = node;
  task.lease = lease_of(grant, node, clock_.now());
  task.spec = spec_of(grant.spec);
  task.min_tasks = grant.spec.min_tasks;
  const auto [job, is_new] = jobs_.try_emplace(grant.job);
  if (is_new) {
    const std::string name = std::to_string(grant.job.value());
    executor_.submitted(grant.spec.run_time_ms.value_or(default_run_ms_),
                        book_.open(grant.job, 0, name));
  }
  job->second.insert(grant.key.lease);
  executor_.prepare(task.lease, task.spec);
  tasks_.insert_or_assign(grant.key.lease, std::move(task));
}

// The last one that a gang lacked starts with those that wait for it.
Observations TaskPhysics::start(Task& task) {
  if (task.is_gone) return {};
  task.is_started = true;
  if (repairing_.contains(task.lease.job)) follow_repair(task.lease.job);
  task.lease.started_at = clock_.now();
  executor_.start(task.lease, task.spec);
  return {};
}

Observations TaskPhysics::arrive(std::size_t node, const agent::TaskAction& action,
                                 const agent::HeldTask& held) {
  Task* task = find(action.key.lease.value(), action.key.epoch);
  if (task == nullptr || task->is_gone) {
    return {{node, ReportEnded{action.key.lease, action.key.epoch, EndReason::kLost}}};
  }
  task->node = node;
  task->lease.placement.node = NodeIndex(static_cast<std::uint32_t>(node));
  task->lease.placement.grants = held.grant.cards;
  return {};
}

// A task that may start again loses what it has not saved, so all count as taken back.
Observations TaskPhysics::take_back(Task& task, const agent::TaskAction& action,
                                    const agent::HeldTask& held) {
  const bool was_asked = std::exchange(task.is_asked, true);
  const bool is_out = task.early && std::holds_alternative<ReportSuspended>(*task.early);
  if (is_out && action.kind != agent::ActionKind::kSuspend) task.early.reset();
  if (task.early) {
    const agent::ReportBody what = *std::exchange(task.early, std::nullopt);
    const std::size_t node = task.node;
    if (task.is_gone) forget(task.lease.id);
    return {{node, what}};
  }
  if (task.is_gone) return {};
  ReclaimGrade grade = action.grade;
  const bool cannot = grade == ReclaimGrade::kSuspend || grade == ReclaimGrade::kPause;
  if (cannot && suspensions_.at(task.node) == nullptr) grade = ReclaimGrade::kKill;
  task.lease.grade = grade;
  task.lease.deadline = action.deadline;
  task.lease.image_mib = held.image_mib;
  task.lease.receipt = held.receipt;
  task.lease.state = LeaseState::kRevoking;
  if (!was_asked) {
    executor_.revoking(
        {task.lease.id, grade, action.deadline, EndReason::kReclaimed, task.lease.receipt});
  }
  executor_.revoke(task.lease, grade);
  return {};
}

void TaskPhysics::change_layout(std::size_t node, const agent::LayoutOrder& order) {
  executor_.change_layout({order.number, NodeIndex(static_cast<std::uint32_t>(node)), order.card,
                           order.wanted, order.standing});
}

void TaskPhysics::lose(std::size_t node) {
  std::vector<LeaseId> lost;
  for (const auto& [lease, task] : tasks_) {
    if (task.node == node) lost.push_back(lease);
  }
  std::set<JobId> jobs;
  for (const LeaseId lease : lost) {
    Task& task = tasks_.at(lease);
    jobs.insert(task.lease.job);
    if (!task.is_gone) executor_.lost(task.lease, Interruption::kNodeFailure, 0);
    leave_run(task);
    forget(lease);
  }
  for (const JobId job : jobs) {
    if (has_started(job)) follow_repair(job);
  }
}

Observations TaskPhysics::happen(const SimEvent& event) {
  switch (event.kind) {
    case SimEventKind::kPrepared:
    case SimEventKind::kPrepareFailed:
      return prepared(event);
    case SimEventKind::kJoined:
      if (Task* task = find(event.subject, event.round); task != nullptr && !task->is_gone) {
        executor_.joined(task->lease);
      }
      return {};
    case SimEventKind::kJobTurn:
      return turn(event);
    case SimEventKind::kReleased:
      return released(event);
    case SimEventKind::kLayout: {
      auto done = executor_.end_layout(event.subject);
      if (!done) return {};
      return {{done->first.value(), std::move(done->second)}};
    }
    case SimEventKind::kTick:  // the server's own business
      return {};
    default:
      BERTH_CHECK(false);  // nothing else is scheduled here
  }
}

Observations TaskPhysics::prepared(const SimEvent& event) {
  Task* task = find(event.subject, event.round);
  if (task == nullptr || task->is_asked || task->is_gone) return {};
  const LeaseId lease = task->lease.id;
  const std::size_t node = task->node;
  if (event.kind == SimEventKind::kPrepared) {
    return {{node, ReportPrepared{lease, task->lease.epoch}}};
  }
  leave_run(*task);
  forget(lease);
  return {{node, ReportPrepareFailed{lease, event.round, "the simulated preparation failed"}}};
}

Observations TaskPhysics::turn(const SimEvent& event) {
  Observations seen;
  for (CommandBody& body : executor_.end_turn(event.job(), event.round)) {
    if (auto* saved = std::get_if<ReportCheckpoint>(&body)) {
      seen.push_back({tasks_.at(saved->lease).node, std::move(*saved)});
    } else if (const auto* ended = std::get_if<ReportEnded>(&body)) {
      Task& task = tasks_.at(ended->lease);
      seen.push_back({task.node, *ended});
      leave_run(task);
      forget(ended->lease);
    } else {
      const auto& suspended = std::get<ReportSuspended>(body);
      executor_.off_cards(suspended.lease);
      append(seen, tell(tasks_.at(suspended.lease), suspended));
    }
  }
  return seen;
}

Observations TaskPhysics::released(const SimEvent& event) {
  Task* task = find(event.subject, event.round);
  if (task == nullptr || task->is_gone) return {};
  ReportReleased report{task->lease.id, task->lease.epoch, executor_.checkpoint_of(task->lease)};
  leave_run(*task);
  Observations seen = tell(*task, report);
  if (!seen.empty()) forget(report.lease);
  return seen;
}

Observations TaskPhysics::tell(Task& task, agent::ReportBody what) {
  if (task.is_asked) return {{task.node, std::move(what)}};
  task.early = std::move(what);
  return {};
}

void TaskPhysics::leave_run(Task& task) {
  if (std::exchange(task.is_gone, true)) return;
  executor_.gone(task.lease.id);
  const auto job = jobs_.find(task.lease.job);
  job->second.erase(task.lease.id);
  if (!job->second.empty()) return;
  repairing_.erase(job->first);
  idle_.push_back(job->first);
  if (idle_.size() <= kIdleJobs) return;
  const auto oldest = jobs_.find(idle_.front());
  idle_.pop_front();
  if (oldest == jobs_.end() || !oldest->second.empty()) return;
  executor_.ended(oldest->first);
  jobs_.erase(oldest);
}

void TaskPhysics::forget(LeaseId lease) { tasks_.erase(lease); }

std::size_t TaskPhysics::started(JobId job, std::uint16_t role) const {
  const std::set<LeaseId>& leases = jobs_.at(job);
  return static_cast<std::size_t>(std::count_if(leases.begin(), leases.end(), [&](LeaseId lease) {
    const Task& task = tasks_.at(lease);
    return task.is_started && task.lease.placement.role == role;
  }));
}

bool TaskPhysics::has_started(JobId job) const {
  const auto found = jobs_.find(job);
  return found != jobs_.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](LeaseId lease) { return tasks_.at(lease).is_started; });
}

// A gang that has fewer tasks than it needs stands still until it has them again; a server would
// say so to a controller, but no agent hears of it.
void TaskPhysics::follow_repair(JobId job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end() || found->second.empty()) return;
  const bool is_whole = std::all_of(found->second.begin(), found->second.end(), [&](LeaseId lease) {
    const Task& task = tasks_.at(lease);
    return started(job, task.lease.placement.role) >= task.min_tasks;
  });
  if (is_whole) {
    if (repairing_.erase(job) > 0) executor_.repaired(job);
  } else if (repairing_.insert(job).second) {
    executor_.repairing(job);
  }
}

}  // namespace berth::sim
