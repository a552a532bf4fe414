#include "engine/cycle/outlook.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/check.h"

namespace berth::engine {
namespace {

// Lines that cycles look at, and searches of theirs, until it is not looked further ahead.
constexpr std::uint64_t kMostSteps = 300'000;
constexpr std::uint64_t kStepsPerCycle = 100;

class LookAhead {
 public:
  LookAhead(const Engine& engine, JobId job, TimeMs now)
      : engine_(ClusterState(engine.state())), job_(job), now_(now) {}

  Outlook run() {
    const JobRecord* job = record();
    if (job == nullptr || job->phase != JobPhase::kPending) return {};
    outlook_.is_held = job->user_held;
    if (job->user_held) return outlook_;
    for (;;) {
      cycle();
      outlook_.at = now_;
      if (record() == nullptr || record()->phase != JobPhase::kPending) return outlook_;
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
  const JobRecord* record() const { return state().find_job(job_); }

  void carry_out(CommandBody body) {
    const auto events = engine_.decide({std::move(body), {}, {}}, now_);
    if (!events) return;  // what is refused changes nothing
    for (const Event& event : *events) engine_.apply(event);
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
        engine_.apply(event);
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
    carry_out(ReportPrepared{id, lease.epoch});
  }

  // Ends that are not known yet are asked for; each stays what it was at first.
  TimeMs next_instant() {
    TimeMs next = engine_.next_due(now_);
    for (const LeaseId id : state().leases().sorted_ids()) {
      auto known = ends_.find(id);
      if (known == ends_.end()) {
        known = ends_.emplace(id, expected_end(state(), state().leases().at(id), now_)).first;
      }
      next = std::min(next, std::max(known->second.at, saturating_add(now_, 1)));
    }
    return next;
  }

  void end_due() {
    for (const auto& [id, end] : std::exchange(ends_, {})) {
      const Lease* lease = state().find_lease(id);
      if (lease == nullptr) continue;
      if (end.at > now_) {
        ends_.emplace(id, end);
        continue;
      }
      outlook_.last = lease->job;
      outlook_.basis = std::max(outlook_.basis, end.basis);
      if (lease->state == LeaseState::kRevoking) {
        carry_out(ReportReleased{id, lease->epoch, {}});
      } else {
        carry_out(ReportEnded{id, lease->epoch, EndReason::kSucceeded});
      }
    }
  }

  Engine engine_;
  JobId job_;
  TimeMs now_;
  Outlook outlook_;
  std::uint64_t steps_ = 0;
  std::set<JobId> seen_;  // that have started
  std::map<LeaseId, ExpectedEnd> ends_;
};

}  // namespace

Outlook look_ahead(const Engine& engine, JobId job, TimeMs now) {
  return LookAhead(engine, job, now).run();
}

}  // namespace berth::engine
