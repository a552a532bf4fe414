#include "sim/scenario/scripted_executor.h"

#include <algorithm>

namespace berth::sim {

void ScriptedExecutor::add(Work work, const Lease& lease) {
  const bool known = std::any_of(waiting_.begin(), waiting_.end(), [&](const Task& task) {
    return task.work == work && task.lease == lease.id && task.epoch == lease.epoch;
  });
  if (known) return;  // a controller that recovers repeats its calls
  Task task;
  task.work = work;
  task.lease = lease.id;
  task.epoch = lease.epoch;
  task.job = lease.job;
  task.index = lease.placement.task;
  task.node = lease.placement.node;
  for (const CardGrant& grant : lease.placement.grants) task.cards.push_back(grant.card);
  waiting_.push_back(std::move(task));
}

void ScriptedExecutor::prepare(const Lease& lease, const JobSpec& /*spec*/) {
  add(Work::kPrepare, lease);
}

void ScriptedExecutor::start(const Lease& /*lease*/, const JobSpec& /*spec*/) {}

// A revoked task is no longer prepared.
void ScriptedExecutor::revoke(const Lease& lease, ReclaimGrade grade) {
  forget(lease.id);
  add(grade == ReclaimGrade::kSuspend ? Work::kSuspend : Work::kRevoke, lease);
}

// A new ask for a card takes the place of the one before; a controller that recovers repeats it.
void ScriptedExecutor::change_layout(const control::LayoutAsk& ask) {
  take_layout(ask.node, ask.card);
  layouts_.push_back(ask);
}

std::optional<control::LayoutAsk> ScriptedExecutor::take_layout(NodeIndex node,
                                                                std::uint16_t card) {
  const auto found = std::find_if(layouts_.begin(), layouts_.end(), [&](const auto& ask) {
    return ask.node == node && ask.card == card;
  });
  if (found == layouts_.end()) return std::nullopt;
  const control::LayoutAsk ask = *found;
  layouts_.erase(found);
  return ask;
}

std::optional<Command> ScriptedExecutor::next_layout_report(const NodeView& view) {
  for (const control::LayoutAsk& ask : layouts_) {
    if (view(ask.node).second == NodeCondition::kLost) continue;
    Command report = answer(ask, view);
    take_layout(ask.node, ask.card);
    return report;
  }
  return std::nullopt;
}

std::optional<Command> ScriptedExecutor::next_report(const NodeView& view) {
  if (mode_ == Mode::kManual) return std::nullopt;
  const auto reachable = std::find_if(waiting_.begin(), waiting_.end(), [&](const Task& task) {
    return view(task.node).second != NodeCondition::kLost;
  });
  if (reachable == waiting_.end()) return next_layout_report(view);
  const Task task = *reachable;
  waiting_.erase(reachable);
  return answer(task, view);
}

std::vector<ScriptedExecutor::Task> ScriptedExecutor::take(Work work, const Matches& matches) {
  std::vector<Task> taken;
  std::erase_if(waiting_, [&](const Task& task) {
    if (task.work != work || !matches(task)) return false;
    taken.push_back(task);
    return true;
  });
  return taken;
}

void ScriptedExecutor::forget(LeaseId lease) {
  std::erase_if(waiting_, [&](const Task& task) { return task.lease == lease; });
}

Command ScriptedExecutor::answer(const control::LayoutAsk& ask, const NodeView& view) const {
  const std::string node = view(ask.node).first;
  ReportLayout report{node, ask.card, ask.number, ask.wanted, {}};
  if (broken_.count({node, ask.card}) > 0) {
    report.layout = ask.standing;
    report.error = "card " + node + ":" + std::to_string(ask.card) + " is not available";
  }
  return {std::move(report), {}, {}};
}

Command ScriptedExecutor::answer(const Task& task, const NodeView& view) const {
  Command command;
  if (task.work == Work::kSuspend) {
    command.body = ReportSuspended{task.lease, task.epoch};
    return command;
  }
  if (task.work == Work::kRevoke) {
    command.body = ReportReleased{task.lease, task.epoch, {}};
    return command;
  }
  const std::string node = view(task.node).first;
  for (const std::uint16_t card : task.cards) {
    if (broken_.count({node, card}) == 0) continue;
    const std::string reason = "card " + node + ":" + std::to_string(card) + " is not available";
    command.body = ReportPrepareFailed{task.lease, task.epoch, reason};
    return command;
  }
  command.body = ReportPrepared{task.lease, task.epoch};
  return command;
}

}  // namespace berth::sim
