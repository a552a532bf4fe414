// What is told to jobs that wait.
#include <algorithm>
#include <utility>

#include "engine/cycle/cycle.h"
#include "engine/cycle/explain.h"

namespace berth::engine {

// Searched anew, whatever is remembered: the numbers are to be those of this moment.
Rejections Cycle::why(const JobRecord& job) {
  if (auto asleep = why_asleep(job)) return {std::move(*asleep)};
  if (!job.receipt.is_none()) {
    return reclaiming(promised_to(job));
  }
  if (auto group = lacks_group(job)) return {std::move(*group)};
  if (auto refusal = admit(job, least_tasks(state_.ask_of(job)))) {
    Rejections reasons = shortage_beside(job);
    reasons.insert(reasons.begin(), std::move(*refusal));
    return reasons;
  }
  const Mark start = mark();
  open_own_room(job);
  Rejections reasons;
  if (!search(job, needs_of(job), {})) {
    reasons = shortage(job);
    add_health(reasons);
    add_own(job, reasons);
    add_reclaim(job, reasons);
  } else if (forms_group(job)) {
    back_to(start);
    return group_shortage(job);
  } else if (auto better = waits_for_better(job)) {
    reasons.push_back(std::move(*better));
  }
  back_to(start);
  return reasons;
}

// What the job lacks beside the leave of its quota.
Rejections Cycle::shortage_beside(const JobRecord& job) {
  admission_.attempts = {{LeaseOwnership::kBorrowed, {}}};
  return search_shortage(job);
}

// Why the job may not be placed now wherever there is room.
std::optional<Rejection> Cycle::why_asleep(const JobRecord& job) const {
  if (job.user_held) return Rejection{Rule::kHeldByUser, {}, {}};
  if (job.backoff_until > now_) {
    Rejection why{Rule::kBackoff, {}, {{"until_ms", job.backoff_until}}};
    // what its executor said when it failed
    const bool known = job.reasons != nullptr && !job.reasons->empty() &&
                       job.reasons->front().rule == Rule::kBackoff;
    if (known) why.place = job.reasons->front().place;
    return why;
  }
  return std::nullopt;
}

// What a running job lacks, and why it has not been given it yet.
Rejections Cycle::why_short(const JobRecord& job) {
  Rejections reasons;
  const std::vector<Role>& roles = state_.spec_of(job).spec->roles;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    const RoleTasks tasks = state_.role_tasks(job, r);
    if (tasks.missing.empty()) continue;
    const auto held = static_cast<std::int64_t>(tasks.held.size());
    reasons.push_back(
        {Rule::kLacksTasks,
         roles[r].name,
         {{"asked", held + static_cast<std::int64_t>(tasks.missing.size())}, {"free", held}}});
  }
  if (reasons.empty()) return reasons;
  const std::vector<RoleNeed> needs = missing_of(job);
  TaskCounts tasks;
  for (const RoleNeed& need : needs) tasks.push_back(static_cast<std::uint32_t>(need.tasks.size()));
  if (auto refusal = admit(job, tasks)) {
    reasons.push_back(std::move(*refusal));
  } else if (!search(job, needs, anchors_of(job))) {
    const Rejections more = shortage(job);
    reasons.insert(reasons.end(), more.begin(), more.end());
    if (auto broken = broken_promise(job)) reasons.push_back(std::move(*broken));
    add_borrowers(job, reasons);
  }
  return reasons;
}

// Whether it starts together with other jobs or not at all.
bool Cycle::forms_group(const JobRecord& job) const {
  return !state_.spec_of(job).spec->group.empty() && !job.formed;
}

// Jobs of its group that start together. Who has run in it before comes back by himself, and others
// join him when he runs.
std::vector<JobId> Cycle::forming(const JobRecord& job) const {
  std::vector<JobId> members;
  for (const JobId id : state_.group_of(job)) {
    if (forms_group(*state_.find_job(id))) members.push_back(id);
  }
  return members;
}

