// EngineDrive: the product's engine in virtual time. Jobs are submitted, a cycle plans and commits,
// what is granted starts at once and ends when the caller says so. It asks the engine what a
// controller asks it, in the same order, without a journal or an executor between.
// Owns: the engine, the numbering of jobs and the CPU time that the engine takes. Must never decide
// when anything happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "control/ports.h"
#include "engine/cycle/engine.h"
#include "model/command.h"

namespace berth::bench {

// CPU seconds of the calling thread.
struct EngineCost {
  double submit_s = 0;  // submissions: decide, apply, prices
  double report_s = 0;  // starts and ends: decide, apply
  double plan_s = 0;
  double commit_s = 0;  // commit and apply
  double learn_s = 0;   // fits, standings; outside the engine and not in the total
  std::uint64_t cycles = 0;
  std::uint64_t turns = 0;     // lines of jobs that the cycles looked at
  std::uint64_t searches = 0;  // for the place of a job

  double total_s() const { return submit_s + report_s + plan_s + commit_s; }
};

// A job that a cycle has started.
struct Grant {
  std::size_t job = 0;           // number
  std::vector<NodeIndex> nodes;  // of its tasks: by role, then by task
};

class EngineDrive {
 public:
  // Reading the clock costs about as much as a submission. Where instants are many, only one of
  // `clock_every` is timed and stands for the others; 1: all are.
  explicit EngineDrive(control::Learner& learner, std::uint32_t clock_every = 1)
      : learner_(learner), clock_every_(clock_every) {}

  // Fleet, tenants, policy: before the first job. The engine's own error.
  Status declare(CommandBody body);

  // The next jobs; the first of all is number 0. The engine's own error.
  Status submit(TimeMs now, std::span<const JobSpecPtr> specs);
  // One cycle; what it placed runs when it returns. An error where the engine refuses a report.
  Result<std::vector<Grant>> cycle(TimeMs now);
  // Jobs that a reclaim of the last cycle has asked to give their cards back; each once.
  const std::vector<std::size_t>& asked_back() const { return asked_back_; }
  // They have; with a checkpoint of all their work, or without.
  enum class Saved : std::uint8_t { kAll, kNothing };
  Status give_back(TimeMs now, std::span<const std::size_t> jobs, Saved saved);
  // A job that runs has saved its work by itself.
  Status note_checkpoint(TimeMs now, std::size_t job);
  // Jobs that run have done their work. An error where the engine refuses a report.
  Status end(TimeMs now, std::span<const std::size_t> jobs);

  const engine::ClusterState& state() const { return engine_.state(); }
  const EngineCost& cost() const { return cost_; }

 private:
  Status run(TimeMs now, CommandBody body);
  void apply(const EventBatch& events);
  void learn(TimeMs now);
  void observe_tenants(TimeMs now);
  // The sum's weight of what happens at `now`: 0 where it is not timed.
  double weight(TimeMs now);
  void ask_back(LeaseId lease);
  Status start(TimeMs now, const EventBatch& events, std::vector<Grant>& grants);

  engine::Engine engine_;
  control::Learner& learner_;
  std::uint32_t clock_every_;
  TimeMs instant_ = -1;
  std::uint64_t instants_ = 0;
  std::uint64_t first_job_ = 0;  // id of job 0; 0: none submitted yet
  struct Held {
    LeaseId lease;
    std::uint64_t epoch = 1;
  };
  std::vector<std::vector<Held>> leases_;  // of each job that runs
  std::vector<std::size_t> asked_back_;
  EngineCost cost_;
};

}  // namespace berth::bench
