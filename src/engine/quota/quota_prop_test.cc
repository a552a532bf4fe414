// Random trees of queues, random quotas and charges: accounting and admission against what they
// are by definition.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/quota/quota_testing.h"

namespace berth::engine {
namespace {

using testing::Booking;
using testing::FixedPrices;
using testing::RandomQuota;
using testing::TwinTree;

constexpr MicroMoney kPrice = 1'000'000;  // a card for an hour

const QuotaEntry* find(const QuotaTree& tree, QueueIndex queue, const FlavourPattern& pattern) {
  for (const QuotaEntry& entry : tree.queue(queue).entries) {
    if (entry.pattern == pattern) return &entry;
  }
  return nullptr;
}

RC_GTEST_PROP(QuotaTreeProperty, GuaranteesOfInnerQueuesAreThoseOfTheirChildren,
              (std::uint64_t seed)) {
  RandomQuota random(seed);
  const TwinTree& twin = random.twin();
  for (int round = 0; round < 4; ++round) {
    for (const QueueIndex queue : twin.queues()) {
      for (const FlavourPattern& pattern : twin.patterns()) {
        const QuotaEntry* entry = find(twin.tree(), queue, pattern);
        RC_ASSERT((entry == nullptr ? 0 : entry->guarantee) == twin.guarantee(queue, pattern));
        RC_ASSERT((entry == nullptr ? 0 : entry->children) ==
                  twin.promised_to_children(queue, pattern));
        RC_ASSERT((entry != nullptr && entry->declared) ==
                  (twin.declared(queue, pattern) != nullptr));
      }
    }
    random.redeclare();
  }
}

RC_GTEST_PROP(QuotaTreeProperty, TheOrderOfDeclarationsMeansNothing, (std::uint64_t seed)) {
  RandomQuota random(seed);
  TwinTree& twin = random.twin();
  // the same queues without quotas first, then their quotas in another order
  TwinTree other;
  std::vector<QueueIndex> order = twin.queues();
  for (const QueueIndex q : order) other.declare(twin.spec(q), {});
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.rng().below(i)]);
  }
  for (const QueueIndex q : order) {
    QuotaTree::Entries entries;
    for (const FlavourPattern& pattern : twin.patterns()) {
      if (const QuotaEntry* entry = twin.declared(q, pattern)) entries.push_back(*entry);
    }
    other.declare(twin.spec(q), entries);
  }
  for (const QueueIndex q : twin.queues()) {
    for (const FlavourPattern& pattern : twin.patterns()) {
      const QuotaEntry* a = find(twin.tree(), q, pattern);
      const QuotaEntry* b = find(other.tree(), q, pattern);
      RC_ASSERT((a == nullptr ? 0 : a->guarantee) == (b == nullptr ? 0 : b->guarantee));
      RC_ASSERT((a == nullptr ? 0 : a->children) == (b == nullptr ? 0 : b->children));
    }
  }
}

RC_GTEST_PROP(QuotaTreeProperty, UsageIsTheSumOfWhatIsHeld, (std::uint64_t seed)) {
  RandomQuota random(seed);
  TwinTree& twin = random.twin();
  const QuotaTree& tree = twin.tree();
  for (int i = 0; i < 40; ++i) random.step(i);
  for (const QueueIndex q : twin.queues()) {
    for (const FlavourIndex f : twin.flavours()) {
      const QuotaEntry* entry = tree.entry(q, f);
      const Charge more = random.some_charge(f);
      const auto belongs = [&](FlavourIndex other) {
        return entry != nullptr && tree.entry(q, other) == entry;
      };
      const auto below = [&](const Booking& one) { return twin.is_below(one.queue, q); };
      const auto own = [&](const Booking& one) { return one.queue == q; };
      RC_ASSERT(tree.used(q, entry, f, more) == twin.units_of_all(f, more, belongs, below));
      RC_ASSERT(tree.used_by_own(q, entry, f, more) == twin.units_of_all(f, more, belongs, own));
      RC_ASSERT(tree.used(q, nullptr, f, more) == twin.units_of(f, more, below));
      for (const JobClass c : {JobClass::kInference, JobClass::kTraining}) {
        if (tree.flavour(f).is_cpu()) continue;
        const auto cards = [&](FlavourIndex other) { return !tree.flavour(other).is_cpu(); };
        const auto of_class = [&](const Booking& one) { return one.job_class == c && below(one); };
        RC_ASSERT(tree.used_by_class(q, c, f, more) == twin.units_of_all(f, more, cards, of_class));
      }
    }
  }
}

