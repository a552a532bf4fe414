// Orders of a server; what the runner observes is in lease_book_runner.cc.
#include "agent/core/lease_book.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::agent {
namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }
std::string lease_text(LeaseId lease) { return "lease " + number(lease.value()); }

Outcome refuse(LeaseKey key, std::string reason) {
  Outcome outcome;
  outcome.reports.push_back({0, OrderRefused{key, std::move(reason)}});
  return outcome;
}

Outcome act(ActionKind kind, LeaseKey key) {
  Outcome outcome;
  outcome.tasks.push_back({kind, key, ReclaimGrade::kKill, kNever});
  return outcome;
}

// How a task is asked off its cards.
ActionKind action_of(const HeldTask& task, ReclaimGrade grade) {
  if (grade == ReclaimGrade::kKill) return ActionKind::kKill;
  if (task.state == TaskState::kSuspended) return ActionKind::kKill;
  if (task.state != TaskState::kRunning) return ActionKind::kStop;  // it has nothing to save
  if (grade == ReclaimGrade::kSuspend) return ActionKind::kSuspend;
  const bool saves = grade == ReclaimGrade::kMove || grade == ReclaimGrade::kCheckpointEvict;
  return saves ? ActionKind::kCheckpoint : ActionKind::kStop;
}

}  // namespace

void Outcome::append(Outcome other) {
  std::move(other.tasks.begin(), other.tasks.end(), std::back_inserter(tasks));
  std::move(other.layouts.begin(), other.layouts.end(), std::back_inserter(layouts));
  std::move(other.reports.begin(), other.reports.end(), std::back_inserter(reports));
}

Status LeaseBook::welcome(const Welcome& welcome) {
  if (welcome.term < term_) {
    return fail(ErrorCode::kConflict,
                "the server's term is " + number(welcome.term) + "; one of term " + number(term_) +
                    " has been followed, and none before it is",
                "term");
  }
  term_ = welcome.term;
  return {};
}

Outcome LeaseBook::order(const Order& order, TimeMs now) {
  if (order.term < term_) {
    return refuse(key_of(order.body), "the order is of term " + number(order.term) + "; term " +
                                          number(term_) + " is followed");
  }
  term_ = order.term;
  return std::visit([&](const auto& body) { return follow(body, now); }, order.body);
}

HeldTask* LeaseBook::find(LeaseKey key) {
  const auto found = tasks_.find(key.lease);
  return found == tasks_.end() || found->second.grant.key != key ? nullptr : &found->second;
}

const HeldTask* LeaseBook::find(LeaseId lease) const {
  const auto found = tasks_.find(lease);
  return found == tasks_.end() ? nullptr : &found->second;
}

bool LeaseBook::has_ended(LeaseKey key) const {
  const auto found = ended_.find(key.lease);
  return found != ended_.end() && found->second >= key.epoch;
}

// A newer grant that is held is none of an older order's business.
Outcome LeaseBook::answer_gone(LeaseKey key, ReportBody body) {
  const HeldTask* held = find(key.lease);
  if (held != nullptr && held->grant.key.epoch > key.epoch) {
    return refuse(key, "epoch " + number(held->grant.key.epoch) + " of the lease is held");
  }
  if (log_.has_ended(key)) return {};
  remember_end(key);
  return tell(std::move(body));
}

std::optional<LeaseId> LeaseBook::conflict(LeaseId but, const CardGrants& cards) const {
  CardUse use;
  for (const auto& [lease, task] : tasks_) {
    if (lease != but && task.state != TaskState::kSuspended) use.add(lease, task.grant.cards);
  }
  return use.conflict(cards);
}

std::optional<std::string> LeaseBook::obstacle(const Grant& grant) const {
  if (tasks_.size() >= kLeasesPerNodeLimit) {
    return "the node holds " + number(tasks_.size()) + " leases; more are not accepted";
  }
  return refusal(grant);
}

std::optional<std::string> LeaseBook::refusal(const Grant& grant) const {
  const bool is_here = grant.node.empty() || node_.empty() || grant.node == node_;
  if (is_here) return refusal(grant.key.lease, grant.cards);
  return "it is a grant of node '" + grant.node + "'; this is node '" + node_ + "'";
}

std::optional<std::string> LeaseBook::refusal(LeaseId lease, const CardGrants& cards) const {
  for (const CardGrant& grant : cards) {
    if (grant.card < cards_) continue;
    return "it names card " + number(grant.card) + "; the node has " + number(cards_);
  }
  const auto other = conflict(lease, cards);
  if (!other) return std::nullopt;
  return "a card that it names is held by " + lease_text(*other);
}

Outcome LeaseBook::hold(const Grant& grant, TaskState state, ActionKind action) {
  HeldTask& task = tasks_[grant.key.lease];
  task = HeldTask{};
  task.grant = grant;
  task.state = state;
  return act(action, grant.key);
}

