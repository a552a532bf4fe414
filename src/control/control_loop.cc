#include "control/control_loop.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <utility>

namespace berth::control {
namespace {

// A cycle commits what the one before lost to a race, and the reasons that its placements changed;
// after so many the rest waits for the next change.
constexpr int kMostRounds = 4;

Error stopped() { return {ErrorCode::kUnavailable, "the server is stopping; ask again", {}, 0}; }

}  // namespace

ControlLoop::ControlLoop(Controller& controller, const Clock& clock, Snapshots* snapshots,
                         LoopOptions options)
    : controller_(controller), clock_(clock), snapshots_(snapshots), options_(options) {}

ControlLoop::~ControlLoop() { stop(); }

void ControlLoop::start() {
  snapshot_due_ = controller_.state().revision() + options_.snapshot_every;
  writer_ = std::thread([this] { write(); });
  planner_ = std::thread([this] { plan(); });
}

void ControlLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) ended_ = stopped();
  }
  wake_writer_.notify_all();
  wake_planner_.notify_all();
  if (writer_.joinable()) writer_.join();
  if (planner_.joinable()) planner_.join();
}

void ControlLoop::post(Command command, Answer answer) {
  if (const auto refusal = enqueue(command, answer)) answer(tl::unexpected(*refusal));
}

// Takes both, or says why not.
std::optional<Error> ControlLoop::enqueue(Command& command, Answer& answer) {
  bool was_idle = false;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return ended_;
    if (waiting_.size() >= options_.most_waiting) {
      ++counts_.refused;
      return Error{ErrorCode::kUnavailable,
                   std::to_string(waiting_.size()) + " commands wait already; ask again later",
                   {},
                   0};
    }
    was_idle = waiting_.empty();
    waiting_.push_back({std::move(command), std::move(answer)});
  }
  if (was_idle) wake_writer_.notify_one();
  return std::nullopt;
}

Result<Reply> ControlLoop::execute(Command command) {
  auto promise = std::make_shared<std::promise<Result<Reply>>>();
  std::future<Result<Reply>> answer = promise->get_future();
  post(std::move(command), [promise](const Result<Reply>& reply) { promise->set_value(reply); });
  return answer.get();
}

void ControlLoop::look(Look look) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    looks_.push_back(std::move(look));
  }
  wake_writer_.notify_one();
}

std::size_t ControlLoop::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void ControlLoop::write() {
  Work work;
  while (take_work(work)) {
    for (const Look& look : work.looks) look(controller_);
    Status done = commit_work(work.commands);
    if (done && work.plan) done = commit_plan(*work.plan);
    if (done) done = keep_time();
    if (done && cycle_is_due()) done = begin_cycle();
    if (done) continue;
    refuse_waiting(done.error());
    wake_planner_.notify_all();
    if (on_failure_) on_failure_(done.error());
    return;
  }
  refuse_waiting(stopped());
}

// False: the loop is to end.
bool ControlLoop::take_work(Work& work) {
  work = Work();
  std::unique_lock lock(mutex_);
  wake_writer_.wait_for(lock, std::chrono::milliseconds(options_.poll_ms), [this] {
    return ended_.has_value() || !waiting_.empty() || !looks_.empty() || planned_.has_value();
  });
  if (ended_) return false;
  work.plan = std::exchange(planned_, std::nullopt);
  work.looks.swap(looks_);
  if (waiting_.size() <= options_.group) {
    work.commands.swap(waiting_);
    return true;
  }
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(options_.group);
  work.commands.assign(std::move_iterator(waiting_.begin()), std::move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return true;
}

Status ControlLoop::commit_work(std::vector<Waiting>& work) {
  if (work.empty()) return {};
  std::vector<Command> commands;
  commands.reserve(work.size());
  for (Waiting& one : work) commands.push_back(std::move(one.command));
  const std::uint64_t before = controller_.state().revision();
  const auto replies = controller_.execute_all(commands);
  if (controller_.state().revision() != before) rounds_ = 0;
  counts_.commands += work.size();
  ++counts_.commits;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (replies) {
      work[i].answer((*replies)[i]);
    } else {
      work[i].answer(tl::unexpected(replies.error()));
    }
  }
  return replies ? Status{} : tl::unexpected(replies.error());
}

Status ControlLoop::commit_plan(const Plan& plan) {
  is_planning_ = false;
  ++counts_.cycles;
  is_unsettled_ = !plan.decisions.empty();
  if (!is_unsettled_) return {};
  // Commands may have come meanwhile: the next cycle looks at what they have changed.
  const bool is_alone = controller_.state().revision() == planned_revision_;
  const auto lost = controller_.commit(plan);
  if (!lost) return tl::unexpected(lost.error());
  counts_.lost_races += *lost;
  if (is_alone) planned_revision_ = controller_.state().revision();
  return {};
}

// Deadlines that have passed, and a snapshot when enough has happened.
Status ControlLoop::keep_time() {
  const TimeMs now = clock_.now();
  if (now >= ticked_at_ + options_.tick_ms) {
    ticked_at_ = now;
    const std::uint64_t before = controller_.state().revision();
    if (auto s = controller_.tick(); !s) return s;
    if (controller_.state().revision() != before) rounds_ = 0;
  }
  const bool is_due = controller_.state().revision() >= snapshot_due_;
  if (options_.snapshot_every > 0 && is_due) save_snapshot();
  return {};
}

// Of what fails nothing depends: the journal has it all, and says itself when it can't go on.
void ControlLoop::save_snapshot() {
  constexpr std::uint64_t kSooner = 10;  // after a failure
  const std::uint64_t every = options_.snapshot_every;
  Status done = controller_.save_snapshot();
  const std::uint64_t next = done ? every : std::max<std::uint64_t>(every / kSooner, 1);
  snapshot_due_ = controller_.state().revision() + next;
  if (done) {
    ++counts_.snapshots;
    done = snapshots_->compact();
  }
  if (!done && on_trouble_) on_trouble_(done.error());
}

bool ControlLoop::cycle_is_due() {
  if (is_planning_) return false;
  if (controller_.state().revision() != planned_revision_) return true;
  if (is_unsettled_ && rounds_ < kMostRounds) return true;
  return clock_.now() >= due_at_;
}

Status ControlLoop::begin_cycle() {
  if (auto s = controller_.observe_tenants(); !s) return s;
  ++rounds_;
  planned_revision_ = controller_.state().revision();
  due_at_ = controller_.next_due();
  is_planning_ = true;
  const TimeMs at = controller_.begin_plan();
  {
    const std::lock_guard lock(mutex_);
    to_plan_ = at;
  }
  wake_planner_.notify_one();
  return {};
}

void ControlLoop::refuse_waiting(const Error& error) {
  std::vector<Waiting> refused;
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) ended_ = error;
    refused.swap(waiting_);
  }
  for (Waiting& one : refused) one.answer(tl::unexpected(error));
}

void ControlLoop::plan() {
  while (true) {
    TimeMs at = 0;
    {
      std::unique_lock lock(mutex_);
      wake_planner_.wait(lock, [this] { return ended_.has_value() || to_plan_.has_value(); });
      if (ended_) return;
      at = *std::exchange(to_plan_, std::nullopt);
    }
    const auto begin = std::chrono::steady_clock::now();
    Plan plan = controller_.run_plan(at);
    counts_.cycle_us = std::chrono::duration_cast<std::chrono::microseconds>(
                           std::chrono::steady_clock::now() - begin)
                           .count();
    {
      const std::lock_guard lock(mutex_);
      planned_ = std::move(plan);
    }
    wake_writer_.notify_one();
  }
}

}  // namespace berth::control
