// Plan: what a scheduling cycle proposes against one revision of the state. It changes nothing;
// the controller checks each decision again when it commits. Bookkeeping that the planner must
// remember (holds with their reasons, back-off) is a decision like any other.
#pragma once

#include <cstdint>
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

struct Victim {
  LeaseId lease;
  ReclaimGrade grade = ReclaimGrade::kKill;
  DurationMs lost_ms = 0;
  MicroMoney price = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.grade, self.lost_ms, self.price);
  }
};

// Takes leases back for a job whose placement in the freed room has been proven.
struct Reclaim {
  ReceiptId receipt;
  JobId beneficiary;
  std::vector<Victim> victims;
  std::vector<TaskPlacement> placement;
  MicroMoney gain = 0;
  MicroMoney price = 0;
  MicroMoney runner_up_price = 0;
  TimeMs expires_at = kNever;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.receipt, self.beneficiary, self.victims, self.placement, self.gain, self.price,
          self.runner_up_price, self.expires_at);
  }
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

struct Regeometry {
  NodeIndex node;
  std::uint16_t card = 0;
  std::vector<std::uint8_t> placements;  // wanted layout

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.node, self.card, self.placements);
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

using Decision = std::variant<Place, Reclaim, Reserve, Move, Regeometry, Hold, Defer, Backoff>;

struct Plan {
  std::uint64_t base_revision = 0;
  std::vector<Decision> decisions;
};

}  // namespace berth
