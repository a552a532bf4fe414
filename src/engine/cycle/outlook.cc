#include "engine/cycle/outlook.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/reserve/end_book.h"

namespace berth::engine {
namespace {

// Lines that cycles look at, and searches of theirs, until it is not looked further ahead.
constexpr std::uint64_t kMostSteps = 300'000;
constexpr std::uint64_t kStepsPerCycle = 100;

class LookAhead {
 public:
  LookAhead(const Engine& engine, JobId job, TimeMs now)
      : engine_(ClusterState(engine.state())), job_(job), now_(now), ends_(state(), now) {}

  Outlook run() {
    const JobRecord* job = record();
    if (job == nullptr || !waits(*job)) return {};
    outlook_.is_held = job->user_held;
    if (job->user_held) return outlook_;
    for (;;) {
      cycle();
      outlook_.at = now_;
      if (record() == nullptr || !waits(*record())) return outlook_;
      const TimeMs next = next_instant();
      if (next == kNever) return {};
      if (steps_ > kMostSteps) {
        outlook_.at_earliest = true;
        return outlook_;
      }
      now_ = next;
      end_due();
    }
  }

 private:
  const ClusterState& state() const { return engine_.state(); }
  static bool waits(const JobRecord& job) {
    return job.phase == JobPhase::kPending || job.phase == JobPhase::kSuspended;
  }
  const JobRecord* record() const { return state().find_job(job_); }

  void carry_out(CommandBody body) {
    const auto events = engine_.decide({std::move(body), {}, {}}, now_);
    if (!events) return;  // what is refused changes nothing
    for (const Event& event : *events) apply(event);
  }

  void apply(const Event& event) {
    engine_.apply(event);
    ends_.follow(event, state(), now_);
  }

  // Decides until there is nothing more to decide; what is placed starts at once.
  void cycle() {
    constexpr int kMostRounds = 4;
    carry_out(Tick{});
    for (int round = 0; round < kMostRounds; ++round) {
      const Plan plan = engine_.plan(now_);
      steps_ += kStepsPerCycle + engine_.effort().lines + engine_.effort().searches;
      if (plan.decisions.empty()) return;
      std::vector<LeaseId> granted;
      for (const Event& event : engine_.commit(plan, now_).events) {
        apply(event);
        if (const auto* grant = std::get_if<LeaseGranted>(&event.body)) {
          granted.push_back(grant->lease);
        }
      }
      for (const LeaseId id : granted) start(id);
    }
  }

  void start(LeaseId id) {
    const Lease& lease = state().leases().at(id);
    if (lease.job != job_ && seen_.insert(lease.job).second) ++outlook_.before;
    if (lease.job == job_) note_receipt(lease.receipt);
    carry_out(ReportPrepared{id, lease.epoch});
  }

  void note_receipt(ReceiptId id) {
    const auto& receipts = state().ledger().receipts;
    const auto found = receipts.find(id);
    if (found != receipts.end()) outlook_.taken = found->second.reclaim;
  }

  TimeMs next_instant() const {
    const TimeMs due = engine_.next_due(now_);
    const TimeMs end = ends_.next();
    return end == kNever ? due : std::min(due, std::max(end, saturating_add(now_, 1)));
  }

  void end_due() {
    while (const auto due = ends_.take_due(now_)) end(*due);
  }

  void end(const ExpectedEnd& expected) {
    const Lease* lease = state().find_lease(expected.lease);
    if (lease == nullptr) return;
    outlook_.last = lease->job;
    outlook_.basis = std::max(outlook_.basis, expected.basis);
    carry_out(report_of_end(state(), *lease));
  }

  Engine engine_;
  JobId job_;
  TimeMs now_;
  Outlook outlook_;
  std::uint64_t steps_ = 0;
  std::set<JobId> seen_;  // that have started
  EndBook ends_;
};

}  // namespace

Outlook look_ahead(const Engine& engine, JobId job, TimeMs now) {
  return LookAhead(engine, job, now).run();
}

}  // namespace berth::engine
