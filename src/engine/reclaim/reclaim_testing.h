// A small fleet under an engine, with an executor that does at once what it is asked, or holds back
// what it is to give back: what property tests of reclaims share.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/engine.h"
#include "engine/state/invariants.h"
#include "model/testing.h"

namespace berth::engine::testing {

namespace t = berth::testing;

inline constexpr const char* kModel = "card";

class ReclaimFleet {
 public:
  explicit ReclaimFleet(const PolicySpec& policy) {
    run({DeclareModel{t::plain_model(kModel, 40'000)}, {}, {}});
    run({SetPolicy{policy, {}}, {}, {}});
  }

  // As a program finds it that starts again after so many batches of events: it does anew what was
  // not told to be done.
  ReclaimFleet(const ReclaimFleet& before, std::size_t batches) {
    for (std::size_t b = 0; b < batches; ++b) {
      for (const Event& event : before.batches_[b]) {
        engine_.apply(event);
        now_ = event.at;
      }
      batches_.push_back(before.batches_[b]);
    }
    do_again();
  }
  std::size_t batches() const { return batches_.size(); }

  void join(const std::string& name, std::size_t cards, const std::string& leaf = {}) {
    NodeSpec node = t::node(name, kModel, cards);
    if (!leaf.empty()) node.domains = {{"leaf", leaf}};
    run({JoinNode{node}, {}, {}});
  }
  void declare(const std::string& name, CardUnits guarantee, std::uint32_t weight = 1,
               const std::string& parent = {}) {
    QueueSpec queue = t::queue(name);
    queue.parent = parent;
    queue.weight = weight;
    if (guarantee > 0) {
      FlavourQuota quota;
      quota.model = kModel;
      quota.guarantee = guarantee;
      quota.weight = weight;
      queue.quotas.push_back(quota);
    }
    run({DeclareQueue{queue}, {}, {}});
  }
  JobId submit(JobSpec spec) {
    const JobId id = state().next_job();
    run(t::submit("j" + std::to_string(id.value()), std::move(spec)));
    return id;
  }

  // One cycle; what it grants runs, what it takes back is given back. Its decisions.
  Plan cycle() {
    const Plan plan = engine_.plan(now_);
    const Commitment commitment = engine_.commit(plan, now_);
    lost_ += commitment.lost;
    carry_out(commitment.events);
    return plan;
  }
  // Until a cycle decides nothing more, at most so often; whether it came to that.
  bool settle(int most) {
    for (int i = 0; i < most; ++i) {
      if (cycle().decisions.empty()) return true;
    }
    return false;
  }
  void pass(DurationMs time) { now_ += time; }

  // From now on whoever is to give its cards back keeps them.
  void hold_back() { holds_back_ = true; }
  // All of them give their cards back.
  void let_go() {
    for (const LeaseRevoking& revoking : std::exchange(kept_, {})) give_back(revoking);
  }
  const std::vector<LeaseRevoking>& kept() const { return kept_; }

  const ClusterState& state() const { return engine_.state(); }
  Engine& engine() { return engine_; }
  TimeMs now() const { return now_; }
  // Decisions of all cycles that did not hold when they were committed, though nothing had happened
  // in between.
  std::size_t lost() const { return lost_; }
  // Reclaims that were decided so far.
  const std::vector<Reclaim>& reclaims() const { return reclaims_; }

  void run(const Command& command) {
    const auto events = engine_.decide(command, now_);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    carry_out(*events);
  }

 private:
  void do_again() {
    for (const LeaseId id : state().leases().sorted_ids()) {
      const Lease* lease = state().find_lease(id);
      if (lease == nullptr) continue;
      if (lease->state == LeaseState::kGranted) run({ReportPrepared{id, lease->epoch}, {}, {}});
      if (lease->state == LeaseState::kRevoking) {
        run({ReportReleased{id, lease->epoch, {}}, {}, {}});
      }
    }
  }

  void carry_out(const EventBatch& events) {
    if (!events.empty()) batches_.push_back(events);
    for (const Event& event : events) engine_.apply(event);
    for (const Event& event : events) {
      if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) {
        run({ReportPrepared{granted->lease, granted->epoch}, {}, {}});
      } else if (const auto* issued = std::get_if<ReceiptIssued>(&event.body)) {
        reclaims_.push_back(*issued->receipt);
      } else if (const auto* revoking = std::get_if<LeaseRevoking>(&event.body)) {
        if (holds_back_) {
          kept_.push_back(*revoking);
        } else {
          give_back(*revoking);
        }
      }
    }
  }

  void give_back(const LeaseRevoking& revoking) {
    const Lease* found = state().find_lease(revoking.lease);
    if (found == nullptr || found->state != LeaseState::kRevoking)
      return;  // it has ended meanwhile
    const Lease& lease = *found;
    if (revoking.grade == ReclaimGrade::kSuspend) {
      run({ReportSuspended{lease.id, lease.epoch}, {}, {}});
    } else {
      run({ReportReleased{lease.id, lease.epoch, {}}, {}, {}});
    }
  }

  Engine engine_;
  std::vector<EventBatch> batches_;  // as a journal holds them: each whole or not at all
  std::vector<Reclaim> reclaims_;
  std::vector<LeaseRevoking> kept_;
  std::size_t lost_ = 0;
  bool holds_back_ = false;
  TimeMs now_ = 0;
};

}  // namespace berth::engine::testing
