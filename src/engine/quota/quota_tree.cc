#include "engine/quota/quota_tree.h"

#include <algorithm>

#include "base/check.h"

namespace berth::engine {
namespace {

constexpr DurationMs kDayMs = 24 * kHourMs;
constexpr std::int64_t kCivilShift = 719'468;  // days from 0000-03-01 to 1970-01-01
constexpr std::int64_t kEraDays = 146'097;     // of 400 years

// What passes from one month to the next is booked under each.
void book(FlavourUsage& usage, TimeMs now) {
  if (now <= usage.since) return;
  usage.held_in_month = usage.in_month(now);
  usage.month = month_of(now);
  usage.held.add(usage.total.compute, now - usage.since);
  usage.since = now;
}

// What the queue itself declares comes before what is implied: a limit of all models together must
// not end where a queue below declares something of one of them.
bool more_particular(const QuotaEntry& a, const QuotaEntry& b) {
  if (a.declared != b.declared) return a.declared;
  return !a.pattern.is_pool() && b.pattern.is_pool();
}

}  // namespace

// Days to civil date and back, years beginning in March so that leap days come last (the usual
// calendar arithmetic; proleptic Gregorian).
std::int64_t month_of(TimeMs at) {
  const std::int64_t days = floor_div(at, kDayMs) + kCivilShift;
  const std::int64_t era = floor_div(days, kEraDays);
  const std::int64_t of_era = days - era * kEraDays;
  const std::int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * of_year + 2) / 153;  // 0 = March
  const std::int64_t years = era * 400 + year_of_era;
  return (years - 1970) * 12 + march_month + 2;
}