Outcome LeaseBook::follow(const PrepareOrder& order, TimeMs /*now*/) {
  const LeaseKey key = order.grant.key;
  if (find(key) != nullptr) return {};
  if (has_ended(key)) {
    return answer_gone(key, ReportPrepareFailed{key.lease, key.epoch, "it has ended here before"});
  }
  const auto other = tasks_.find(key.lease);
  if (other != tasks_.end()) {
    const std::uint64_t held = other->second.grant.key.epoch;
    if (held > key.epoch) return refuse(key, "epoch " + number(held) + " of the lease is held");
    // its server has given the older one up; it goes first, and the server tries again
    Outcome outcome = kill(other->second);
    outcome.append(answer_gone(
        key, ReportPrepareFailed{key.lease, key.epoch, "epoch " + number(held) + " still runs"}));
    return outcome;
  }
  if (auto reason = obstacle(order.grant)) {
    return answer_gone(key, ReportPrepareFailed{key.lease, key.epoch, *reason});
  }
  return hold(order.grant, TaskState::kPreparing, ActionKind::kPrepare);
}

Outcome LeaseBook::follow(const StartOrder& order, TimeMs /*now*/) {
  HeldTask* task = find(order.key);
  if (task == nullptr) {
    return answer_gone(order.key, ReportEnded{order.key.lease, order.key.epoch, EndReason::kLost});
  }
  if (task->state == TaskState::kPreparing) return refuse(order.key, "it is not prepared yet");
  if (task->state != TaskState::kPrepared) return {};
  task->state = TaskState::kRunning;
  return act(ActionKind::kStart, order.key);
}

Outcome LeaseBook::follow(const ResumeOrder& order, TimeMs /*now*/) {
  HeldTask* task = find(order.key);
  if (task == nullptr) {
    return answer_gone(order.key, ReportEnded{order.key.lease, order.key.epoch, EndReason::kLost});
  }
  if (task->state == TaskState::kRunning) return {};
  if (task->state != TaskState::kSuspended) return refuse(order.key, "it is not suspended");
  if (auto why = refusal(order.key.lease, order.cards)) return refuse(order.key, std::move(*why));
  task->grant.cards = order.cards;
  task->state = TaskState::kRunning;
  task->deadline = kNever;
  return act(ActionKind::kResume, order.key);
}

// One that comes from another node is taken over as it runs there.
Outcome LeaseBook::follow(const MoveOrder& order, TimeMs /*now*/) {
  const LeaseKey key = order.grant.key;
  HeldTask* task = find(key);
  if (task == nullptr) {
    const bool is_known = tasks_.contains(key.lease) || has_ended(key);
    if (order.from.empty() || is_known || obstacle(order.grant)) {
      return answer_gone(key, ReportEnded{key.lease, key.epoch, EndReason::kLost});
    }
    return hold(order.grant, TaskState::kRunning, ActionKind::kMove);
  }
  if (task->grant.cards == order.grant.cards) return {};
  if (auto why = refusal(order.grant)) return refuse(key, std::move(*why));
  task->grant.cards = order.grant.cards;
  return act(ActionKind::kMove, key);
}

Outcome LeaseBook::follow(const LeaveOrder& order, TimeMs /*now*/) {
  if (find(order.key) == nullptr) return {};
  tasks_.erase(order.key.lease);
  remember_end(order.key);
  return act(ActionKind::kLetGo, order.key);
}

Outcome LeaseBook::follow(const RevokeOrder& order, TimeMs now) {
  HeldTask* task = find(order.key);
  if (task == nullptr) {
    return answer_gone(order.key, ReportReleased{order.key.lease, order.key.epoch, {}});
  }
  const bool is_out = task->state == TaskState::kSuspended && order.grade == ReclaimGrade::kSuspend;
  if (is_out) return {};
  const TimeMs deadline = order.grace_ms ? saturating_add(now, *order.grace_ms) : kNever;
  if (task->state == TaskState::kLeaving) {
    task->was_given_up = false;
    if (order.grade == ReclaimGrade::kKill) return kill(*task);
    task->deadline = std::min(task->deadline, deadline);
    return {};
  }
  const ActionKind action = action_of(*task, order.grade);
  task->state = TaskState::kLeaving;
  task->grade = order.grade;
  task->deadline = deadline;
  task->image_mib = order.image_mib;
  task->receipt = order.receipt;
  task->was_killed = action == ActionKind::kKill;
  Outcome outcome;
  outcome.tasks.push_back({action, order.key, order.grade, deadline});
  return outcome;
}

Outcome LeaseBook::follow(const LayoutOrder& order, TimeMs /*now*/) {
  const auto known = layouts_.find(order.card);
  if (known != layouts_.end()) {
    const Layout& last = known->second;
    if (order.number < last.order.number) return {};  // a newer ask has replaced it
    if (order.number == last.order.number) {
      if (!last.is_done) return {};
      return tell(ReportLayout{{}, order.card, order.number, last.found, last.error});
    }
  }
  if (order.card >= cards_) {
    return tell(ReportLayout{
        {},
        order.card,
        order.number,
        order.standing,
        "there is no card " + number(order.card) + "; the node has " + number(cards_)});
  }
  layouts_.insert_or_assign(order.card, Layout{order, false, {}, {}});
  Outcome outcome;
  outcome.layouts.push_back(order);
  return outcome;
}

}  // namespace berth::agent