RC_GTEST_PROP(QuotaTreeProperty, WhatIsGivenBackLeavesNothing, (std::uint64_t seed)) {
  RandomQuota random(seed);
  TwinTree& twin = random.twin();
  for (int i = 0; i < 30; ++i) random.step(i);
  while (!twin.bookings().empty()) twin.release(random.rng().below(twin.bookings().size()), 50);
  for (const QueueIndex q : twin.queues()) {
    for (const FlavourUsage& usage : twin.tree().queue(q).usage) {
      RC_ASSERT(usage.total == Charge{});
      RC_ASSERT(usage.own == Charge{});
      for (const Charge& one : usage.by_class) RC_ASSERT(one == Charge{});
    }
  }
}

// A pattern with a model counts one flavour; a pool counts all that the queue declares nothing more
// particular of. What is only implied by the queues below steps back behind both.
bool counts_under(const TwinTree& twin, QueueIndex queue, const QuotaEntry& entry,
                  FlavourIndex flavour) {
  const Flavour& wanted = twin.tree().flavour(flavour);
  if (!entry.pattern.matches(wanted)) return false;
  if (!entry.declared) return twin.tree().entry(queue, flavour) == &entry;
  return !entry.pattern.is_pool() ||
         twin.declared(queue, {wanted.model, wanted.partition, false}) == nullptr;
}

CardUnits held_under(const TwinTree& twin, QueueIndex queue, const QuotaEntry& entry) {
  CardUnits sum = 0;
  for (const FlavourIndex f : twin.flavours()) {
    if (!counts_under(twin, queue, entry, f)) continue;
    sum +=
        twin.units_of(f, {}, [&](const Booking& one) { return twin.is_below(one.queue, queue); });
  }
  return sum;
}

bool is_over_some_limit(const TwinTree& twin, QueueIndex queue) {
  for (const QuotaEntry& entry : twin.tree().queue(queue).entries) {
    if (entry.limit && held_under(twin, queue, entry) > *entry.limit) return true;
  }
  for (const ClassLimit& rule : twin.spec(queue).class_limits) {
    CardUnits held = 0;
    for (const FlavourIndex f : twin.flavours()) {
      if (twin.tree().flavour(f).is_cpu()) continue;
      held += twin.units_of(f, {}, [&](const Booking& one) {
        return one.job_class == rule.job_class && twin.is_below(one.queue, queue);
      });
    }
    if (held > rule.limit) return true;
  }
  return false;
}

QuotaAsk ask_for(const Booking& booking, bool is_protected = false) {
  return {booking.queue, booking.job_class, booking.flavour, booking.amount, is_protected};
}

RC_GTEST_PROP(AdmissionProperty, NoQueueNorAnyAboveItExceedsALimit, (std::uint64_t seed)) {
  RandomQuota random(seed);
  TwinTree& twin = random.twin();
  const FixedPrices names(0);
  for (int i = 0; i < 60; ++i) {
    const Booking booking = random.some_booking();
    if (random.rng().below(4) == 0 && !twin.bookings().empty()) {
      twin.release(random.rng().below(twin.bookings().size()), i);
    } else if (!admit(twin.tree(), names, ask_for(booking), i).refusal) {
      twin.charge(booking, i);
    }
    for (const QueueIndex q : twin.queues()) RC_ASSERT(!is_over_some_limit(twin, q));
  }
}

// The larger of the two, as the queue's own jobs stand to its own part of the guarantee.
bool is_owned(const TwinTree& twin, const Booking& booking) {
  const QuotaTree& tree = twin.tree();
  const QuotaEntry* entry = tree.entry(booking.queue, booking.flavour);
  if (entry == nullptr) return tree.flavour(booking.flavour).is_cpu();
  const CardUnits held = twin.units_of_all(
      booking.flavour, booking.amount,
      [&](FlavourIndex f) { return counts_under(twin, booking.queue, *entry, f); },
      [&](const Booking& one) { return one.queue == booking.queue; });
  return held <= twin.guarantee(booking.queue, entry->pattern) -
                     twin.promised_under(booking.queue, entry->pattern);
}

