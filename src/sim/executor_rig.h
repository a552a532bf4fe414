// The executor alone: tests hold the leases of one job and pop its events. Tests only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/testing.h"
#include "sim/sim_executor.h"

namespace berth::sim::testing {

inline constexpr JobId kJob(0);

class Rig {
 public:
  explicit Rig(ExecutorSpec executor = {})
      : executor_(executor, policy_, 1, clock_, queue_, book_,
                  [this](const Lease&) { return &suspension_; }) {}

  // A job of tasks with one card each is submitted and granted now; it starts when it is prepared.
  void begin(DurationMs run_ms, const CheckpointSpec& checkpoint, std::uint32_t tasks) {
    spec_ = berth::testing::job("q", berth::testing::whole(1), tasks);
    spec_.checkpoint = checkpoint;
    executor_.submitted(run_ms, book_.open(kJob, 0, "j"));
    grant(tasks);
  }
  void grant(std::uint32_t tasks) {
    std::vector<LeaseId> granted;
    for (std::uint32_t task = 0; task < tasks; ++task) {
      Lease lease;
      lease.id = LeaseId(next_++);
      lease.job = kJob;
      lease.placement.task = task;
      lease.placement.grants.push_back({0, CardMode::kWhole, CardGrant::kNoPlacement, kCard, 0});
      lease.granted_at = clock_.now();
      executor_.prepare(lease, spec_);
      leases_[lease.id] = lease;
      on_since_[lease.id] = clock_.now();
      granted.push_back(lease.id);
    }
    for (const LeaseId id : granted) {
      leases_[id].started_at = clock_.now();
      executor_.start(leases_[id], spec_);
    }
  }
  void revoke(std::uint64_t id, ReclaimGrade grade, DurationMs grace_ms, Mib image_mib = 0) {
    Lease& lease = leases_.at(LeaseId(id));
    lease.state = LeaseState::kRevoking;
    lease.grade = grade;
    lease.deadline = clock_.now() + grace_ms;
    lease.image_mib = image_mib;
    executor_.revoke(lease, grade);
  }
  void resume(std::uint64_t id) {
    on_since_[LeaseId(id)] = clock_.now();
    executor_.resume(leases_.at(LeaseId(id)), spec_);
  }
  // The controller has released it, for whatever reason.
  void gone(LeaseId id) {
    off(id);
    leases_.erase(id);
    executor_.gone(id);
  }

  // What is reported until then, each with its time in seconds.
  std::vector<std::string> until(TimeMs at) {
    log_.clear();
    while (queue_.next_at() <= at) {
      clock_.advance(queue_.next_at());
      happen(queue_.pop());
    }
    clock_.advance(at);
    executor_.settle_all();
    return log_;
  }
  // Card-seconds.
  double spent(Spending spending) const {
    return seconds(book_.sums().spent[static_cast<std::size_t>(spending)]);
  }
  double recomputed(Interruption cause) const {
    return seconds(book_.sums().recomputed[static_cast<std::size_t>(cause)]);
  }
  double all() const { return seconds(book_.sums().total()); }
  CardWork booked() const { return book_.sums().total(); }
  CardWork useful() const { return book_.sums().spent[0]; }
  // Time on cards of all leases until now.
  CardWork leased() const {
    CardWork sum = leased_;
    for (const auto& [id, since] : on_since_) sum += card_work(kCard, clock_.now() - since);
    return sum;
  }
  const std::map<LeaseId, Lease>& leases() const { return leases_; }
  bool is_on_cards(LeaseId id) const { return on_since_.contains(id); }
  TimeMs now() const { return clock_.now(); }
  SimExecutor& executor() { return executor_; }
  const Lease& lease(std::uint64_t id) const { return leases_.at(LeaseId(id)); }

 private:
  static double seconds(CardWork work) {
    return static_cast<double>(work) / static_cast<double>(kCard) / 1000.0;
  }
  void off(LeaseId id) {
    const auto found = on_since_.find(id);
    if (found == on_since_.end()) return;
    leased_ += card_work(kCard, clock_.now() - found->second);
    on_since_.erase(found);
  }
  void say(const std::string& what) {
    log_.push_back(std::to_string(clock_.now() / kSecondMs) + " " + what);
  }
  void happen(const SimEvent& event) {
    if (event.kind == SimEventKind::kTick) return say("tick");
    if (event.kind == SimEventKind::kJobTurn) {
      for (const CommandBody& report : executor_.end_turn(event.job(), event.round)) hear(report);
    }
    if (event.kind != SimEventKind::kReleased || !leases_.contains(event.lease())) return;
    if (executor_.is_dead(leases_.at(event.lease()))) return;
    const std::string saved = executor_.checkpoint_of(leases_.at(event.lease()));
    say("released " + std::to_string(event.subject) + (saved.empty() ? "" : " with " + saved));
    gone(event.lease());
  }
  void hear(const CommandBody& report) {
    if (const auto* saved = std::get_if<ReportCheckpoint>(&report)) {
      return say("checkpoint " + saved->checkpoint + " of " + std::to_string(saved->lease.value()));
    }
    if (const auto* ended = std::get_if<ReportEnded>(&report)) {
      say("ended " + std::to_string(ended->lease.value()));
      return gone(ended->lease);
    }
    const auto& suspended = std::get<ReportSuspended>(report);
    say("suspended " + std::to_string(suspended.lease.value()));
    off(suspended.lease);
    executor_.off_cards(suspended.lease);
  }

  PolicySpec policy_;
  ProcessSuspension suspension_{0, 2'000, 5'000, 0};
  VirtualClock clock_;
  SimQueue queue_;
  WorkBook book_;
  SimExecutor executor_;
  JobSpec spec_;
  std::map<LeaseId, Lease> leases_;
  std::map<LeaseId, TimeMs> on_since_;
  CardWork leased_ = 0;
  std::vector<std::string> log_;
  std::uint64_t next_ = 1;
};

}  // namespace berth::sim::testing
