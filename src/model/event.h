// Event: a fact. The state is what the events say and nothing else; applying one cannot fail.
// Adding an event = a struct here (of nodes: model/node_events.h), its index at the END of the
// variant (the journal stores it), an overload in engine/state/apply.cc.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "model/command.h"
#include "model/lease.h"
#include "model/node_events.h"
#include "model/plan.h"
#include "model/standing.h"

namespace berth {

struct ModelDeclared {
  std::shared_ptr<const GpuModel> model;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.model);
  }
};
struct TopologyDeclared {
  std::shared_ptr<const TopologySpec> topology;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.topology);
  }
};
struct PartitionDeclared {
  std::shared_ptr<const PartitionSpec> partition;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.partition);
  }
};
struct QueueDeclared {
  std::shared_ptr<const QueueSpec> queue;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.queue);
  }
};
struct PolicySet {
  std::shared_ptr<const PolicySpec> policy;
  bool on_trial = false;     // in one partition only; else it ends all trials
  PartitionIndex partition;  // of a trial; none: nodes that are in no partition

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.policy, self.on_trial, self.partition);
  }
};
struct TrialEnded {
  PartitionIndex partition;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.partition);
  }
};
struct FitObserved {
  FitPtr fit;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.fit);
  }
};
struct JobSubmitted {
  JobId job;
  std::string name;
  JobSpecPtr spec;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.name, self.spec);
  }
};
struct JobHeld {
  JobId job;
  RejectionsPtr reasons;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.reasons);
  }
};
struct JobUserHold {
  JobId job;
  bool held = true;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.held);
  }
};
struct JobResized {
  JobId job;
  JobSpecPtr spec;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.spec);
  }
};
struct JobBackedOff {
  JobId job;
  TimeMs until = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.until);
  }
};
struct LeaseGranted {
  LeaseId lease;
  std::uint64_t epoch = 1;
  std::uint64_t term = 0;
  JobId job;
  TaskPlacement placement;
  LeaseOwnership ownership = LeaseOwnership::kOwned;
  LeaseCapabilities capabilities;
  ReceiptId receipt;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.epoch, self.term, self.job, self.placement, self.ownership,
          self.capabilities, self.receipt);
  }
};
struct LeasePromised {
  LeaseId lease;
  JobId job;
  TaskPlacement placement;
  ReceiptId receipt;
  TimeMs expires_at = kNever;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.job, self.placement, self.receipt, self.expires_at);
  }
};
struct LeasePrepared {
  LeaseId lease;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease);
  }
};
// All members are prepared: the start barrier opens for every lease of the job.
struct JobStarted {
  JobId job;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job);
  }
};
struct LeaseRevoking {
  LeaseId lease;
  ReclaimGrade grade = ReclaimGrade::kKill;
  TimeMs deadline = kNever;
  EndReason reason = EndReason::kReclaimed;
  ReceiptId receipt;  // of the reclaim; none: for another cause

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.grade, self.deadline, self.reason, self.receipt);
  }
};
// The devices are free from here on.
struct LeaseReleased {
  LeaseId lease;
  EndReason reason = EndReason::kSucceeded;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.reason);
  }
};
// Back to the queue with its place kept.
struct JobRequeued {
  JobId job;
  EndReason reason = EndReason::kPrepareFailed;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.reason);
  }
};
struct JobEnded {
  JobId job;
  EndReason reason = EndReason::kSucceeded;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.reason);
  }
};
struct TimePassed {
  template <typename Self, typename Visitor>
  static void fields(Self& /*self*/, Visitor&& visit) {
    visit();
  }
};
// A request id that has been answered; keeps a retried command from acting twice.
struct RequestSeen {
  std::string request_id;
  JobId job;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.request_id, self.job);
  }
};
struct PricesObserved {
  Prices prices;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.prices);
  }
};

// A running task goes on in another place, under the same lease and epoch. Its devices change
// hands at once; the order of several moves matters.
struct LeaseMoved {
  LeaseId lease;
  TaskPlacement placement;  // the new one; same role and task

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.placement);
  }
};