TimeMs begin_of_month(std::int64_t month) {
  const std::int64_t shifted = month - 2 + 1970 * 12;  // months since March of year 0
  const std::int64_t year = floor_div(shifted, 12);
  const std::int64_t march_month = shifted - year * 12;
  const std::int64_t era = floor_div(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t of_era =
      365 * year_of_era + year_of_era / 4 - year_of_era / 100 + (153 * march_month + 2) / 5;
  return (era * kEraDays + of_era - kCivilShift) * kDayMs;
}

CardTime FlavourUsage::in_month(TimeMs now) const {
  if (month_of(now) == month) return held_in_month.plus(total.compute, now - since);
  const TimeMs begin = std::max(since, begin_of_month(month_of(now)));
  return CardTime().plus(total.compute, now - begin);
}

const FlavourUsage* QueueRecord::find(FlavourIndex flavour) const {
  const auto it = std::lower_bound(
      usage.begin(), usage.end(), flavour,
      [](const FlavourUsage& one, FlavourIndex wanted) { return one.flavour < wanted; });
  return it == usage.end() || it->flavour != flavour ? nullptr : &*it;
}

QueueIndex QuotaTree::declare(std::shared_ptr<const QueueSpec> spec, Entries entries,
                              TrustDomainIndex trust_domain) {
  ++eased_;
  for (const QuotaEntry& entry : entries) {
    counts_cpus_ = counts_cpus_ || entry.pattern.cpu;
    keeps_back_ = keeps_back_ || entry.lend.has_value();
  }
  QueueIndex index = find(spec->name);
  if (index.is_none()) {
    index = QueueIndex(static_cast<std::uint32_t>(queues_.size()));
    QueueRecord record;
    record.parent = spec->parent.empty() ? QueueIndex::none() : find(spec->parent);
    record.trust_domain = trust_domain;
    if (record.parent.is_none()) {
      roots_.push_back(index);
    } else {
      queues_[record.parent.value()].children.push_back(index);
      record.depth = queues_[record.parent.value()].depth + 1;
    }
    by_name_.insert(spec->name, index);
    queues_.push_back(std::move(record));
  }
  QueueRecord& record = queues_[index.value()];
  const Entries before = record.entries;
  // what the queues below are promised stays, under a declared entry or an implied one
  for (const QuotaEntry& old : before) {
    if (old.children == 0) continue;
    const auto same = [&](const QuotaEntry& entry) { return entry.pattern == old.pattern; };
    const auto it = std::find_if(entries.begin(), entries.end(), same);
    if (it != entries.end()) {
      it->children = old.children;
    } else {
      entries.push_back({old.pattern, old.children, old.children, spec->weight, {}, {}, false});
    }
  }
  record.spec = std::move(spec);
  record.entries = std::move(entries);
  const Entries after = record.entries;
  add_to_parents(index, before, -1);
  add_to_parents(index, after, 1);
  return index;
}

void QuotaTree::add_to_parents(QueueIndex queue, const Entries& entries, int sign) {
  for (const QuotaEntry& change : entries) {
    for (QueueIndex q = queues_[queue.value()].parent; !q.is_none();
         q = queues_[q.value()].parent) {
      QueueRecord& parent = queues_[q.value()];
      const auto same = [&](const QuotaEntry& entry) { return entry.pattern == change.pattern; };
      auto it = std::find_if(parent.entries.begin(), parent.entries.end(), same);
      if (it == parent.entries.end()) {
        parent.entries.push_back({change.pattern, 0, 0, parent.spec->weight, {}, {}, false});
        it = std::prev(parent.entries.end());
      }
      it->children = saturating_add(it->children, sign * change.guarantee);
      if (it->declared) break;  // its own guarantee stays what it is
      it->guarantee = it->children;
    }
  }
}

QueueIndex QuotaTree::find(std::string_view name) const {
  const QueueIndex* found = by_name_.find(name);
  return found == nullptr ? QueueIndex::none() : *found;
}

bool QuotaTree::is_open(QueueIndex queue) const {
  if (keeps_back_) return false;
  for (QueueIndex q = queue; !q.is_none(); q = queues_[q.value()].parent) {
    const QueueRecord& record = queues_[q.value()];
    const bool plain = record.entries.empty() && record.spec->class_limits.empty() &&
                       record.spec->budget.per_month == 0;
    if (!plain) return false;
  }
  return true;
}

bool QuotaTree::is_unlimited(QueueIndex queue) const {
  if (keeps_back_) return false;
  for (QueueIndex q = queue; !q.is_none(); q = queues_[q.value()].parent) {
    const QueueRecord& record = queues_[q.value()];
    if (!record.spec->class_limits.empty() || record.spec->budget.per_month != 0) return false;
    const bool limited =
        std::any_of(record.entries.begin(), record.entries.end(),
                    [](const QuotaEntry& entry) { return entry.limit.has_value(); });
    if (limited) return false;
  }
  return true;
}

FlavourIndex QuotaTree::find(const Flavour& flavour) const {
  const auto it = std::find(flavours_.begin(), flavours_.end(), flavour);
  if (it == flavours_.end()) return FlavourIndex::none();
  return FlavourIndex(static_cast<std::uint16_t>(it - flavours_.begin()));
}

FlavourIndex QuotaTree::intern(const Flavour& flavour) {
  const FlavourIndex known = find(flavour);
  if (!known.is_none()) return known;
  flavours_.push_back(flavour);
  capacity_.emplace_back();
  return FlavourIndex(static_cast<std::uint16_t>(flavours_.size() - 1));
}

void QuotaTree::change_capacity(FlavourIndex flavour, CardUnits units, MemoryEighths memory) {
  ++eased_;
  FlavourCapacity& capacity = capacity_[flavour.value()];
  capacity.units = saturating_add(capacity.units, units);
  capacity.memory = saturating_add(capacity.memory, memory);
}

FlavourUsage& QuotaTree::usage_of(QueueIndex queue, FlavourIndex flavour) {
  auto& usage = queues_[queue.value()].usage;
  auto it = std::lower_bound(
      usage.begin(), usage.end(), flavour,
      [](const FlavourUsage& one, FlavourIndex wanted) { return one.flavour < wanted; });
  if (it == usage.end() || it->flavour != flavour) {
    it = usage.insert(it, FlavourUsage{});
    it->flavour = flavour;
  }
  return *it;
}

void QuotaTree::charge(QueueIndex queue, JobClass job_class, FlavourIndex flavour,
                       const Charge& amount, TimeMs now, DurationMs half_life) {
  for (QueueIndex q = queue; !q.is_none(); q = queues_[q.value()].parent) {
    FlavourUsage& usage = usage_of(q, flavour);
    if (half_life > 0) {
      usage.past.advance(larger_share(usage.total, capacity(flavour)), now, half_life);
    }
    book(usage, now);
  }
  hold(queue, job_class, flavour, amount);
}

void QuotaTree::hold(QueueIndex queue, JobClass job_class, FlavourIndex flavour,
                     const Charge& amount) {
  const bool eases = amount.compute < 0 || amount.memory < 0;
  usage_of(queue, flavour).own += amount;
  for (QueueIndex q = queue; !q.is_none(); q = queues_[q.value()].parent) {
    FlavourUsage& usage = usage_of(q, flavour);
    usage.total += amount;
    usage.by_class[static_cast<std::size_t>(job_class)] += amount;
    if (eases) ++queues_[q.value()].eased;
  }
}

void QuotaTree::restore(QueueIndex queue, const FlavourUsage& figures) {
  FlavourUsage& usage = usage_of(queue, figures.flavour);
  usage.since = figures.since;
  usage.held = figures.held;
  usage.month = figures.month;
  usage.held_in_month = figures.held_in_month;
  usage.past = figures.past;
}

const QuotaEntry* QuotaTree::entry(QueueIndex queue, FlavourIndex flavour) const {
  const Flavour& wanted = flavours_[flavour.value()];
  const QuotaEntry* best = nullptr;
  for (const QuotaEntry& entry : queues_[queue.value()].entries) {
    if (!entry.pattern.matches(wanted)) continue;
    if (best == nullptr || more_particular(entry, *best)) best = &entry;
  }
  return best;
}

// Below a declared guarantee of all models what queues below are promised of one model is a part of
// it.
CardUnits QuotaTree::own_guarantee(QueueIndex queue, const QuotaEntry& entry) const {
  CardUnits own = entry.guarantee - entry.children;
  if (!entry.declared || !entry.pattern.is_pool()) return own;
  for (const QuotaEntry& part : queues_[queue.value()].entries) {
    const bool counts = !part.declared && !part.pattern.cpu && !part.pattern.is_pool() &&
                        part.pattern.partition == entry.pattern.partition;
    if (counts) own -= part.guarantee;
  }
  return own;
}

// Sums `part` over the flavours that count under the entry; without one, of the flavour alone.
template <typename Part>
CardUnits QuotaTree::sum(QueueIndex queue, const QuotaEntry* under, FlavourIndex flavour,
                         const Charge& more, const Part& part) const {
  CardUnits sum = 0;
  bool added = false;
  for (const FlavourUsage& usage : queues_[queue.value()].usage) {
    const bool asked = usage.flavour == flavour;
    const bool counts = asked || (under != nullptr && under->pattern.is_pool() &&
                                  under->pattern.matches(flavours_[usage.flavour.value()]) &&
                                  entry(queue, usage.flavour) == under);
    if (!counts) continue;
    Charge held = part(usage);
    if (asked) {
      held += more;
      added = true;
    }
    sum = saturating_add(sum, larger_share(held, capacity(usage.flavour)));
  }
  return added ? sum : saturating_add(sum, larger_share(more, capacity(flavour)));
}

CardUnits QuotaTree::used(QueueIndex queue, const QuotaEntry* entry, FlavourIndex flavour,
                          const Charge& more) const {
  return sum(queue, entry, flavour, more, [](const FlavourUsage& usage) { return usage.total; });
}

CardUnits QuotaTree::used_by_own(QueueIndex queue, const QuotaEntry* entry, FlavourIndex flavour,
                                 const Charge& more) const {
  return sum(queue, entry, flavour, more, [](const FlavourUsage& usage) { return usage.own; });
}

CardUnits QuotaTree::used_by_class(QueueIndex queue, JobClass job_class, FlavourIndex flavour,
                                   const Charge& more) const {
  CardUnits sum = 0;
  bool added = false;
  for (const FlavourUsage& usage : queues_[queue.value()].usage) {
    if (flavours_[usage.flavour.value()].is_cpu()) continue;
    Charge held = usage.by_class[static_cast<std::size_t>(job_class)];
    if (usage.flavour == flavour) {
      held += more;
      added = true;
    }
    sum = saturating_add(sum, larger_share(held, capacity(usage.flavour)));
  }
  return added ? sum : saturating_add(sum, larger_share(more, capacity(flavour)));
}

CardUnits QuotaTree::past(QueueIndex queue, const QuotaEntry* under, FlavourIndex flavour,
                          TimeMs now, DurationMs half_life) const {
  CardUnits sum = 0;
  for (const FlavourUsage& usage : queues_[queue.value()].usage) {
    if (usage.flavour != flavour && (under == nullptr || entry(queue, usage.flavour) != under)) {
      continue;
    }
    DecayedUsage past = usage.past;
    past.advance(larger_share(usage.total, capacity(usage.flavour)), now, half_life);
    sum = saturating_add(sum, past.units());
  }
  return sum;
}

}  // namespace berth::engine
