#include "engine/reclaim/reclaim_rights.h"

#include <algorithm>

#include "engine/quota/queue_order.h"
#include "engine/reclaim/loss.h"

namespace berth::engine {
namespace {

Charge negative(const Charge& charge) { return {-charge.compute, -charge.memory}; }

const Charge* claim_in(const std::vector<std::pair<FlavourIndex, Charge>>& claims,
                       FlavourIndex flavour) {
  const auto found = std::find_if(claims.begin(), claims.end(),
                                  [&](const auto& claim) { return claim.first == flavour; });
  return found == claims.end() ? nullptr : &found->second;
}

}  // namespace

std::int64_t ServiceLevels::of(JobId job) {
  if (const std::int64_t* known = known_.find(job)) return *known;
  const std::int64_t level = attained_level(state_, job, now_);
  known_.insert(job, level);
  return level;
}

TimeMs exempt_until(const ClusterState& state, const JobRecord& victim) {
  const PolicySpec& policy = state.policy();
  const DurationMs least = std::max(policy.min_run_ms, state.spec_of(victim).spec->min_run_ms);
  const TimeMs ran = saturating_add(victim.started_at, least);
  const std::size_t most = policy.evictions_per_job;
  if (most == 0 || victim.evictions.size() < most) return ran;
  const TimeMs oldest = victim.evictions[victim.evictions.size() - most];
  return std::max(ran, saturating_add(oldest, kEvictionWindowMs));
}

TimeMs holds_back_until(const JobRecord& job, ReclaimRight right, TimeMs now) {
  if (right == ReclaimRight::kGuarantee || right == ReclaimRight::kService) return 0;
  const std::uint32_t times = count_since(job.evictions, now - kEvictionWindowMs);
  if (times < 2) return 0;
  const std::uint32_t doublings = std::min<std::uint32_t>(times - 2, 16);
  return saturating_add(job.evictions.back(), kLeastGraceMs << doublings);
}

ReclaimRights::ReclaimRights(const ClusterState& state, FlavourShares& shares,
                             ServiceLevels& levels, const JobRecord& job, ReclaimRight right,
                             Floor floor, Claims claims, TimeMs now)
    : state_(state),
      shares_(shares),
      levels_(levels),
      job_(job),
      spec_(state.spec_of(job)),
      right_(right),
      floor_(floor),
      claims_(std::move(claims)),
      now_(now) {
  const QuotaTree& tree = state.quota();
  for (QueueIndex q = spec_.home.queue; !q.is_none(); q = tree.queue(q).parent) {
    for (const auto* list : {&claims_.cards, &claims_.cpus}) {
      for (const auto& [flavour, claim] : *list) {
        held_before_[{q, flavour}] = tree.used(q, tree.entry(q, flavour), flavour, {});
      }
    }
  }
  if (right == ReclaimRight::kService) level_ = levels_.of(job.id);
  if (right != ReclaimRight::kShare || floor == Floor::kShare) return;
  for (const auto& [flavour, claim] : claims_.cards) {
    for (QueueIndex q = spec_.home.queue; !q.is_none(); q = tree.queue(q).parent) {
      const QueueIndex parent = tree.queue(q).parent;
      missing_before_[{parent, flavour}] = missing_below(parent, flavour);
    }
  }
}

const Charge* ReclaimRights::claim_of(FlavourIndex flavour) const {
  return claim_in(claims_.cards, flavour);
}

Charge ReclaimRights::gets_of(FlavourIndex flavour) const {
  const Charge* claim = claim_of(flavour);
  if (claim == nullptr) claim = claim_in(claims_.cpus, flavour);
  return claim == nullptr ? Charge{} : *claim;
}

// By guarantee and share the job's own queue must be owed; who is asked decides about those above.
bool ReclaimRights::holds() {
  return std::any_of(claims_.cards.begin(), claims_.cards.end(),
                     [&](const auto& claim) { return is_entitled(claim.first, claim.second); });
}

bool ReclaimRights::is_entitled(FlavourIndex flavour, const Charge& claim) {
  switch (right_) {
    case ReclaimRight::kGuarantee:
      return within_guarantee(state_.quota(), spec_.home.queue, flavour, claim);
    case ReclaimRight::kShare:
      return stays_below(spec_.home.queue, flavour, claim);
    case ReclaimRight::kRank:
    case ReclaimRight::kService:
    case ReclaimRight::kConsolidation:
      return true;
  }
  return false;
}

// The line up to which the queue may be brought, by a right that has one.
bool ReclaimRights::stays_below(QueueIndex queue, FlavourIndex flavour, const Charge& claim) {
  const QuotaTree& tree = state_.quota();
  const QuotaEntry* entry = tree.entry(queue, flavour);
  const CardUnits after = tree.used(queue, entry, flavour, claim);
  if (right_ == ReclaimRight::kGuarantee) return entry != nullptr && after <= entry->guarantee;
  const CardUnits share = shares_.of(flavour, queue).share;
  const CardUnits held = tree.used(queue, entry, flavour, {});
  const auto band = static_cast<CardUnits>(static_cast<__int128>(share) *
                                           state_.policy().dead_band_ppm / kPpmOne);
  return after <= share && held < share - band;
}

// Below it nothing is taken: what the queue is guaranteed, or its share of cards where that is the
// right.
CardUnits ReclaimRights::least_of(QueueIndex queue, FlavourIndex flavour) {
  const QuotaTree& tree = state_.quota();
  const QuotaEntry* entry = tree.entry(queue, flavour);
  const CardUnits guarantee = entry == nullptr ? 0 : entry->guarantee;
  if (right_ != ReclaimRight::kShare || tree.flavour(flavour).is_cpu()) return guarantee;
  const FlavourShares::Line& line = shares_.of(flavour, queue);
  return std::max(line.share, std::min(guarantee, line.demand));
}

bool ReclaimRights::stays_above(QueueIndex queue, FlavourIndex flavour, const Charge& gone) {
  const QuotaTree& tree = state_.quota();
  const QuotaEntry* entry = tree.entry(queue, flavour);
  const CardUnits left = tree.used(queue, entry, flavour, negative(gone));
  if (left >= least_of(queue, flavour)) return true;
  return floor_ == Floor::kNearer && brings_nearer(queue, flavour, left);
}

// A unit that cannot be split may bring its queue below its share, though not below its guarantee,
// where the queues beside the job's lack less by that than the job's own queue gets of its share:
// so that what all of them lack falls with each reclaim.
bool ReclaimRights::brings_nearer(QueueIndex queue, FlavourIndex flavour, CardUnits left) {
  const QuotaTree& tree = state_.quota();
  const QueueIndex parent = tree.queue(queue).parent;
  const auto before = missing_before_.find({parent, flavour});
  if (before == missing_before_.end()) return false;
  const FlavourShares::Line& line = shares_.of(flavour, queue);
  const QuotaEntry* entry = tree.entry(queue, flavour);
  if (entry != nullptr && left < std::min(entry->guarantee, line.demand)) return false;
  const CardUnits held = tree.used(queue, entry, flavour, {});
  const CardUnits more =
      std::max<CardUnits>(0, line.share - left) - std::max<CardUnits>(0, line.share - held);
  const QueueIndex home = spec_.home.queue;
  const QuotaEntry* own = tree.entry(home, flavour);
  const CardUnits gets =
      tree.used(home, own, flavour, *claim_of(flavour)) - tree.used(home, own, flavour, {});
  return missing_below(parent, flavour) + more - before->second < gets;
}

CardUnits ReclaimRights::missing_below(QueueIndex parent, FlavourIndex flavour) const {
  const QuotaTree& tree = state_.quota();
  const auto children =
      parent.is_none() ? tree.roots() : std::span<const QueueIndex>(tree.queue(parent).children);
  CardUnits missing = 0;
  for (const QueueIndex child : children) {
    const CardUnits held = tree.used(child, tree.entry(child, flavour), flavour, {});
    missing =
        saturating_add(missing, std::max<CardUnits>(0, shares_.of(flavour, child).share - held));
  }
  return missing;
}

// The queue's own jobs have what no queue below it is guaranteed.
bool ReclaimRights::own_stays_above(QueueIndex queue, FlavourIndex flavour, const Charge& gone) {
  const QuotaTree& tree = state_.quota();
  const QuotaEntry* entry = tree.entry(queue, flavour);
  if (entry == nullptr) return true;
  return tree.used_by_own(queue, entry, flavour, negative(gone)) >=
         std::max<CardUnits>(0, tree.own_guarantee(queue, *entry));
}

// A queue that both belong to: what it loses with the victim it gets back with the job, or can do
// without.
bool ReclaimRights::stays_whole(QueueIndex queue, FlavourIndex flavour, const Charge& gone) {
  const QuotaTree& tree = state_.quota();
  const QuotaEntry* entry = tree.entry(queue, flavour);
  Charge more = gets_of(flavour);
  more -= gone;
  const CardUnits guarantee = entry == nullptr ? 0 : entry->guarantee;
  const auto before = held_before_.find({queue, flavour});
  const CardUnits had = before == held_before_.end() ? 0 : before->second;
  return tree.used(queue, entry, flavour, more) >= std::min(guarantee, had);
}

// The highest queue of the victim's that is not one of the job's, too; none: there is no such.
QueueIndex ReclaimRights::fork(QueueIndex victim) const {
  const auto has = [&](QueueIndex queue) {
    for (QueueIndex q = spec_.home.queue; !q.is_none(); q = state_.quota().queue(q).parent) {
      if (q == queue) return true;
    }
    return false;
  };
  QueueIndex highest = QueueIndex::none();
  for (QueueIndex q = victim; !q.is_none() && !has(q); q = state_.quota().queue(q).parent) {
    highest = q;
  }
  return highest;
}

bool ReclaimRights::may_ask(QueueIndex queue, FlavourIndex flavour) {
  if (!concerns(flavour)) return false;
  if (right_ == ReclaimRight::kConsolidation) return true;
  if (queue == spec_.home.queue) return right_ == ReclaimRight::kRank;
  return may_take(queue, flavour, {1, 0});
}

// Inference is never taken for another job's rank, share or turn; by its guarantee an owner takes
// back whatever stands above that of others.
bool ReclaimRights::may_ask(const JobRecord& victim) {
  const SpecRecord& other = state_.spec_of(victim);
  const JobSpec& theirs = *other.spec;
  if (theirs.is_protected) return false;
  if (right_ == ReclaimRight::kGuarantee) return true;
  if (theirs.job_class == JobClass::kInference) return false;
  if (now_ < exempt_until(state_, victim)) return false;
  const JobSpec& ours = *spec_.spec;
  switch (right_) {
    case ReclaimRight::kGuarantee:
      return true;
    case ReclaimRight::kShare:
      return theirs.job_class >= ours.job_class;
    case ReclaimRight::kRank:
      if (theirs.job_class != ours.job_class) return theirs.job_class > ours.job_class;
      return other.home.queue == spec_.home.queue && theirs.priority < ours.priority;
    case ReclaimRight::kService:
      return theirs.job_class == ours.job_class && levels_.of(victim.id) > *level_;
    case ReclaimRight::kConsolidation:
      return true;  // it only goes elsewhere
  }
  return false;
}

// The victim's queues stay above their lines, and the job's own below, from where they part.
bool ReclaimRights::may_take(QueueIndex queue, FlavourIndex flavour, const Charge& charge) {
  if (right_ == ReclaimRight::kConsolidation) return true;  // nobody will hold less
  const QuotaTree& tree = state_.quota();
  const QueueIndex top = fork(queue);  // none: the job's queue is the victim's, or lies in it
  if (top.is_none() && right_ != ReclaimRight::kRank) return false;
  if (queue != spec_.home.queue && !own_stays_above(queue, flavour, charge)) return false;
  QueueIndex q = queue;
  for (; !top.is_none(); q = tree.queue(q).parent) {
    if (!stays_above(q, flavour, charge)) return false;
    if (q == top) break;
  }
  if (queue == spec_.home.queue) return true;  // what it gives to itself is its own affair
  for (q = top.is_none() ? queue : tree.queue(top).parent; !q.is_none(); q = tree.queue(q).parent) {
    if (!stays_whole(q, flavour, charge)) return false;
  }
  if (top.is_none()) return true;
  if (right_ == ReclaimRight::kRank || right_ == ReclaimRight::kService) return true;
  const Charge* claim = claim_of(flavour);
  if (claim == nullptr) return true;  // goes with what is wanted: the job gets no cards of it
  return stays_below_up_to(tree.queue(top).parent, flavour, *claim);
}

bool ReclaimRights::stays_below_up_to(QueueIndex common, FlavourIndex flavour,
                                      const Charge& claim) {
  if (!is_entitled(flavour, claim)) return false;
  for (QueueIndex q = spec_.home.queue; q != common; q = state_.quota().queue(q).parent) {
    if (q.is_none() || !stays_below(q, flavour, claim)) return false;
  }
  return true;
}

// Nobody is entitled to what stands in the way of the job's cards and holds none: the rights ask
// who gives and who gets, and by guarantee and share the job's queues must be owed its cards.
bool ReclaimRights::may_ask_without_cards(QueueIndex queue) {
  if (right_ == ReclaimRight::kConsolidation || right_ == ReclaimRight::kRank) return true;
  const QueueIndex top = fork(queue);
  if (top.is_none()) return false;
  if (right_ == ReclaimRight::kService) return true;
  const QueueIndex common = state_.quota().queue(top).parent;
  return std::any_of(claims_.cards.begin(), claims_.cards.end(), [&](const auto& claim) {
    return stays_below_up_to(common, claim.first, claim.second);
  });
}

}  // namespace berth::engine
