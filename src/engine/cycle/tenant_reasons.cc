// What is told to a job that waits of its queue, beside what the job lacks: who borrows, what is
// promised to too many, who went or goes before it.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "engine/cycle/cycle.h"

namespace berth::engine {
namespace {

// What the queue's own jobs hold of the flavour above what the queue is guaranteed.
CardUnits borrowed(const QuotaTree& tree, QueueIndex queue, FlavourIndex flavour) {
  const FlavourUsage* usage = tree.queue(queue).find(flavour);
  if (usage == nullptr) return 0;
  const CardUnits of_flavour = larger_share(usage->own, tree.capacity(flavour));
  const QuotaEntry* entry = tree.entry(queue, flavour);
  if (entry == nullptr) return of_flavour;
  const CardUnits own_guarantee = std::max<CardUnits>(0, entry->guarantee - entry->children);
  return std::min(of_flavour, tree.used_by_own(queue, entry, flavour, {}) - own_guarantee);
}

}  // namespace

// Jobs of its queue that came later and run, because they rank higher.
std::optional<Rejection> Cycle::overtaken(const JobRecord& job) {
  const SpecRecord& spec = state_.spec_of(job);
  const std::int64_t mine = spec.spec->priority;
  std::int64_t jobs = 0;
  std::int64_t highest = mine;
  for (const Holder& other : holders_of(spec.home.queue)) {
    const bool ranks =
        other.job > job.id && other.job_class == spec.spec->job_class && other.priority > mine;
    if (!ranks) continue;
    ++jobs;
    highest = std::max(highest, other.priority);
  }
  if (jobs == 0) return std::nullopt;
  return Rejection{Rule::kTurn, {}, {{"jobs", jobs}, {"highest", highest}, {"priority", mine}}};
}

const std::vector<Cycle::Holder>& Cycle::holders_of(QueueIndex queue) {
  if (const auto* known = holders_.find(queue)) return *known;
  std::vector<Holder> holders;
  for (const JobId id : state_.holders(queue)) {
    const JobSpec& spec = *state_.spec_of(*state_.find_job(id)).spec;
    holders.push_back({id, spec.job_class, spec.priority});
  }
  holders_.insert(queue, std::move(holders));
  return *holders_.find(queue);
}

// What is so for the job's queue alone; asked for when somebody wants to know, since it costs
// O(fleet) where something is guaranteed.
void Cycle::add_own(const JobRecord& job, Rejections& reasons) {
  if (auto broken = broken_promise(job)) reasons.push_back(std::move(*broken));
  add_borrowers(job, reasons);
  if (auto later = overtaken(job)) reasons.push_back(std::move(*later));
}

// Whether the job that was tried last stays within what its queue is guaranteed.
bool Cycle::has_guarantee_left() const {
  return !admission_.attempts.empty() &&
         admission_.attempts.front().ownership == LeaseOwnership::kOwned;
}

// It finds no room because more is promised than there is; of one model before of all together.
std::optional<Rejection> Cycle::broken_promise(const JobRecord& job) {
  if (!has_guarantee_left()) return std::nullopt;
  if (!over_promised_) over_promised_ = over_promised(state_);
  const OverPromised* broken = nullptr;
  for (const RoleFlavours& role : engine_.flavours_.of(state_, state_.spec_of(job).ask)) {
    for (const FlavourOption& option : role.cards) {
      for (const OverPromised& one : *over_promised_) {
        const bool more_particular = broken == nullptr || broken->pattern.is_pool();
        if (!more_particular || !one.pattern.matches(state_.quota().flavour(option.flavour))) {
          continue;
        }
        broken = &one;
      }
    }
  }
  if (broken == nullptr) return std::nullopt;
  return Rejection{Rule::kOverPromised,
                   pattern_name(state_, broken->pattern),
                   {{"promised_milli", broken->promised / kCardMilli},
                    {"exists_milli", broken->exists / kCardMilli}}};
}

// Who holds more of the job's flavours than its queue is guaranteed, the most first.
void Cycle::add_borrowers(const JobRecord& job, Rejections& reasons) const {
  constexpr std::size_t kShown = 2;
  if (!has_guarantee_left()) return;
  const QuotaTree& tree = state_.quota();
  const SpecRecord& spec = state_.spec_of(job);
  std::set<std::tuple<CardUnits, std::string, FlavourIndex>> borrowers;  // by amount, negative
  for (const RoleFlavours& role : engine_.flavours_.of(state_, spec.ask)) {
    for (const FlavourOption& option : role.cards) {
      for (std::uint32_t q = 0; q < tree.queues().size(); ++q) {
        const QueueIndex queue(q);
        if (queue == spec.home.queue) continue;
        const CardUnits over = borrowed(tree, queue, option.flavour);
        if (over > 0) borrowers.emplace(-over, tree.queue(queue).spec->name, option.flavour);
      }
    }
  }
  std::size_t shown = 0;
  for (const auto& [negative, queue, flavour] : borrowers) {
    if (shown++ == kShown) return;
    reasons.push_back({Rule::kQuota,
                       "queue " + queue + ", " + state_.flavour_name(tree.flavour(flavour)),
                       {{"borrowed_milli", -negative / kCardMilli}}});
  }
}

std::optional<Rejection> Cycle::place_in_line(const JobRecord& job) const {
  if (why_asleep(job)) return std::nullopt;
  const LineKey own = line_key(state_, job.spec, job.id, now_);
  std::int64_t before = 0;
  for (const SpecIndex spec : state_.pending().of_queue(state_.spec_of(job).home.queue)) {
    for (const JobId other : state_.pending().line(spec).jobs) {
      if (other != job.id && line_key(state_, spec, other, now_) < own) ++before;
    }
  }
  if (before == 0) return std::nullopt;
  return Rejection{Rule::kTurn, {}, {{"before", before}}};
}

}  // namespace berth::engine
