// Plan: what a scheduling cycle proposes against one revision of the state. It changes nothing;
// the controller checks each decision again when it commits. Bookkeeping that the planner must
// remember (holds with their reasons, back-off) is a decision like any other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/lease.h"
#include "model/rejection.h"
#include "model/words.h"

namespace berth {

struct Place {
  JobId job;
  std::vector<TaskPlacement> tasks;
  LeaseOwnership ownership = LeaseOwnership::kOwned;
  ReceiptId receipt;
  DomainIndex domain;      // the lowest whose countable resources it takes; none: it asks for none
  bool with_next = false;  // committed together with the next place or not at all
  bool backfills = false;  // may use room that is kept for a reservation: it ends before
};

// What leases hold, in amounts that people compare.
struct HeldAmount {
  CardUnits cards = 0;
  CpuMilli cpu_milli = 0;
  Mib memory_mib = 0;  // of the host

  HeldAmount& operator+=(const HeldAmount& more) {
    cards += more.cards;
    cpu_milli += more.cpu_milli;
    memory_mib += more.memory_mib;
    return *this;
  }
};

// A lease that is taken back. It names what the reader of a receipt wants to know once the lease is
// gone.
struct Victim {
  LeaseId lease;
  ReclaimGrade grade = ReclaimGrade::kKill;
  DurationMs lost_ms = 0;     // of each of its cards, as far as is counted
  DurationMs latency_ms = 0;  // until its cards are free, at the latest
  MicroMoney price = 0;
  CardUnits cards = 0;
  CpuMilli cpu_milli = 0;
  Mib memory_mib = 0;  // of the host
  JobId job;
  std::string name;  // of the job
  NodeIndex node;
  LeaseOwnership ownership = LeaseOwnership::kOwned;
  TaskPlacement target;  // where it goes on, by grade move; else without node
  bool goes_on() const { return !target.node.is_none(); }
  HeldAmount held() const { return {cards, cpu_milli, memory_mib}; }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.grade, self.lost_ms, self.latency_ms, self.price, self.cards,
          self.cpu_milli, self.memory_mib, self.job, self.name, self.node, self.ownership,
          self.target);
  }
};

// Takes leases back for a job whose placement in the freed room has been proven. A job that is
// moved for it has a receipt of its own, which takes nothing and is part of this one: it names
// where the job goes on.
struct Reclaim {
  ReceiptId receipt;
  ReceiptId part_of;  // none: it stands for itself
  JobId beneficiary;
  std::string name;  // of the beneficiary
  ReclaimRight right = ReclaimRight::kGuarantee;
  LeaseOwnership ownership = LeaseOwnership::kOwned;  // of what it will hold
  std::vector<Victim> victims;
  std::vector<TaskPlacement> placement;
  MicroMoney gain = 0;  // what waiting on would cost; 0: not asked, as the owner need not gain
  MicroMoney price = 0;
  std::optional<MicroMoney> runner_up_price;  // of the next best place; none: there was no other
  TimeMs made_at = 0;
  TimeMs expires_at = kNever;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.receipt, self.part_of, self.beneficiary, self.name, self.right, self.ownership,
          self.victims, self.placement, self.gain, self.price, self.runner_up_price, self.made_at,
          self.expires_at);
  }
};

// All that its victims hold, those included that only move.
inline HeldAmount held_by_victims(const Reclaim& reclaim) {
  HeldAmount held;
  for (const Victim& victim : reclaim.victims) held += victim.held();
  return held;
}
inline CardUnits cards_of_victims(const Reclaim& reclaim) { return held_by_victims(reclaim).cards; }

// Nothing waits for the room of a receipt any more.
struct EndReceipt {
  ReceiptId receipt;
  ReceiptOutcome outcome = ReceiptOutcome::kWithdrawn;
};

// A suspended task goes on, on cards of its node.
struct Resume {
  LeaseId lease;
  TaskPlacement placement;
};

// Room that is kept for a job until it starts there. Without nodes: nothing is kept any more.
struct Reserve {
  JobId job;
  std::vector<NodeIndex> nodes;
  TimeMs starts_at = kNever;
  TimeMs expires_at = kNever;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job, self.nodes, self.starts_at, self.expires_at);
  }
};

struct Move {
  LeaseId lease;
  TaskPlacement target;
  MicroMoney gain = 0;
  MicroMoney price = 0;
};

// Another layout for a card whose MIG layout is static. Placements are numbers of the model's MIG
// geometry, rising. What is in both layouts is not touched.
struct Regeometry {
  NodeIndex node;
  std::uint16_t card = 0;
  std::vector<std::uint8_t> placements;   // wanted layout
  std::vector<std::uint8_t> before = {};  // the layout that it takes the place of

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.node, self.card, self.placements, self.before);
  }
};

struct Hold {
  JobId job;
  RejectionsPtr reasons;
};

// Waits for a place in fewer domains, or (waits false) does not any more.
struct Defer {
  JobId job;
  bool waits = false;
};

struct Backoff {
  JobId job;
  TimeMs until = 0;
};

using Decision = std::variant<Place, Reclaim, Reserve, Move, Regeometry, Hold, Defer, Backoff,
                              EndReceipt, Resume>;

struct Plan {
  std::uint64_t base_revision = 0;
  std::vector<Decision> decisions;
};

}  // namespace berth
