// Ledger: what was decided and observed beyond jobs, leases and nodes: receipts of reclaims,
// reservations, changes of MIG layouts under way, figures observed outside, and tokens.
// Owns: nothing but these records. Every entry ends with what it is about.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/event.h"

namespace berth::engine {

// What executors say of a lease while it runs.
struct LeaseObservation {
  TimeMs checkpoint_at = kNever;  // of the last one
  std::string checkpoint;
  TimeMs busy_at = kNever;  // when the figure came
  Ppm busy_ppm = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.checkpoint_at, self.checkpoint, self.busy_at, self.busy_ppm);
  }
};

// A change of a card's layout that is under way.
struct RegeometryState {
  RegeometryStage stage = RegeometryStage::kPlanned;
  TimeMs deadline = kNever;
  std::shared_ptr<const Regeometry> change = std::make_shared<const Regeometry>();
  std::uint64_t ask = 0;            // that the node has not answered; 0: none
  bool was_read = false;            // the node has found what is neither layout
  std::vector<std::uint8_t> found;  // then: this
  std::string cause;                // of what went wrong last

  bool is_asked() const {
    return stage == RegeometryStage::kSwitching || stage == RegeometryStage::kRestoring;
  }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.stage, self.deadline, self.change, self.ask, self.was_read, self.found, self.cause);
  }
};

// A reclaim and how it came out.
struct ReceiptRecord {
  std::shared_ptr<const Reclaim> reclaim = std::make_shared<const Reclaim>();
  ReceiptOutcome outcome = ReceiptOutcome::kOpen;
  TimeMs ended_at = kNever;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.reclaim, self.outcome, self.ended_at);
  }
};

// A token; only those that are not revoked are kept.
struct TokenRecord {
  std::shared_ptr<const Token> token = std::make_shared<const Token>();
  TimeMs issued_at = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.token, self.issued_at);
  }
};

inline constexpr std::size_t kReceiptsKept = 256;  // that have come out; the journal has them all
inline constexpr std::size_t kKindsLearned = 100'000;  // kinds of jobs with learned run times

struct Ledger {
  using CardOfNode = std::pair<NodeIndex, std::uint16_t>;

  std::map<ReceiptId, ReceiptRecord> receipts;  // those that are open, and the last others
  std::set<ReceiptId> open;                     // derived
  std::uint64_t next_receipt = 1;
  std::vector<TimeMs> evictions;  // by reclaims, within an hour of the last; rising
  std::map<JobId, std::shared_ptr<const Reserve>> reservations;
  std::map<CardOfNode, RegeometryState> regeometries;
  std::map<CardOfNode, TimeMs> layout_rests;  // until when a card keeps the layout that it has
  std::uint64_t next_layout_ask = 1;
  std::map<LeaseId, LeaseObservation> observations;
  std::map<std::string, RunTimes> run_times;  // by kind
  std::map<NodeIndex, TimeMs> interruptions;  // when the node goes away
  std::map<std::string, TokenRecord> tokens;  // by id
  std::uint64_t tokens_issued = 0;            // ever

  void on(const ReceiptIssued& e);
  void on(const ReceiptEnded& e, TimeMs now);
  void on(const JobReserved& e) {
    reservations.insert_or_assign(e.reservation->job, e.reservation);
  }
  void on(const ReservationEnded& e) { reservations.erase(e.job); }
  void on(const RegeometryAdvanced& e, TimeMs now);
  void on(const RunTimesObserved& e) { run_times.insert_or_assign(e.kind, e.times); }
  void on(const InterruptionNoticed& e) { interruptions.insert_or_assign(e.node, e.deadline); }

  void on(const TokenIssued& e, TimeMs now);
  void on(const TokenRevoked& e) { tokens.erase(e.id); }
  void on(const ActorNoted& /*e*/) {}  // for those who read the journal

  // What is gone takes its entries along.
  void forget(LeaseId lease) { observations.erase(lease); }
  void forget(JobId job);
  void forget(NodeIndex node);

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.receipts, self.next_receipt, self.evictions, self.reservations, self.regeometries,
          self.observations, self.run_times, self.interruptions, self.layout_rests,
          self.next_layout_ask, self.tokens, self.tokens_issued);
  }
  static std::size_t fields_in(std::uint64_t format) { return format < 7 ? 10 : 12; }
};

}  // namespace berth::engine