MicroMoney spent_below(const TwinTree& twin, QueueIndex queue, TimeMs now) {
  // all bookings were made at time 0 of the month
  MicroMoney spent = 0;
  for (const FlavourIndex f : twin.flavours()) {
    if (twin.tree().flavour(f).is_cpu()) continue;
    CardUnits compute = 0;
    for (const Booking& one : twin.bookings()) {
      if (one.flavour == f && twin.is_below(one.queue, queue)) compute += one.amount.compute;
    }
    spent +=
        static_cast<MicroMoney>(static_cast<__int128>(compute) * now * kPrice / kCard / kHourMs);
  }
  return spent;
}

// What the queue and those below it keep back of the flavour and do not use: what it says itself,
// or what they say if that is more.
CardUnits kept_within(const TwinTree& twin, QueueIndex q, FlavourIndex flavour) {
  const QuotaEntry* entry = twin.tree().entry(q, flavour);
  CardUnits own = 0;
  if (entry != nullptr && entry->lend) {
    own = std::max<CardUnits>(0, entry->guarantee - *entry->lend - held_under(twin, q, *entry));
  }
  CardUnits below = 0;
  for (const QueueIndex child : twin.children_of(q)) below += kept_within(twin, child, flavour);
  return std::max(own, below);
}

// What queues beside the path keep back and do not use.
CardUnits kept_back(const TwinTree& twin, QueueIndex asker, FlavourIndex flavour) {
  CardUnits kept = 0;
  for (const QueueIndex q : twin.queues()) {
    const bool on_path = twin.is_below(asker, q);
    const QueueIndex parent = twin.spec(q).parent.empty() ? QueueIndex::none() : twin.parent_of(q);
    if (on_path || (!parent.is_none() && !twin.is_below(asker, parent))) continue;
    kept += kept_within(twin, q, flavour);
  }
  return kept;
}

bool leaves_what_is_kept(const TwinTree& twin, const Booking& booking) {
  const CardUnits kept = kept_back(twin, booking.queue, booking.flavour);
  if (kept == 0) return true;
  CardUnits used = 0;
  for (const QueueIndex root : twin.queues()) {
    if (!twin.spec(root).parent.empty()) continue;
    used += twin.units_of(booking.flavour, {},
                          [&](const Booking& one) { return twin.is_below(one.queue, root); });
  }
  return twin.units(booking.amount, booking.flavour) <=
         twin.tree().capacity(booking.flavour).units - used - kept;
}

// What the queue and those below it keep back of what counts under the entry of `top`.
CardUnits kept_within(const TwinTree& twin, QueueIndex q, QueueIndex top,
                      const QuotaEntry& limited) {
  CardUnits own = 0;
  for (const QuotaEntry& entry : twin.tree().queue(q).entries) {
    if (!entry.lend) continue;
    bool counts = false;
    for (const FlavourIndex f : twin.flavours()) {
      counts = counts || (counts_under(twin, q, entry, f) && counts_under(twin, top, limited, f));
    }
    if (!counts) continue;
    own += std::max<CardUnits>(0, entry.guarantee - *entry.lend - held_under(twin, q, entry));
  }
  CardUnits below = 0;
  for (const QueueIndex child : twin.children_of(q)) {
    below += kept_within(twin, child, top, limited);
  }
  return std::max(own, below);
}

// What queues beside the path from the asker up to `top` keep back of what counts under its entry.
CardUnits kept_back_under(const TwinTree& twin, QueueIndex asker, QueueIndex top,
                          const QuotaEntry& limited) {
  CardUnits kept = 0;
  for (const QueueIndex q : twin.queues()) {
    if (q == top || !twin.is_below(q, top)) continue;
    if (twin.is_below(asker, q) || !twin.is_below(asker, twin.parent_of(q))) continue;
    kept += kept_within(twin, q, top, limited);
  }
  return kept;
}

