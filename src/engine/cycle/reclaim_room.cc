// Step 5 of the cycle: room is taken back for a job that finds none and has a right to it. What is
// taken is promised to the job from the start; it starts there when the last victim has gone.
#include <algorithm>
#include <utility>

#include "engine/cycle/commit.h"
#include "engine/cycle/cycle.h"
#include "engine/reclaim/moves.h"
#include "engine/reclaim/reclaim_search.h"

namespace berth::engine {
namespace {

// A wait of which nothing tells when it will end counts as so long.
constexpr DurationMs kUnknownWaitMs = 24 * kHourMs;

// Jobs that are interrupted.
std::set<JobId> interrupted(const Reclaim& reclaim) {
  std::set<JobId> jobs;
  for (const Victim& victim : reclaim.victims) {
    if (victim.grade != ReclaimGrade::kShrink) jobs.insert(victim.job);
  }
  return jobs;
}

}  // namespace

// Before anything is placed: who can start in what was promised to him, and who waits in vain.
void Cycle::review_receipts() {
  const std::set<ReceiptId> open = state_.ledger().open;  // a copy: the trial keeps the state
  for (const ReceiptId id : open) {
    const Reclaim& reclaim = *state_.ledger().receipts.at(id).reclaim;
    const JobRecord* job = state_.find_job(reclaim.beneficiary);
    if (job == nullptr || job->receipt != id || !pool_.holds(state_, *job)) continue;
    if (is_sound(reclaim) && (use_promise_now(*job, reclaim) || may_wait(*job, reclaim))) continue;
    end_receipt(*job, ReceiptOutcome::kExpired);
  }
}

// Whether the nodes and cards of the promise can still be used once they are free.
bool Cycle::is_sound(const Reclaim& reclaim) const {
  return std::all_of(
      reclaim.placement.begin(), reclaim.placement.end(), [&](const TaskPlacement& task) {
        const NodeRecord& node = state_.node(task.node);
        return node.condition == NodeCondition::kReady &&
               std::all_of(task.grants.begin(), task.grants.end(), [&](const CardGrant& grant) {
                 return node.cards[grant.card].is_healthy();
               });
      });
}

bool Cycle::waits_for_victims(const Reclaim& reclaim) const {
  return std::any_of(reclaim.victims.begin(), reclaim.victims.end(), [&](const Victim& victim) {
    return is_leaving(state_, victim, reclaim.receipt);
  });
}

// A job that is moved starts when it has left its old place, whatever becomes of the job that it
// was moved for.
bool Cycle::use_promise_now(const JobRecord& job, const Reclaim& reclaim) {
  if (job.phase != JobPhase::kPending || job.backoff_until > now_) return false;
  return !waits_for_victims(reclaim) && use_promise(job, reclaim);
}

// Whether the room may still come: from victims, from what others take back, or, for a job that is
// moved, from itself.
bool Cycle::may_wait(const JobRecord& job, const Reclaim& reclaim) const {
  if (now_ >= reclaim.expires_at || job.user_held) return false;
  return !reclaim.part_of.is_none() || waits_for_victims(reclaim) || waits_for_others(reclaim);
}

// Whether what others take back on its nodes has still to go.
bool Cycle::waits_for_others(const Reclaim& reclaim) const {
  const auto leaves = [&](LeaseId id) {
    const Lease& lease = *state_.find_lease(id);
    return lease.state == LeaseState::kRevoking && !lease.off_cards &&
           lease.lateness != Lateness::kStuck;
  };
  return std::any_of(reclaim.placement.begin(), reclaim.placement.end(),
                     [&](const TaskPlacement& task) {
                       const auto& there = state_.node(task.node).leases;
                       return std::any_of(there.begin(), there.end(), leaves);
                     });
}

// In the places that were proven when the room was taken.
bool Cycle::use_promise(const JobRecord& job, const Reclaim& reclaim) {
  const Mark start = mark();
  take_back_promises(trial_, job);
  const bool admitted = is_admitted(state_, state_.spec_of(job), reclaim.placement, now_);
  if (!admitted || !place_exactly(trial_, job, reclaim.placement)) {
    back_to(start);
    return false;
  }
  Place decision;
  decision.job = job.id;
  decision.tasks = reclaim.placement;
  decision.ownership = reclaim.ownership;
  decision.receipt = reclaim.receipt;
  plan_.decisions.emplace_back(std::move(decision));
  settled_.insert(job.id);
  return true;
}

void Cycle::end_receipt(const JobRecord& job, ReceiptOutcome outcome) {
  take_back_promises(trial_, job);
  given_up_.insert(job.id);
  plan_.decisions.emplace_back(EndReceipt{job.receipt, outcome});
}

bool Cycle::takes_by_share() const {
  const auto& rights = state_.policy().reclaim;
  return std::find(rights.begin(), rights.end(), ReclaimRight::kShare) != rights.end();
}

const Reclaim& Cycle::promised_to(const JobRecord& job) const {
  return *state_.ledger().receipts.at(job.receipt).reclaim;
}

void Cycle::waits_for_promise(const JobRecord& job) {
  hold(job, std::make_shared<const Rejections>(reclaiming(promised_to(job))));
}

// Whether room is being taken back for the job from now on. Rights in the order of the policy; who
// asks for no card has none.
bool Cycle::reclaim(const JobRecord& job) {
  if (state_.spec_of(job).cards == 0) return false;
  const auto& rights = state_.policy().reclaim;
  return std::any_of(rights.begin(), rights.end(),
                     [&](ReclaimRight right) { return reclaim_by(job, right); });
}

bool Cycle::reclaim_by(const JobRecord& job, ReclaimRight right) {
  if (holds_back_until(job, right, now_) > now_) return false;
  auto found = find_victims(job, right, Budgets::kHeed);
  if (!found) return false;
  if (auto limit = limit_of(*found)) {
    reclaim_limit_.assign(job.id, std::move(*limit));
    return false;
  }
  if (!is_worth_it(job, *found)) return false;
  promise(job, std::move(*found));
  return true;
}

// Whether what refuses the job is a limit or a guarantee of queues in which it may take from others
// by its rank.
bool Cycle::may_take_inside(const JobRecord& job) const {
  const auto& rights = state_.policy().reclaim;
  const auto& by = admission_.refused_by;
  return admission_.refusal->rule == Rule::kQuota && job.phase == JobPhase::kPending &&
         std::find(rights.begin(), rights.end(), ReclaimRight::kRank) != rights.end() &&
         std::any_of(by.begin(), by.end(), [](QueueIndex queue) { return !queue.is_none(); });
}

// What keeps the job from what it could take back, as far as it is not the want of victims.
std::optional<Rejection> Cycle::why_not_reclaimed(const JobRecord& job) {
  for (const ReclaimRight right : state_.policy().reclaim) {
    auto found = find_victims(job, right, Budgets::kHeed);
    if (!found) continue;
    if (holds_back_until(job, right, now_) > now_) {  // all else would do
      const std::uint32_t times = count_since(job.evictions, now_ - kEvictionWindowMs);
      return Rejection{Rule::kReclaimLimit, {}, {{"interrupted", times}}};
    }
    if (auto limit = limit_of(*found)) return limit;
    if (is_worth_it(job, *found)) continue;
    return Rejection{
        Rule::kReclaimLimit, {}, {{"gain_micro", found->gain}, {"price_micro", found->price}}};
  }
  return std::nullopt;
}

// By reclaims, those of this cycle included.
LeavingLeases Cycle::leaving_now() {
  LeavingLeases leaving = leaving_before();
  leaving.insert(taken_.begin(), taken_.end());
  return leaving;
}

// By reclaims of earlier cycles: a trial changes nothing about them.
const LeavingLeases& Cycle::leaving_before() {
  if (!leaving_) leaving_ = leaving_leases(state_);
  return *leaving_;
}

// Units that cannot be split are looked at once no others will do.
std::optional<Reclaim> Cycle::find_victims(const JobRecord& job, ReclaimRight right,
                                           Budgets budgets) {
  auto found = find_victims(job, right, Floor::kShare, budgets);
  if (found || right != ReclaimRight::kShare) return found;
  return find_victims(job, right, Floor::kNearer, budgets);
}

std::optional<Reclaim> Cycle::find_victims(const JobRecord& job, ReclaimRight right, Floor floor,
                                           Budgets budgets) {
  const bool as_owner = right == ReclaimRight::kGuarantee;
  const bool consolidates = right == ReclaimRight::kConsolidation;
  const AskIndex ask = state_.spec_of(job).ask;
  if (consolidates && settled_asks_.contains(ask)) return std::nullopt;
  const LeavingLeases leaving = leaving_now();
  bool any_model = false;
  for (const JobAdmission::Attempt& attempt : admission_.attempts) {
    if (as_owner && attempt.ownership != LeaseOwnership::kOwned) continue;
    any_model = any_model || attempt.models.empty();
    const std::uint64_t gains = state_.gain_log().end();
    ReclaimSearch search(trial_, engine_.placer_, engine_.rooms_,
                         {shares_, levels_, engine_.flavours_},
                         {job, attempt, right, floor, least_needs(job), leaving, budgets, now_});
    auto found = search.run();
    engine_.effort_.searches += search.effort().proofs;
    engine_.effort_.candidates += search.effort().candidates;
    trial_.forget_gains_from(gains);
    if (found) return found;
  }
  // a search that left models out says nothing about the ask as a whole; and room only shrinks
  // while the cycle goes on
  if (consolidates && any_model) settled_asks_.assign(ask, true);
  return std::nullopt;
}

// What it must have to start; what is more it may have when there is room.
std::vector<RoleNeed> Cycle::least_needs(const JobRecord& job) const {
  std::vector<RoleNeed> needs = needs_of(job);
  for (RoleNeed& need : needs) need.tasks.resize(need.least);
  return needs;
}

// Why so much may not go now. The owner of a guarantee is only paced: alone he may take what is
// more than the limits.
std::optional<Rejection> Cycle::limit_of(const Reclaim& reclaim) {
  const PolicySpec& policy = state_.policy();
  CardUnits leaving = 0;
  for (const auto& [id, how] : leaving_before()) {
    for (const CardGrant& grant : state_.find_lease(id)->placement.grants) leaving += grant.compute;
  }
  std::int64_t recent = count_since(state_.ledger().evictions, now_ - kHourMs);
  for (const Decision& decision : plan_.decisions) {
    const auto* planned = std::get_if<Reclaim>(&decision);
    if (planned == nullptr) continue;
    leaving += cards_of_victims(*planned);
    recent += static_cast<std::int64_t>(interrupted(*planned).size());
  }
  const bool owner = reclaim.right == ReclaimRight::kGuarantee;
  const auto exceeds = [&](std::int64_t now, std::int64_t more, std::int64_t most) {
    return most > 0 && more > 0 && now + more > most && !(owner && now == 0);
  };
  if (exceeds(leaving, cards_of_victims(reclaim), policy.blast_radius)) {
    return Rejection{Rule::kReclaimLimit,
                     {},
                     {{"cards_milli", cards_of_victims(reclaim) * 1000 / kCard},
                      {"leaving_milli", leaving * 1000 / kCard},
                      {"most_milli", policy.blast_radius * 1000 / kCard}}};
  }
  const auto more = static_cast<std::int64_t>(interrupted(reclaim).size());
  if (exceeds(recent, more, policy.evictions_per_hour)) {
    return Rejection{Rule::kReclaimLimit,
                     {},
                     {{"jobs", more}, {"recent", recent}, {"most", policy.evictions_per_hour}}};
  }
  return std::nullopt;
}

// Who takes nothing from anyone, or is the owner of a guarantee, need not gain; anybody else's wait
// must cost more than what is lost, of a consolidation whatever the policy says: nobody is entitled
// to it.
bool Cycle::is_worth_it(const JobRecord& job, Reclaim& reclaim) {
  Ppm reluctance = state_.policy().reluctance_ppm;
  if (reclaim.right == ReclaimRight::kConsolidation) reluctance = std::max(reluctance, kPpmOne);
  const bool asks = reluctance > 0 && !reclaim.victims.empty();
  if (reclaim.right == ReclaimRight::kGuarantee || !asks) return true;
  reclaim.gain = gain_of(job, reclaim);
  const __int128 price = static_cast<__int128>(reclaim.price) * reluctance / kPpmOne;
  return reclaim.gain > price;
}

// What waiting for natural ends would cost.
MicroMoney Cycle::gain_of(const JobRecord& job, const Reclaim& reclaim) {
  const Eta natural = eta(job);
  const bool unknown = natural.at == kNever || natural.basis == EndBasis::kUnknown;
  const DurationMs wait = unknown ? kUnknownWaitMs : std::min(natural.at - now_, kUnknownWaitMs);
  const SpecRecord& spec = state_.spec_of(job);
  MicroMoney gain = 0;
  for (const TaskPlacement& task : reclaim.placement) {
    const Shape& shape = state_.shapes().at(spec.shapes[task.role]);
    const auto charges = state_.charges_of(shape, task.node, task.grants);
    if (charges.cards.is_none()) continue;
    gain = saturating_add(gain, worth_of(state_, charges.cards, spec.spec->job_class,
                                         charges.of_cards.compute, wait));
  }
  const __int128 penalty = static_cast<__int128>(spec.spec->slo.penalty_per_hour) *
                           static_cast<std::int64_t>(reclaim.placement.size()) * wait / kHourMs;
  return saturating_add(gain, static_cast<MicroMoney>(std::min<__int128>(penalty, INT64_MAX)));
}

// From here on the room is the job's, and nobody else's in this cycle either.
void Cycle::promise(const JobRecord& job, Reclaim reclaim) {
  reclaim.expires_at = saturating_add(reclaim.expires_at, kKillMs);
  promise_places(trial_, job, reclaim.placement);
  for (const auto& [moved, tasks] : moves_of(reclaim)) {
    promise_room(trial_, *state_.find_job(moved), tasks);
  }
  for (const Victim& victim : reclaim.victims) {
    taken_.insert({victim.lease, leaving_by(victim, now_)});
  }
  hold(job, std::make_shared<const Rejections>(reclaiming(reclaim)));
  plan_.decisions.emplace_back(std::move(reclaim));
}

Rejections Cycle::reclaiming(const Reclaim& reclaim) const {
  const TimeMs free_at = reclaim.expires_at - kKillMs;
  std::set<JobId> jobs;
  for (const Victim& victim : reclaim.victims) jobs.insert(victim.job);
  const DurationMs in_ms = std::max<DurationMs>(0, free_at - now_);
  if (!reclaim.part_of.is_none()) {
    return {{Rule::kReclaiming, std::string(word(reclaim.right)), {{"in_ms", in_ms}}}};
  }
  const HeldAmount held = held_by_victims(reclaim);
  Rejection reason{Rule::kReclaiming,
                   std::string(word(reclaim.right)),
                   {{"cards_milli", held.cards * 1000 / kCard},
                    {"jobs", static_cast<std::int64_t>(jobs.size())},
                    {"in_ms", in_ms}}};
  if (held.cards == 0 && !jobs.empty()) reason.numbers.push_back({"cpu_milli", held.cpu_milli});
  return {std::move(reason)};
}

}  // namespace berth::engine
