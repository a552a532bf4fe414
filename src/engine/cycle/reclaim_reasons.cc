// What is told to a job that waits of what could be taken back for it, and why nothing is. Asked
// for when somebody wants to know, since it costs a search for each right.
#include <algorithm>
#include <utility>

#include "engine/cycle/commit.h"
#include "engine/cycle/cycle.h"
#include "engine/reclaim/reclaim_search.h"

namespace berth::engine {
namespace {

// What is still lacking once all is gone that may go, in words of victims; none: no count says it.
std::optional<Rejection> best_after(const Rejection& lacking) {
  const bool counts = lacking.rule == Rule::kCards || lacking.rule == Rule::kGang ||
                      lacking.rule == Rule::kTopology;
  if (!counts) return std::nullopt;
  Rejection best{Rule::kNoVictim, {}, {}};
  if (lacking.rule == Rule::kGang) best.numbers.push_back({"together", 1});
  if (lacking.rule == Rule::kTopology) best.place = lacking.place;
  best.numbers.push_back({"asked", lacking.number("asked")});
  best.numbers.push_back({"free", lacking.number("free")});
  return best;
}

}  // namespace

void Cycle::add_reclaim(const JobRecord& job, Rejections& reasons) {
  add_stuck(job, reasons);
  if (state_.policy().reclaim.empty() || state_.spec_of(job).cards == 0) return;
  if (auto limit = why_not_reclaimed(job)) return reasons.push_back(std::move(*limit));
  if (auto full = fair_share_of(job)) return reasons.push_back(std::move(*full));
  if (auto kept = kept_by_owner(job)) return reasons.push_back(std::move(*kept));
  if (auto budget = budget_of_victims(job)) return reasons.push_back(std::move(*budget));
  add_best_after(job, reasons);
}

// Cards that the job could use and that tasks hold which have survived their end.
void Cycle::add_stuck(const JobRecord& job, Rejections& reasons) const {
  for (const LeaseId id : state_.leases().sorted_ids()) {
    const Lease& lease = *state_.find_lease(id);
    if (lease.lateness != Lateness::kStuck || !is_of_use(job, lease.placement.node)) continue;
    CardUnits cards = 0;
    for (const CardGrant& grant : lease.placement.grants) cards += grant.compute;
    reasons.push_back({Rule::kStuck,
                       "job " + state_.find_job(lease.job)->name + " on " +
                           state_.node(lease.placement.node).spec->name,
                       {{"cards_milli", cards * 1000 / kCard}}});
  }
}

// Whether some task of the job may run on cards of the node's flavour.
bool Cycle::is_of_use(const JobRecord& job, NodeIndex node) const {
  const FlavourIndex flavour = state_.node_kind(state_.node(node).kind).flavour;
  const std::vector<RoleFlavours>& roles = engine_.flavours_.of(state_, state_.spec_of(job).ask);
  return std::any_of(roles.begin(), roles.end(), [&](const RoleFlavours& role) {
    return std::any_of(role.cards.begin(), role.cards.end(),
                       [&](const FlavourOption& option) { return option.flavour == flavour; });
  });
}

// By right of share: its queue would hold more than its share with the job.
std::optional<Rejection> Cycle::fair_share_of(const JobRecord& job) {
  if (!takes_by_share()) return std::nullopt;
  const QuotaTree& tree = state_.quota();
  const SpecRecord& spec = state_.spec_of(job);
  const TaskCounts least = least_tasks(state_.ask_of(job));
  const std::vector<RoleFlavours>& roles = engine_.flavours_.of(state_, spec.ask);
  const auto count = [&](std::size_t r) { return least[r]; };
  std::optional<Rejection> full;
  for (const RoleFlavours& role : roles) {
    for (const FlavourOption& option : role.cards) {
      const QuotaEntry* entry = tree.entry(spec.home.queue, option.flavour);
      const Charge claim = charge_of(roles, option.flavour, count);
      const CardUnits share = shares_.of(option.flavour, spec.home.queue).share;
      if (tree.used(spec.home.queue, entry, option.flavour, claim) <= share) return std::nullopt;
      const CardUnits held = tree.used(spec.home.queue, entry, option.flavour, {});
      full = Rejection{Rule::kFairShare,
                       "queue " + tree.queue(spec.home.queue).spec->name + ", " +
                           state_.flavour_name(tree.flavour(option.flavour)),
                       {{"share_milli", share / kCardMilli}, {"held_milli", held / kCardMilli}}};
    }
  }
  return full;
}

// The least that the queue's own jobs could give of the flavour: a surplus task, or a job; 0: they
// hold nothing of it.
CardUnits Cycle::smallest_unit(QueueIndex queue, FlavourIndex flavour) const {
  CardUnits least = 0;
  const auto note = [&](CardUnits units) {
    if (units > 0 && (least == 0 || units < least)) least = units;
  };
  for (const JobId id : state_.holders(queue)) {
    const JobRecord& job = *state_.find_job(id);
    CardUnits all = 0;
    for (const LeaseId lease : job.leases) {
      const TaskPlacement& task = state_.find_lease(lease)->placement;
      const Shape& shape = state_.shapes().at(state_.spec_of(job).shapes[task.role]);
      const auto charges = state_.charges_of(shape, task.node, task.grants);
      if (charges.cards != flavour) continue;
      const CardUnits one = larger_share(charges.of_cards, state_.quota().capacity(flavour));
      const bool elastic = state_.spec_of(job).spec->roles[task.role].elastic;
      if (elastic && surplus_of(state_, job, task.role) > 0) note(one);
      all = saturating_add(all, one);
    }
    note(all);
  }
  return least;
}

// By guarantee: another queue holds more than it is guaranteed, but any of its jobs that went would
// bring it below.
std::optional<Rejection> Cycle::kept_by_owner(const JobRecord& job) {
  const auto& rights = state_.policy().reclaim;
  const bool owns = has_guarantee_left() && std::find(rights.begin(), rights.end(),
                                                      ReclaimRight::kGuarantee) != rights.end();
  if (!owns) return std::nullopt;
  const QuotaTree& tree = state_.quota();
  for (const RoleFlavours& role : engine_.flavours_.of(state_, state_.spec_of(job).ask)) {
    for (const FlavourOption& option : role.cards) {
      for (std::uint32_t q = 0; q < tree.queues().size(); ++q) {
        const QueueIndex queue(q);
        const QuotaEntry* entry = tree.entry(queue, option.flavour);
        if (queue == state_.spec_of(job).home.queue || entry == nullptr) continue;
        const CardUnits used = tree.used(queue, entry, option.flavour, {});
        const CardUnits least = smallest_unit(queue, option.flavour);
        const bool is_above = entry->guarantee > 0 && used > entry->guarantee && least > 0;
        if (!is_above || used - least >= entry->guarantee) continue;
        return Rejection{Rule::kNoVictim,
                         tree.queue(queue).spec->name,
                         {{"guarantee_milli", entry->guarantee / kCardMilli}}};
      }
    }
  }
  return std::nullopt;
}

// Tasks of one job that would be down at once, where that alone keeps the job from its room.
std::optional<Rejection> Cycle::budget_of_victims(const JobRecord& job) {
  for (const ReclaimRight right : state_.policy().reclaim) {
    const auto reclaim = find_victims(job, right, Budgets::kIgnore);
    if (!reclaim) continue;
    std::map<JobId, std::int64_t> down;
    for (const Victim& victim : reclaim->victims) ++down[victim.job];
    for (const auto& [id, tasks] : down) {
      const JobRecord& victim = *state_.find_job(id);
      const std::int64_t most = state_.spec_of(victim).spec->max_unavailable;
      const std::int64_t needed = tasks + tasks_down(state_, victim);
      if (most == 0 || needed <= most) continue;
      return Rejection{
          Rule::kReclaimLimit, "job " + victim.name, {{"budget", most}, {"needed", needed}}};
    }
  }
  return std::nullopt;
}

// What the job lacks even when all has gone that one right lets it take: by the right that brings
// it nearest.
void Cycle::add_best_after(const JobRecord& job, Rejections& reasons) {
  std::optional<Rejections> best;
  for (const ReclaimRight right : state_.policy().reclaim) {
    for (const JobAdmission::Attempt& attempt : admission_.attempts) {
      Rejections lacking = lacks_after_all(job, attempt, right);
      if (lacking.empty()) return;
      const bool better = !best || lacking.front().number("free") > best->front().number("free");
      if (better) best = std::move(lacking);
    }
  }
  if (!best) return;
  if (auto said = best_after(best->front())) {
    reasons.push_back(std::move(*said));
    return;
  }
  const bool known = std::any_of(reasons.begin(), reasons.end(), [&](const Rejection& reason) {
    return reason.rule == best->front().rule;
  });
  reasons.push_back({Rule::kNoVictim, {}, {}});
  if (!known) reasons.push_back(std::move(best->front()));
}

Rejections Cycle::lacks_after_all(const JobRecord& job, const JobAdmission::Attempt& attempt,
                                  ReclaimRight right) {
  const Mark start = mark();
  const std::uint64_t gains = state_.gain_log().end();
  const LeavingLeases leaving = leaving_now();
  ReclaimSearch(
      trial_, engine_.placer_, engine_.rooms_, {shares_, levels_, engine_.flavours_},
      {job, attempt, right, Floor::kNearer, least_needs(job), leaving, Budgets::kHeed, now_})
      .take_all();
  GangSearch gang(trial_, engine_.placer_, engine_.rooms_,
                  {state_.ask_of(job), job.spec, least_needs(job), attempt.models, {}, now_});
  const bool fits = gang.run().has_value();
  if (!fits) failed_ = gang.shortfall();
  Rejections lacking = fits ? Rejections{} : shortage(job);
  back_to(start);
  trial_.forget_gains_from(gains);
  return lacking;
}

}  // namespace berth::engine
