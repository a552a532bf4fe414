// Units: what can be taken back at once, with what that costs: a task that is a job by itself, a
// surplus task of an elastic job, or a whole job, because to take one member is to stop them all.
// One comparator orders them, cheapest first.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/reclaim/loss.h"
#include "engine/reclaim/reclaim_rights.h"
#include "engine/state/trial.h"

namespace berth::engine {

struct Unit {
  JobId job;
  boost::container::small_vector<LeaseId, 1> leases;
  std::uint16_t role = 0;
  bool shrinks = false;  // the job goes on without it
  Loss loss;             // of each of its cards
  MicroMoney price = 0;
  TimeMs lead = 0;  // before all else, where the policy goes by age: the youngest first
  // Before price in the order.
  LeaseOwnership ownership = LeaseOwnership::kOwned;
  bool oversized = false;  // larger than all that is asked: only where nothing smaller will do
  JobClass job_class = JobClass::kTraining;
  std::int32_t priority = 0;
  std::uint32_t evictions = 0;  // of the job, within the window
  std::int64_t turn = 0;        // what the policy's order goes by: whose turn comes last goes first
  CardUnits cards = 0;
  // Of cards; and of CPUs, where they count.
  boost::container::small_vector<std::pair<FlavourIndex, Charge>, 1> charges;

  // What comes first goes first: lent before borrowed before owned, lowest class and priority,
  // least price, least work really lost, least often interrupted, smallest, youngest.
  auto order() const {
    return std::tuple(lead, -static_cast<int>(ownership), oversized, -static_cast<int>(job_class),
                      priority, price, loss.real_ms, evictions, cards, -turn, -job_key(),
                      lease_key());
  }
  // The order without what only a unit of its own has: sums of units are compared by it.
  auto tier() const {
    return std::tuple(lead, -static_cast<int>(ownership), oversized, -static_cast<int>(job_class),
                      priority);
  }
  std::int64_t job_key() const { return static_cast<std::int64_t>(job.value()); }
  std::uint64_t lease_key() const { return leases.front().value(); }
};

// What several units cost together: the worst tier among them, then the sums.
struct UnitCost {
  decltype(std::declval<Unit>().tier()) tier{INT64_MIN, INT32_MIN, false, INT32_MIN, INT32_MIN};
  MicroMoney price = 0;
  DurationMs real_ms = 0;
  std::uint32_t evictions = 0;
  CardUnits cards = 0;

  // `part`: what of the unit's price counts.
  void add(const Unit& unit, MicroMoney part) {
    tier = std::max(tier, unit.tier());
    price = saturating_add(price, part);
    real_ms = saturating_add(real_ms, unit.loss.real_ms);
    evictions += unit.evictions;
    cards += unit.cards;
  }
  auto key() const { return std::tuple(tier, price, real_ms, evictions, cards); }
};

// A lease that is being taken back and still holds its cards.
struct Leaving {
  ReclaimGrade grade = ReclaimGrade::kKill;
  TimeMs until = 0;  // it is gone by then, or killed, or stuck
  // Where its task goes on, as the plan promises; without node: as the state says, if anywhere.
  TaskPlacement target = {};
};
using LeavingLeases = std::map<LeaseId, Leaving>;
// What a plan takes at `now`.
Leaving leaving_by(const Victim& victim, TimeMs now);

// All that the rights allow to be asked of running jobs, leases in `leaving` apart; in no order.
// `most`: the cards that are asked for in all.
std::vector<Unit> units_of(const ClusterState& state, ReclaimRights& rights,
                           const LeavingLeases& leaving, CardUnits most, TimeMs now);

// Whether what jobs allow to be down at once is heeded, or only asked about.
enum class Budgets : std::uint8_t { kHeed, kIgnore };

// Tasks of a running job that do not run: lost, not started yet, or being taken back.
std::uint32_t tasks_down(const ClusterState& state, const JobRecord& job);

// Tasks of the role of a running job beyond the least that it needs.
std::uint32_t surplus_of(const ClusterState& state, const JobRecord& job, std::uint16_t role);

// Whether the victim of this receipt still holds its cards.
bool is_leaving(const ClusterState& state, const Victim& victim, ReceiptId receipt);
// Leases that reclaims take back and that still hold their cards, whatever became of the receipts;
// those that are stuck apart: nobody knows when they go.
LeavingLeases leaving_leases(const ClusterState& state);

// Price of the unit by its loss, whose flavours and cards are known.
MicroMoney price_of(const ClusterState& state, const Unit& unit);

// In a trial: the unit's leases end, by its grade; and the opposite, false where they do not fit
// any more.
void take_unit(Trial& trial, const Unit& unit);
bool give_unit_back(Trial& trial, const Unit& unit);

}  // namespace berth::engine
