// Meter: what a simulated run does to its tenants, seen from the events of the state: waits,
// interruptions, guarantee periods, cards held and cards that idle under a promise. What leases
// were spent on comes from the simulator's own book.
//
// It stands between the simulation and its learner, sees each event, and steers nothing.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/lookup_map.h"
#include "bench/preempt/outcome.h"
#include "control/ports.h"
#include "sim/work_book.h"

namespace berth::bench::preempt {

// Time that each card of the job loses in one interruption at most; 0: nothing bounds it.
using BoundOf = std::function<DurationMs(const JobSpec& spec)>;
// What is booked of a job that has not ended.
using WorkOf = std::function<sim::WorkSums(JobId)>;

class Meter final : public control::Learner {
 public:
  // Counts what happens in [from, to). `urgent`: name of the queue that takes.
  Meter(control::Learner& learner, std::string urgent, TimeMs from, TimeMs to, BoundOf bound_of);

  FitPtr learn(const engine::ClusterState& state) override { return learner_.learn(state); }
  void observe(const Event& event, const engine::ClusterState& state) override;
  StandingsPtr standings(const engine::ClusterState& state, TimeMs now) override {
    return learner_.standings(state, now);
  }

  // Before the first event.
  void set_work_of(WorkOf work_of) { work_of_ = std::move(work_of); }
  // The counted time begins, or is over; with all that is booked by then.
  void begin(const sim::WorkSums& booked);
  Outcome end(const sim::WorkSums& booked, std::size_t cards);

 private:
  struct Track {
    TimeMs submitted_at = kNever;  // kNever: no such job
    TimeMs waits_since = kNever;   // kNever: it does not wait
    TimeMs runs_since = kNever;    // kNever: it does not run
    DurationMs waited_ms = 0;
    std::uint32_t evictions = 0;
    bool urgent = false;
    bool silent = false;
    CardUnits cards = 0;  // of all its tasks
    DurationMs bound_ms = 0;
  };
  struct Held {
    JobId job;
    CardUnits cards = 0;
    TimeMs since = kNever;  // kNever: it is off its cards
    // Of its cards those that are promised to whom it gives way.
    ReceiptId receipt;
    CardUnits promised = 0;
  };
  struct Promise {
    CardUnits idle = 0;  // of its cards
    TimeMs since = 0;
  };

  template <typename Body>
  void saw(const Body& /*body*/, const engine::ClusterState& /*state*/) {}
  void saw(const JobSubmitted& event, const engine::ClusterState& state);
  void saw(const LeaseGranted& event, const engine::ClusterState& state);
  void saw(const JobStarted& event, const engine::ClusterState& state);
  void saw(const ReceiptIssued& event, const engine::ClusterState& state);
  void saw(const ReceiptEnded& event, const engine::ClusterState& state);
  void saw(const LeaseRevoking& event, const engine::ClusterState& state);
  void saw(const LeaseSuspended& event, const engine::ClusterState& state);
  void saw(const LeaseResumed& event, const engine::ClusterState& state);
  void saw(const LeaseReleased& event, const engine::ClusterState& state);
  void saw(const JobEnded& event, const engine::ClusterState& state);

  Track& track(JobId job);
  void run(Track& track);
  void stop_running(Track& track);
  void note_wait(const Track& track);
  void give_back(Held& held);
  void settle(Promise& promise);
  DurationMs counted(TimeMs since) const;
  bool is_counted() const { return now_ >= from_ && now_ < to_; }
  void close(JobId job, Track& track);
  double lost_by_silent() const;

  control::Learner& learner_;
  std::string urgent_;
  TimeMs from_;
  TimeMs to_;
  BoundOf bound_of_;
  WorkOf work_of_;
  TimeMs now_ = 0;
  std::vector<Track> tracks_;  // by job id
  LookupMap<LeaseId, Held> held_;
  std::map<ReceiptId, Promise> promises_;  // that are open
  std::set<LeaseId> on_cards_;
  std::set<JobId> silent_;  // that have not ended
  double silent_ended_ = 0;
  double silent_before_ = 0;
  sim::WorkSums before_;
  Outcome outcome_;
};

}  // namespace berth::bench::preempt
