// ControlLoop: the thread that owns a controller. Commands of all other threads are collected,
// committed together and answered after the commit; cycles are planned on a thread of their own
// while commands go on. Nobody else may use the controller between start and stop.
//
// When the journal refuses, every waiting command is answered with its error and the loop ends:
// another controller goes on from the journal.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "control/controller.h"

namespace berth::control {

struct LoopOptions {
  std::size_t most_waiting = 100'000;  // commands; what comes beyond is refused at once
  std::size_t group = 1024;            // commands of one commit
  DurationMs tick_ms = kSecondMs;      // between two looks at deadlines, by the controller's clock
  DurationMs poll_ms = 100;            // most real time between two looks at the clock
  std::uint64_t snapshot_every = 0;    // events between two snapshots; 0: none are made
};

class ControlLoop {
 public:
  // Called once, on the loop's thread or on that of the caller; it must return at once.
  using Answer = std::function<void(const Result<Reply>&)>;

  ControlLoop(Controller& controller, const Clock& clock, Snapshots* snapshots,
              LoopOptions options = {});
  ~ControlLoop();
  ControlLoop(const ControlLoop&) = delete;
  ControlLoop& operator=(const ControlLoop&) = delete;

  void start();
  // What waits is refused; what is being committed is answered. Returns when both threads ended.
  void stop();

  void post(Command command, Answer answer);
  // The same, waiting for the answer. Never from an Answer.
  Result<Reply> execute(Command command);

  // Runs it on the loop's thread, between two commits: for what must see the live state. It is
  // dropped when the loop has ended.
  using Look = std::function<void(const Controller&)>;
  void look(Look look);

  // Called once, on the loop's thread, when it ends because the journal refused. Set before start.
  void on_failure(std::function<void(const Error&)> call) { on_failure_ = std::move(call); }
  // Called on the loop's thread when a snapshot or the compaction after it has failed: nothing is
  // lost, and it is tried again. Set before start.
  void on_trouble(std::function<void(const Error&)> call) { on_trouble_ = std::move(call); }

  struct Counts {
    std::atomic<std::uint64_t> commands = 0;
    std::atomic<std::uint64_t> commits = 0;  // groups
    std::atomic<std::uint64_t> cycles = 0;
    std::atomic<std::uint64_t> lost_races = 0;  // placements
    std::atomic<std::uint64_t> snapshots = 0;
    std::atomic<std::uint64_t> refused = 0;  // because too many waited
    std::atomic<std::int64_t> cycle_us = 0;  // of the last cycle, planning alone
  };
  const Counts& counts() const { return counts_; }
  std::size_t waiting() const;

 private:
  struct Waiting {
    Command command;
    Answer answer;
  };

  std::optional<Error> enqueue(Command& command, Answer& answer);
  void write();
  struct Work {
    std::vector<Waiting> commands;
    std::vector<Look> looks;
    std::optional<Plan> plan;
  };
  bool take_work(Work& work);
  Status commit_work(std::vector<Waiting>& work);
  Status commit_plan(const Plan& plan);
  Status keep_time();
  Status begin_cycle();
  void save_snapshot();
  bool cycle_is_due();
  void refuse_waiting(const Error& error);

  void plan();

  Controller& controller_;
  const Clock& clock_;
  Snapshots* snapshots_;
  LoopOptions options_;
  std::function<void(const Error&)> on_failure_;
  std::function<void(const Error&)> on_trouble_;
  Counts counts_;

  mutable std::mutex mutex_;
  std::condition_variable wake_writer_;
  std::condition_variable wake_planner_;
  std::vector<Waiting> waiting_;
  std::vector<Look> looks_;
  std::optional<TimeMs> to_plan_;
  std::optional<Plan> planned_;
  std::optional<Error> ended_;  // no command is taken any more

  // Of the writer's thread alone.
  bool is_planning_ = false;
  bool is_unsettled_ = true;            // the last cycle decided something, or there was none
  int rounds_ = 0;                      // cycles since a command changed something
  std::uint64_t planned_revision_ = 0;  // that the last cycle or its commit left
  TimeMs due_at_ = 0;
  TimeMs ticked_at_ = 0;
  std::uint64_t snapshot_due_ = 0;  // revision

  std::thread writer_;
  std::thread planner_;
};

}  // namespace berth::control
