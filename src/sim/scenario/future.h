// Future: how a cluster goes on from a moment, as far as it can be foreseen: what runs ends as it
// is expected to, what is placed starts at once, who is asked to go has gone at his deadline, and
// nothing else comes. The decisions are the product's own, on a copy; the moment stays as it is.
//
// It owns the copy and what became of the jobs in it. It knows nothing of another future that it
// may be compared with.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

// What became of one job.
struct JobFate {
  std::string name;
  std::string queue;
  bool is_new = false;         // submitted meanwhile
  bool ran = false;            // held its place from the beginning
  TimeMs started_at = kNever;  // first; kNever: not within the time, or it ran
  std::string place;           // where
  std::vector<Given> given;    // what was taken from it
  TimeMs back_at = kNever;     // when it last went on after it was interrupted
  TimeMs ended_at = kNever;    // kNever: it is still there
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
  Status tell(CommandBody body);
  TimeMs next_instant() const;
  bool is_quiet() const;
  void listen();
  void follow(const Event& event);
  void note_started(const JobStarted& event, TimeMs at);
  void note_revoking(const LeaseRevoking& event, TimeMs at);
  void hold(LeaseId lease);
  void hold_no_more(LeaseId lease);

  Session session_;
  TimeMs began_;
  engine::EndBook ends_;
  std::map<JobId, JobFate> fates_;
  std::vector<std::shared_ptr<const Reclaim>> receipts_;
  std::map<LeaseId, CardUnits> holds_;
  CardUnits held_ = 0;
  double card_ms_ = 0;  // of `held_` until `counted_`
  TimeMs counted_;
  std::int64_t guessed_ = 0;
  std::size_t instants_ = 0;
  bool cut_short_ = false;
};

}  // namespace berth::sim