// Jobs of its group that it must wait for.
std::optional<Rejection> Cycle::lacks_group(const JobRecord& job) const {
  if (!forms_group(job)) return std::nullopt;
  const JobSpec& spec = *state_.spec_of(job).spec;
  const auto there = static_cast<std::int64_t>(state_.group_of(job).size());
  std::int64_t ready = 0;
  std::int64_t asked = there;  // the largest that one of them says
  for (const JobId id : state_.group_of(job)) {
    const JobRecord& member = *state_.find_job(id);
    const bool waits = member.phase == JobPhase::kPending && !why_asleep(member);
    const bool runs = member.phase == JobPhase::kRunning || member.phase == JobPhase::kRepairing;
    if (member.formed ? runs : waits) ++ready;
    asked = std::max<std::int64_t>(asked, state_.spec_of(member).spec->group_jobs);
  }
  if (ready == asked) return std::nullopt;
  return Rejection{Rule::kGroup, spec.group, {{"asked", asked}, {"free", ready}}};
}

// Of a group that is complete and whose jobs don't fit together: who is left over when they are
// placed in their order, and why. Empty where they fit.
Rejections Cycle::group_shortage(const JobRecord& job) {
  const Mark start = mark();
  const std::uint64_t gains = state_.gain_log().end();
  open_own_room(job);
  Rejections reasons;
  const std::vector<JobId> members = forming(job);
  for (const JobId id : members) {
    const JobRecord& member = *state_.find_job(id);
    auto refusal = admit(member, least_tasks(state_.ask_of(member)));
    if (!refusal && search(member, needs_of(member), {})) continue;
    reasons = refusal ? Rejections{std::move(*refusal)} : shortage(member);
    const auto jobs = static_cast<std::int64_t>(members.size());
    reasons.insert(reasons.begin(), {Rule::kGroup,
                                     state_.spec_of(job).spec->group + ", job " + member.name,
                                     {{"together", jobs}}});
    break;
  }
  back_to(start);
  trial_.forget_gains_from(gains);
  return reasons;
}

// Tells each job that has not been told yet why it waits, as things stand at the end of the cycle.
// The others were told when they began to wait; what holds them now `Engine::why` says: in a full
// fleet the numbers change with every lease, and a record for every waiting job each time would be
// most of the journal.
void Cycle::explain_held() {
  for (const JobId id : state_.pending().untold_asleep()) {
    const JobRecord& job = *state_.find_job(id);
    if (!pool_.holds(state_, job)) continue;
    if (auto why = why_asleep(job)) hold(job, only(std::move(*why)));
  }
  std::vector<std::pair<JobId, SpecIndex>> lines;  // by their first job that stays
  for (const SpecIndex spec : state_.pending().untold_lines()) {
    if (!pool_.holds(state_.spec(spec).home.partition)) continue;
    const std::size_t first = first_left(spec);
    if (first < state_.pending().line(spec).jobs.size()) {
      lines.emplace_back(job_at(spec, first), spec);
    }
  }
  std::sort(lines.begin(), lines.end());
  for (const auto& [head, spec] : lines) explain_line(*state_.find_job(head));
}

// How many jobs of the line have been placed or deferred.
std::size_t Cycle::first_left(SpecIndex spec) const {
  const std::size_t* passed = passed_.find(spec);
  return passed == nullptr ? 0 : *passed;
}

void Cycle::explain_line(const JobRecord& head) {
  RejectionsPtr reasons;
  if (auto own = why_not_yet(head)) {
    reasons = only(std::move(*own));
  } else if (is_kept_for(head.id)) {  // others of its ask have other room
    reasons = or_its_turn(why(head));
  } else {
    reasons = with_own(head, shortage_of_ask(head));
    const bool fits_alone = reasons->front().rule == Rule::kTurn;
    if (fits_alone && forms_group(head)) reasons = or_its_turn(group_shortage(head));
  }
  const std::size_t jobs = state_.pending().line(head.spec).jobs.size();
  for (std::size_t i = first_left(head.spec); i < jobs; ++i) {
    const JobRecord& job = *state_.find_job(job_at(head.spec, i));
    if (!is_told(job)) hold(job, reasons);
  }
}

// Room that came up behind its turn: it is tried again in the next cycle.
RejectionsPtr Cycle::or_its_turn(Rejections reasons) {
  if (reasons.empty()) reasons.push_back({Rule::kTurn, {}, {}});
  return std::make_shared<const Rejections>(std::move(reasons));
}