// Every rule that may refuse it, by definition.
bool some_rule_refuses(TwinTree& twin, const Booking& booking, bool owned, bool is_protected,
                       TimeMs now) {
  bool over_budget = false;
  for (QueueIndex q = booking.queue;; q = twin.parent_of(q)) {
    const BudgetSpec& budget = twin.spec(q).budget;
    const bool stops = budget.action == BudgetAction::kHoldNew ||
                       (budget.action == BudgetAction::kStopBorrowing && !owned);
    over_budget = over_budget ||
                  (stops && budget.per_month > 0 && spent_below(twin, q, now) >= budget.per_month);
    if (twin.spec(q).parent.empty()) break;
  }
  const bool kept = leaves_what_is_kept(twin, booking);
  if (over_budget || (!owned && (is_protected || !kept))) return true;
  // only what the charge itself pushes over counts: the rest was over before and is not asked
  twin.charge(booking, 0);
  bool over = false;
  for (QueueIndex q = booking.queue;; q = twin.parent_of(q)) {
    const QuotaEntry* entry = twin.tree().entry(q, booking.flavour);
    if (entry != nullptr && entry->limit) {
      const CardUnits kept_under = owned ? 0 : kept_back_under(twin, booking.queue, q, *entry);
      over = over || held_under(twin, q, *entry) > *entry->limit - kept_under;
    }
    for (const ClassLimit& rule : twin.spec(q).class_limits) {
      if (rule.job_class != booking.job_class) continue;
      if (twin.tree().flavour(booking.flavour).is_cpu()) continue;
      over = over || is_over_some_limit(twin, q);
    }
    if (twin.spec(q).parent.empty()) break;
  }
  twin.release(twin.bookings().size() - 1, 0);
  return over;
}

RC_GTEST_PROP(AdmissionProperty, RefusedExactlyWhenSomeRuleSaysSo, (std::uint64_t seed)) {
  RandomQuota random(seed);
  TwinTree& twin = random.twin();
  const FixedPrices names(kPrice);
  // within what limits allow, so that no queue is over one before it is asked
  for (int i = 0; i < 30; ++i) {
    const Booking booking = random.some_booking();
    if (!admit(twin.tree(), names, ask_for(booking), 0).refusal) twin.charge(booking, 0);
  }
  const TimeMs now = static_cast<TimeMs>(random.rng().below(2 * kHourMs));
  for (int i = 0; i < 30; ++i) {
    const Booking booking = random.some_booking();
    const bool is_protected = random.rng().below(4) == 0;
    const bool owned = is_owned(twin, booking);
    RC_ASSERT(within_guarantee(twin.tree(), booking.queue, booking.flavour, booking.amount) ==
              owned);
    const Admission verdict = admit(twin.tree(), names, ask_for(booking, is_protected), now);
    RC_ASSERT(verdict.refusal.has_value() ==
              some_rule_refuses(twin, booking, owned, is_protected, now));
    if (verdict.refusal) continue;
    RC_ASSERT((verdict.ownership == LeaseOwnership::kOwned) == owned);
  }
}

// Limits and budgets of queues that both stand under are shared; without them nothing is.
void check_others_change_nothing(std::uint64_t seed) {
  RandomQuota random(seed);
  TwinTree& twin = random.twin();
  const FixedPrices names(kPrice);
  for (int i = 0; i < 10; ++i) random.step(0);
  const Booking mine = random.some_booking();
  for (QueueIndex q = mine.queue; !twin.spec(q).parent.empty();) {
    q = twin.parent_of(q);
    QueueSpec spec = twin.spec(q);
    spec.class_limits.clear();
    spec.budget = {};
    QuotaTree::Entries entries;
    for (const FlavourPattern& pattern : twin.patterns()) {
      const QuotaEntry* entry = twin.declared(q, pattern);
      if (entry != nullptr) entries.push_back(testing::entry_of(pattern, entry->guarantee));
    }
    twin.declare(spec, entries);
  }
  const auto verdict = [&] { return admit(twin.tree(), names, ask_for(mine), kHourMs); };
  const bool owned = is_owned(twin, mine);
  const bool before = verdict().refusal.has_value();
  for (int i = 0; i < 30; ++i) {
    const Booking other = random.some_booking();
    if (!twin.is_below(other.queue, mine.queue)) twin.charge(other, 0);
  }
  RC_ASSERT(is_owned(twin, mine) == owned);
  if (owned) RC_ASSERT(verdict().refusal.has_value() == before);
}

RC_GTEST_PROP(AdmissionProperty, NobodyElseChangesAVerdictWithinAGuarantee, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 20; ++i) check_others_change_nothing(seed * 20 + i);
}

}  // namespace
}  // namespace berth::engine