// A leader's term; executors refuse what an older one granted.
struct TermBegan {
  std::uint64_t term = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.term);
  }
};
// A reclaim is decided; its victims are revoked and its room is promised under this receipt.
struct ReceiptIssued {
  std::shared_ptr<const Reclaim> receipt;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.receipt);
  }
};
// One reservation a job; a later one replaces it.
struct JobReserved {
  std::shared_ptr<const Reserve> reservation;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.reservation);
  }
};
struct ReservationEnded {
  JobId job;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job);
  }
};
// A change of a card's MIG layout takes its next step. Only when it has ended well the card has
// the wanted layout; when it is rolled back it has the one before.
struct RegeometryAdvanced {
  RegeometryStage stage = RegeometryStage::kPlanned;
  TimeMs deadline = kNever;  // of this step; when it has ended: until when the card rests
  std::shared_ptr<const Regeometry> change;
  std::uint64_t ask = 0;            // number of what the node is asked for; 0: it is not asked
  bool was_read = false;            // the node has found what is neither layout
  std::vector<std::uint8_t> found;  // then: this
  std::string cause;                // why it did not go on as planned

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.stage, self.deadline, self.change, self.ask, self.was_read, self.found, self.cause);
  }
};

// Figures observed outside, quantised.
struct CheckpointObserved {
  LeaseId lease;
  std::string checkpoint;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.checkpoint);
  }
};
struct ActivityObserved {
  LeaseId lease;
  Ppm busy_ppm = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.busy_ppm);
  }
};
struct RunTimesObserved {
  std::string kind;
  RunTimes times;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.kind, self.times);
  }
};

// A task that was granted to a running job joins it.
struct LeaseStarted {
  LeaseId lease;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease);
  }
};
// A role of a running job is below its minimum; the lost tasks are replaced by `until` or what is
// left of the role (of the job, unless the role is optional) is given back.
struct JobRepairing {
  JobId job;
  std::uint16_t role = 0;
  TimeMs until = kNever;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.role, self.until);
  }
};
// The role has its minimum again, or is given up.
struct JobRepaired {
  JobId job;
  std::uint16_t role = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.role);
  }
};
// The job takes its countable resources here and around here until its last lease is released.
struct DomainTaken {
  JobId job;
  std::string level;
  std::string name;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.level, self.name);
  }
};

// How the tenants stand now; replaces what was said before.
struct StandingsObserved {
  StandingsPtr standings;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.standings);
  }
};

// The job could start, but spread over more domains than it must: it waits for a better place.
// When `waits` is false it does not any more, because it could not start at all.
struct PlacementDeferred {
  JobId job;
  bool waits = false;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.waits);
  }
};

// Its promises are over; what they kept is free, or granted by the events that follow.
struct ReceiptEnded {
  ReceiptId receipt;
  ReceiptOutcome outcome = ReceiptOutcome::kWithdrawn;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.receipt, self.outcome);
  }
};
// The task is off its cards; its memory is on the host.
struct LeaseSuspended {
  LeaseId lease;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease);
  }
};
// It goes on, on the cards of the placement, which are its node's.
struct LeaseResumed {
  LeaseId lease;
  TaskPlacement placement;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.placement);
  }
};

// A lease that is being taken back is still there when it should be gone.
struct LeaseOverdue {
  LeaseId lease;
  Lateness lateness = Lateness::kOverdue;
  TimeMs deadline = kNever;  // when it counts as stuck

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.lateness, self.deadline);
  }
};

using EventBody =
    std::variant<ModelDeclared, TopologyDeclared, PartitionDeclared, QueueDeclared, PolicySet,
                 FitObserved, NodeJoined, NodeConditionChanged, CardHealthChanged, JobSubmitted,
                 JobHeld, JobUserHold, JobResized, JobBackedOff, LeaseGranted, LeasePromised,
                 LeasePrepared, JobStarted, LeaseRevoking, LeaseReleased, JobRequeued, JobEnded,
                 TimePassed, RequestSeen, PricesObserved, LeaseMoved, TermBegan, ReceiptIssued,
                 JobReserved, ReservationEnded, RegeometryAdvanced, CheckpointObserved,
                 ActivityObserved, RunTimesObserved, InterruptionNoticed, LeaseStarted,
                 JobRepairing, JobRepaired, DomainTaken, StandingsObserved, PlacementDeferred,
                 ReceiptEnded, LeaseSuspended, LeaseResumed, LeaseOverdue, TokenIssued,
                 TokenRevoked, ActorNoted, TrialEnded, NodeConditionWanted>;

struct Event {
  TimeMs at = 0;
  EventBody body;
};
// The events of one decision; they are committed together or not at all.
using EventBatch = boost::container::small_vector<Event, 4>;

// "lease-granted", the stable name for logs and transcripts.
std::string_view event_name(const EventBody& body);

void write_event(ByteWriter& out, const Event& event);
// Refuses unknown kinds, enum values out of range and counts beyond the input.
Result<Event> read_event(ByteReader& in);

}  // namespace berth
