// ReclaimRights: what one job may take back from whom, by one right, as things stand. Each queue
// has two lines in a flavour: how far up the job may bring the queues that it is charged to, and
// how far down it may bring those of others. It is asked again after each lease that is taken in
// the trial.
//
// No two jobs can evict each other by turns: by guarantee and share the taker stays at or below its
// line and the giver at or above, so that what each has of what it is entitled to only grows; rank
// replaces only lower by higher, and share never higher by lower; service waits for time to pass.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/quota/flavour_shares.h"
#include "engine/quota/job_quota.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// In a list of charges by flavour.
template <typename Charges>
void add_charge(Charges& charges, FlavourIndex flavour, const Charge& more) {
  const auto known = std::find_if(charges.begin(), charges.end(),
                                  [&](const auto& one) { return one.first == flavour; });
  if (known == charges.end()) {
    charges.emplace_back(flavour, more);
  } else {
    known->second += more;
  }
}

// Levels of attained service at one instant, worked out once each.
class ServiceLevels {
 public:
  ServiceLevels(const ClusterState& state, TimeMs now) : state_(state), now_(now) {}
  std::int64_t of(JobId job);

 private:
  const ClusterState& state_;
  TimeMs now_;
  LookupMap<JobId, std::int64_t> known_;
};

// How far down a reclaim by right of share may bring a queue: to its share; or below, where what
// all queues lack of their shares falls by that.
enum class Floor : std::uint8_t { kShare, kNearer };

// Until when the running job is exempt from all but its owner's claims: for its minimum run time,
// and while it has been interrupted as often as a job may be within the window.
TimeMs exempt_until(const ClusterState& state, const JobRecord& victim);

// From when on the job, which waits, may have others interrupted again. Once interrupted within the
// window it may at once; each further time it holds back twice as long, from kLeastGraceMs on, so
// that jobs whose claims go round in a circle stop each other ever more seldom. Of owners and by
// turns of service nobody asks it: an owner's claim stands, and time ends a turn.
TimeMs holds_back_until(const JobRecord& job, ReclaimRight right, TimeMs now);

class ReclaimRights {
 public:
  // What the job would hold of each flavour that it may get. What it takes back it takes for its
  // cards; CPUs only count where somebody is guaranteed some.
  struct Claims {
    std::vector<std::pair<FlavourIndex, Charge>> cards;
    std::vector<std::pair<FlavourIndex, Charge>> cpus;
  };

  ReclaimRights(const ClusterState& state, FlavourShares& shares, ServiceLevels& levels,
                const JobRecord& job, ReclaimRight right, Floor floor, Claims claims, TimeMs now);

  ReclaimRight right() const { return right_; }
  ServiceLevels& levels() { return levels_; }
  // Whether the job itself has the right in some flavour, before anybody is looked at.
  bool holds();
  bool concerns(FlavourIndex flavour) const { return claim_of(flavour) != nullptr; }
  // Whether jobs without cards that run beside cards for the job may be asked at all.
  bool may_ask_without_cards(QueueIndex queue);
  // Whether anything may be taken from the queue of the flavour now; what depends on the job that
  // gives is not looked at.
  bool may_ask(QueueIndex queue, FlavourIndex flavour);
  // Whether the job may be asked to give, whatever its queue holds.
  bool may_ask(const JobRecord& victim);
  // Whether the victim's queues still hold enough when so much of the flavour, of cards or CPUs, is
  // gone.
  bool may_take(QueueIndex queue, FlavourIndex flavour, const Charge& charge);

 private:
  const Charge* claim_of(FlavourIndex flavour) const;  // of cards; null: none
  Charge gets_of(FlavourIndex flavour) const;          // of cards or CPUs
  bool is_entitled(FlavourIndex flavour, const Charge& claim);
  bool stays_below(QueueIndex queue, FlavourIndex flavour, const Charge& claim);
  bool stays_below_up_to(QueueIndex common, FlavourIndex flavour, const Charge& claim);
  bool stays_above(QueueIndex queue, FlavourIndex flavour, const Charge& gone);
  bool own_stays_above(QueueIndex queue, FlavourIndex flavour, const Charge& gone);
  bool stays_whole(QueueIndex queue, FlavourIndex flavour, const Charge& gone);
  CardUnits least_of(QueueIndex queue, FlavourIndex flavour);
  bool brings_nearer(QueueIndex queue, FlavourIndex flavour, CardUnits left);
  CardUnits missing_below(QueueIndex parent, FlavourIndex flavour) const;
  QueueIndex fork(QueueIndex victim) const;

  const ClusterState& state_;
  FlavourShares& shares_;
  ServiceLevels& levels_;
  const JobRecord& job_;
  const SpecRecord& spec_;
  ReclaimRight right_;
  Floor floor_;
  Claims claims_;
  TimeMs now_;
  std::map<std::pair<QueueIndex, FlavourIndex>, CardUnits> held_before_;  // by the job's queues
  // By right of share: what the children of each of its queues, or the roots, lack of their shares.
  std::map<std::pair<QueueIndex, FlavourIndex>, CardUnits> missing_before_;
  std::optional<std::int64_t> level_;  // of the job's service, by right of service
};

}  // namespace berth::engine
