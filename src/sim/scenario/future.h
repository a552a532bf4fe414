// Future: how a cluster goes on from a moment, as far as it can be foreseen: what runs ends as it
// is expected to, what is placed starts at once, who is asked to go has gone at his deadline, tasks
// of a node that is lost are dead, which is known when it is back, and nothing else comes. The
// decisions are the product's own, on a copy; the moment stays as it is.
//
// It owns the copy and what became of the jobs in it. It knows nothing of another future that it
// may be compared with.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/reserve/end_book.h"
#include "sim/queue_shares.h"
#include "sim/scenario/session.h"

namespace berth::sim {

// What a job gave for a receipt.
struct Given {
  std::shared_ptr<const Reclaim> receipt;
  TimeMs at = 0;
};

// That a job was stopped, or lost tasks, by anything but a receipt.
struct Stopped {
  enum class How : std::uint8_t { kOffItsCards, kNodeLost, kLostTasks };

  How how = How::kOffItsCards;
  EndReason reason = EndReason::kLost;
  TimeMs at = 0;
  DurationMs lost_ms = 0;  // of each card: the work since its last checkpoint
  CardUnits cards = 0;     // that it held
  std::string node;        // that was lost, where its dead tasks keep their place
};

// What became of one job.
struct JobFate {
  std::string name;
  std::string queue;
  bool is_new = false;         // submitted meanwhile
  bool ran = false;            // held its place from the beginning
  TimeMs started_at = kNever;  // first; kNever: not within the time, or it ran
  std::string place;           // where
  bool was_off = false;        // suspended, or asked to go, at the beginning
  std::vector<Given> given;    // what was taken from it
  std::vector<Stopped> stops;
  TimeMs back_at = kNever;   // when it last went on after it was interrupted
  std::string back_place;    // where
  TimeMs ended_at = kNever;  // kNever: it is still there
  EndReason ended = EndReason::kSucceeded;
  JobPhase phase = JobPhase::kPending;      // at the end of the time
  std::shared_ptr<const Reclaim> promised;  // what is on its way to it then; null: nothing
};

class Future {
 public:
  // `catalog` must outlive it.
  Future(const std::vector<GpuModel>& catalog, const Moment& from);

  // One command of a scenario (what_if.h says which), told at the present instant; `cycle` decides,
  // `advance` plays on. An error says what was refused; then this future is of no use any more.
  Status carry_out(const std::string& command);
  // Plays on to the instant.
  Status play(TimeMs until);
  // Plays on until nothing is on its way to or from anybody, at most to the instant.
  Status play_until_quiet(TimeMs most);

  TimeMs began() const { return began_; }
  TimeMs now() const { return session_.now(); }
  const engine::ClusterState& state() const { return session_.state(); }
  Rejections why(JobId job) { return session_.why(job); }
  engine::Outlook eta(JobId job) const { return session_.eta(job); }

  // By id: jobs that are in several futures of a moment have one id in all of them.
  std::map<JobId, JobFate> fates() const;
  // Receipts that were made, oldest first.
  const std::vector<std::shared_ptr<const Reclaim>>& receipts() const { return receipts_; }
  CardUnits cards_held() const { return held_; }
  double mean_cards_held() const;
  // Ends that were played though nothing is known of how long such jobs run.
  std::int64_t guessed_ends() const { return guessed_; }
  bool was_cut_short() const { return cut_short_; }

 private:
  Status decide();
  Status answer_prepares();
  Status step_to(TimeMs at);
  Status end_due();
  Status report_lost();
  Status tell(CommandBody body);
  TimeMs next_instant() const;
  bool is_quiet() const;
  void listen();
  void follow(const Event& event);
  // Since when a job has been on its cards.
  struct Run {
    TimeMs since = 0;
    CardUnits cards = 0;
    TimeMs until = kNever;  // off them, or on a node that is lost
  };
  void note_running(JobId job, TimeMs since, TimeMs until = kNever);
  void note_started(const JobStarted& event, TimeMs at);
  void note_back(JobId job, TimeMs at);
  void note_condition(const NodeConditionChanged& event, TimeMs at);
  void note_health(const CardHealthChanged& event);
  void note_requeued(const JobRequeued& event, TimeMs at);
  void note_stop(JobId job, Stopped stopped);
  void note_revoking(const LeaseRevoking& event, TimeMs at);
  void hold(LeaseId lease);
  void hold_no_more(LeaseId lease);

  Session session_;
  TimeMs began_;
  engine::EndBook ends_;
  std::map<JobId, JobFate> fates_;
  std::vector<std::shared_ptr<const Reclaim>> receipts_;
  std::map<JobId, Run> running_;
  std::set<LeaseId> dead_;     // on nodes that are lost
  std::vector<LeaseId> gone_;  // which their executor is about to report
  std::map<LeaseId, CardUnits> holds_;
  CardUnits held_ = 0;
  double card_ms_ = 0;  // of `held_` until `counted_`
  TimeMs counted_;
  std::int64_t guessed_ = 0;
  std::size_t instants_ = 0;
  bool cut_short_ = false;
};

}  // namespace berth::sim
