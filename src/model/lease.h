// Lease: the right of one task to devices of one node. The journal's unit of truth about who holds
// what: devices are free only when the lease's release is committed.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/units.h"
#include "model/words.h"

namespace berth {

// What a lease takes of one card. `placement` numbers a (profile, start) of the model's MIG
// geometry and is kNoPlacement for every other mode.
struct CardGrant {
  static constexpr std::uint8_t kNoPlacement = 0xFF;

  std::uint16_t card = 0;  // index in the node
  CardMode mode = CardMode::kWhole;
  std::uint8_t placement = kNoPlacement;
  CardUnits compute = 0;
  MemoryEighths memory = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.card, self.mode, self.placement, self.compute, self.memory);
  }
  friend bool operator==(const CardGrant&, const CardGrant&) = default;
};
using CardGrants = boost::container::small_vector<CardGrant, 2>;

// Where one task goes: the node and the exact cards.
struct TaskPlacement {
  std::uint16_t role = 0;  // index in the spec
  std::uint32_t task = 0;  // index in the role
  NodeIndex node;
  CardGrants grants;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.role, self.task, self.node, self.grants);
  }
  friend bool operator==(const TaskPlacement&, const TaskPlacement&) = default;
};

// Ways in which a lease can be taken back, one bit per ReclaimGrade.
struct LeaseCapabilities {
  std::uint8_t grades = 0;

  bool has(ReclaimGrade grade) const {
    return ((grades >> static_cast<unsigned>(grade)) & 1U) != 0;
  }
  void add(ReclaimGrade grade) {
    grades = static_cast<std::uint8_t>(grades | (1U << static_cast<unsigned>(grade)));
  }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.grades);
  }
  friend bool operator==(const LeaseCapabilities&, const LeaseCapabilities&) = default;
};

struct Lease {
  LeaseId id;
  std::uint64_t epoch = 1;  // raised by each new grant to the same task; an executor refuses older
  std::uint64_t term = 0;   // leader's term that granted it; an executor refuses older
  JobId job;
  TaskPlacement placement;
  LeaseState state = LeaseState::kGranted;
  LeaseOwnership ownership = LeaseOwnership::kOwned;
  LeaseCapabilities capabilities;
  TimeMs granted_at = 0;
  TimeMs started_at = kNever;
  TimeMs deadline = kNever;  // of a promise or a revocation
  ReceiptId receipt;         // of the reclaim that made room for it, or that takes it back
  ReclaimGrade grade = ReclaimGrade::kIdle;  // of a revocation
  // Suspended, or about to be: host memory that the image of its device memory takes.
  Mib image_mib = 0;
  bool off_cards = false;  // suspended: it holds no card, no CPU, and is charged nothing
  Lateness lateness = Lateness::kInTime;  // of a revocation

  bool holds_cards() const { return state != LeaseState::kPromised && !off_cards; }
  // Whether its queue holds it: not while it is off its cards, and not past its grace.
  bool is_charged() const { return !off_cards && lateness == Lateness::kInTime; }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.id, self.epoch, self.term, self.job, self.placement, self.state, self.ownership,
          self.capabilities, self.granted_at, self.started_at, self.deadline, self.receipt,
          self.grade, self.image_mib, self.off_cards, self.lateness);
  }
  friend bool operator==(const Lease&, const Lease&) = default;
};

}  // namespace berth
