// What the runner observes, what time brings, and the saved form.
#include <algorithm>
#include <utility>

#include "agent/core/lease_book.h"
#include "model/serial.h"

namespace berth::agent {
namespace {

constexpr std::uint8_t kFormat = 2;

// When the node gives the task up by itself.
TimeMs give_up_at(const HeldTask& task, TimeMs contact_at) {
  const DurationMs most = task.grant.spec.at_most_once_ms;
  if (most == 0 || contact_at == kNever || task.was_killed) return kNever;
  return saturating_add(contact_at, most);
}

TimeMs kill_at(const HeldTask& task) {
  return task.state == TaskState::kLeaving && !task.was_killed ? task.deadline : kNever;
}

}  // namespace

void LeaseBook::contact(TimeMs sent_at) {
  contact_at_ = contact_at_ == kNever ? sent_at : std::max(contact_at_, sent_at);
}

Outcome LeaseBook::tell(ReportBody body) {
  Outcome outcome;
  outcome.reports.push_back(log_.add(std::move(body)));
  return outcome;
}

Outcome LeaseBook::end(LeaseKey key, ReportBody body) {
  tasks_.erase(key.lease);
  remember_end(key);
  return tell(std::move(body));
}

void LeaseBook::remember_end(LeaseKey key) {
  const auto [known, is_new] = ended_.try_emplace(key.lease, key.epoch);
  if (!is_new) {
    known->second = std::max(known->second, key.epoch);
    return;
  }
  ended_order_.push_back(key);
  if (ended_order_.size() <= kEndedKept) return;
  ended_.erase(ended_order_.front().lease);
  ended_order_.pop_front();
}

Outcome LeaseBook::kill(HeldTask& task) {
  if (task.was_killed) return {};
  task.state = TaskState::kLeaving;
  task.grade = ReclaimGrade::kKill;
  task.was_killed = true;
  Outcome outcome;
  outcome.tasks.push_back({ActionKind::kKill, task.grant.key, ReclaimGrade::kKill, task.deadline});
  return outcome;
}

Outcome LeaseBook::prepared(LeaseKey key) {
  HeldTask* task = find(key);
  if (task == nullptr || task->state != TaskState::kPreparing) return {};
  task->state = TaskState::kPrepared;
  return tell(ReportPrepared{key.lease, key.epoch});
}

Outcome LeaseBook::prepare_failed(LeaseKey key, const std::string& reason) {
  const HeldTask* task = find(key);
  if (task == nullptr) return {};
  if (task->state == TaskState::kLeaving) return released(key, {});
  if (task->state != TaskState::kPreparing && task->state != TaskState::kPrepared) return {};
  return end(key, ReportPrepareFailed{key.lease, key.epoch, reason.substr(0, kReasonLimit)});
}

// What ends before the barrier was not prepared. What is lost while it leaves is off its devices.
Outcome LeaseBook::ended(LeaseKey key, EndReason reason) {
  const HeldTask* task = find(key);
  if (task == nullptr) return {};
  switch (task->state) {
    case TaskState::kPreparing:
    case TaskState::kPrepared:
      return prepare_failed(key, "the task was gone before the start");
    case TaskState::kLeaving:
      if (reason != EndReason::kSucceeded) return released(key, {});
      break;
    case TaskState::kRunning:
    case TaskState::kSuspended:
    case TaskState::kEnded:
      break;
  }
  return end(key, ReportEnded{key.lease, key.epoch, reason});
}

// One that the node itself had given up is lost: no server has asked for it.
Outcome LeaseBook::released(LeaseKey key, const std::string& checkpoint) {
  const HeldTask* task = find(key);
  if (task == nullptr || task->state != TaskState::kLeaving) return {};
  if (task->was_given_up) return end(key, ReportEnded{key.lease, key.epoch, EndReason::kLost});
  return end(key, ReportReleased{key.lease, key.epoch, checkpoint});
}

Outcome LeaseBook::suspended(LeaseKey key) {
  HeldTask* task = find(key);
  const bool is_asked = task != nullptr && task->state == TaskState::kLeaving &&
                        task->grade == ReclaimGrade::kSuspend && !task->was_killed;
  if (!is_asked) return {};
  task->state = TaskState::kSuspended;
  task->deadline = kNever;
  return tell(ReportSuspended{key.lease, key.epoch});
}

Outcome LeaseBook::checkpoint(LeaseKey key, const std::string& id) {
  if (find(key) == nullptr || id.empty()) return {};
  return tell(ReportCheckpoint{key.lease, key.epoch, id});
}

Outcome LeaseBook::activity(LeaseKey key, Ppm busy_ppm) {
  if (find(key) == nullptr) return {};
  return tell(ReportActivity{key.lease, key.epoch, std::clamp<Ppm>(busy_ppm, 0, kPpmOne)});
}

Outcome LeaseBook::layout_read(ReportLayout report) {
  const auto asked = layouts_.find(report.card);
  if (asked == layouts_.end() || asked->second.order.number != report.ask) return {};
  if (asked->second.is_done) return {};
  asked->second.is_done = true;
  asked->second.found = report.layout;
  asked->second.error = report.error;
  return tell(std::move(report));
}

Outcome LeaseBook::tick(TimeMs now) {
  Outcome outcome;
  for (auto& [lease, task] : tasks_) {
    if (kill_at(task) <= now) outcome.append(kill(task));
    if (give_up_at(task, contact_at_) > now) continue;
    task.was_given_up = task.state != TaskState::kLeaving;
    outcome.append(kill(task));
  }
  return outcome;
}

TimeMs LeaseBook::next_due() const {
  TimeMs due = kNever;
  for (const auto& [lease, task] : tasks_) {
    due = std::min({due, kill_at(task), give_up_at(task, contact_at_)});
  }
  return due;
}

std::vector<HeldLease> LeaseBook::held() const {
  std::vector<HeldLease> held;
  for (const auto& [lease, task] : tasks_) {
    held.push_back({task.grant.key, task.grant.term, task.state});
  }
  for (const LeaseKey& key : log_.ended()) held.push_back({key, term_, TaskState::kEnded});
  return held;
}

std::string LeaseBook::save() const {
  ByteWriter out;
  out.u8(kFormat);
  out.varint(term_);
  out.svarint(contact_at_);
  serial::write(out, tasks_);
  serial::write(out, std::vector<LeaseKey>(ended_order_.begin(), ended_order_.end()));
  serial::write(out, ended_);
  serial::write(out, layouts_);
  log_.save(out);
  return out.take();
}

Result<LeaseBook> LeaseBook::load(std::string_view bytes) {
  ByteReader in(bytes);
  LeaseBook book;
  if (in.u8() != kFormat) in.reject();
  book.term_ = in.varint();
  book.contact_at_ = in.svarint();
  serial::read(in, book.tasks_);
  std::vector<LeaseKey> order;
  serial::read(in, order);
  book.ended_order_.assign(order.begin(), order.end());
  serial::read(in, book.ended_);
  serial::read(in, book.layouts_);
  book.log_ = ReportLog::load(in);
  if (auto s = in.finish(); !s) return tl::unexpected(s.error());
  return book;
}

}  // namespace berth::agent