// Why the ask of an admitted job finds no room: once for all who may run on the same models.
RejectionsPtr Cycle::shortage_of_ask(const JobRecord& job) {
  const AskIndex ask = state_.spec_of(job).ask;
  std::vector<Explained>* known = explained_.find(ask);
  if (known == nullptr) {
    explained_.insert(ask, {});
    known = explained_.find(ask);
  }
  for (const Explained& one : *known) {
    if (one.attempts == admission_.attempts) return one.reasons;
  }
  known->push_back({admission_.attempts, or_its_turn(search_shortage(job))});
  return known->back().reasons;
}

// Empty where there is room.
Rejections Cycle::search_shortage(const JobRecord& job) {
  const Mark start = mark();
  const std::uint64_t gains = state_.gain_log().end();
  const bool fits = search(job, needs_of(job), {});
  back_to(start);
  trial_.forget_gains_from(gains);
  return fits ? Rejections{} : shortage(job);
}

// With who of its queue went before it. The rest of what concerns its queue `why` says when asked.
RejectionsPtr Cycle::with_own(const JobRecord& job, RejectionsPtr reasons) {
  if (reasons->front().rule == Rule::kTurn) return reasons;
  auto later = overtaken(job);
  if (!later) return reasons;
  Rejections all = *reasons;
  all.push_back(std::move(*later));
  return std::make_shared<const Rejections>(std::move(all));
}

// What holds the job whatever room there is.
std::optional<Rejection> Cycle::why_not_yet(const JobRecord& job) {
  if (!job.receipt.is_none()) {
    return reclaiming(promised_to(job)).front();
  }
  if (const Rejection* limit = reclaim_limit_.find(job.id)) return *limit;
  if (auto group = lacks_group(job)) return group;
  return admit(job, least_tasks(state_.ask_of(job)));
}

// Why the job that was tried last found no place, as things stand in the trial.
Rejections Cycle::shortage(const JobRecord& job) {
  CardClasses& classes = engine_.card_classes_;
  classes.catch_up(state_);
  Rejections reasons = explain(state_, classes, failed_.shape);
  const bool one_fits = reasons.empty();
  if (failed_.why) {
    reasons.push_back(*failed_.why);
  } else if (one_fits) {
    reasons.push_back(too_few(job));
  }
  if (one_fits) {
    const Rejections also = explain_refusals(state_, classes, failed_.shape);
    reasons.insert(reasons.end(), also.begin(), also.end());
  }
  tell_kept_room(reasons);
  tell_layouts(reasons);
  return reasons;
}

// Nobody can order a repair: told after all else that the last search lacked.
void Cycle::add_health(Rejections& reasons) const {
  const bool known = std::any_of(reasons.begin(), reasons.end(), [](const Rejection& reason) {
    return reason.rule == Rule::kCardHealth;
  });
  if (known) return;
  auto broken = explain_health(state_, engine_.card_classes_, failed_.shape);
  if (broken) reasons.push_back(std::move(*broken));
}

// When those start that room is kept for, where it is one job.
void Cycle::tell_kept_room(Rejections& reasons) const {
  for (Rejection& reason : reasons) {
    if (reason.rule != Rule::kReserved) continue;
    const JobRecord* owner = state_.find_job(reason.place);
    if (owner == nullptr) continue;
    const auto planned = std::find_if(kept_.begin(), kept_.end(),
                                      [&](const auto& one) { return one->job == owner->id; });
    const auto& standing = state_.ledger().reservations;
    const auto known = standing.find(owner->id);
    if (planned == kept_.end() && known == standing.end()) continue;
    const TimeMs starts = planned != kept_.end() ? (*planned)->starts_at : known->second->starts_at;
    if (starts > now_) reason.numbers.push_back({"in_ms", starts - now_});
  }
}

Rejection Cycle::too_few(const JobRecord& job) const {
  std::int64_t least = 0;
  for (const RoleNeed& need : job.phase == JobPhase::kPending ? needs_of(job) : missing_of(job)) {
    least += need.least;
  }
  return {Rule::kGang, {}, {{"asked", least}, {"free", failed_.fitted}}};
}

void Cycle::hold(const JobRecord& job, RejectionsPtr reasons) {
  if (job.reasons != nullptr && same_grounds(*job.reasons, *reasons)) return;
  plan_.decisions.emplace_back(Hold{job.id, std::move(reasons)});
}

}  // namespace berth::engine
