#include "engine/quota/admission.h"

#include <algorithm>
#include <vector>

namespace berth::engine {
namespace {

// Card units as thousandths of a card, rounded up: what is said never looks like less.
std::int64_t milli(CardUnits units) { return (units + kCardMilli - 1) / kCardMilli; }

class Admitter {
 public:
  Admitter(const QuotaTree& tree, const QuotaNames& names, const QuotaAsk& ask, TimeMs now)
      : tree_(tree), names_(names), ask_(ask), now_(now) {}

  Admission run() const {
    const bool owned = within_guarantee(tree_, ask_.queue, ask_.flavour, ask_.charge);
    Admission admission;
    admission.ownership = owned ? LeaseOwnership::kOwned : LeaseOwnership::kBorrowed;
    for (QueueIndex q = ask_.queue; !q.is_none(); q = tree_.queue(q).parent) {
      if (auto no = over_limit(q)) return refused(std::move(*no), q);
      if (auto no = over_class_limit(q)) return refused(std::move(*no), q);
      if (auto no = over_limit_less_kept(q); no && !owned) {
        return refused(std::move(*no), QueueIndex::none());
      }
      if (auto no = over_budget(q, owned)) return refused(std::move(*no), QueueIndex::none());
    }
    if (!owned && ask_.is_protected) return refused(above_guarantee(), ask_.queue);
    if (auto no = kept_back(); no && !owned) return refused(std::move(*no), QueueIndex::none());
    return admission;
  }

 private:
  static Admission refused(Rejection why, QueueIndex by) {
    return {LeaseOwnership::kOwned, std::move(why), by};
  }

  CardUnits asked() const { return larger_share(ask_.charge, tree_.capacity(ask_.flavour)); }

  Rejection quota(QueueIndex q, std::vector<Number> numbers) const {
    const Flavour& flavour = tree_.flavour(ask_.flavour);
    numbers.insert(numbers.begin(), {"asked_milli", milli(asked())});
    if (flavour.is_cpu()) numbers.push_back({"cpus", 1});
    if (ask_.charge.memory > 0) {
      numbers.push_back({"asked_mib", ask_.charge.memory / kEighthsPerMib});
      const FlavourCapacity& capacity = tree_.capacity(ask_.flavour);
      if (capacity.units > 0) {
        const auto mib = static_cast<std::int64_t>(static_cast<__int128>(capacity.memory) * kCard /
                                                   capacity.units / kEighthsPerMib);
        numbers.push_back({"card_mib", mib});
      }
    }
    return {Rule::kQuota,
            "queue " + tree_.queue(q).spec->name + ", " + names_.flavour_name(flavour),
            std::move(numbers)};
  }

  std::optional<Rejection> over_limit(QueueIndex q) const {
    const QuotaEntry* entry = tree_.entry(q, ask_.flavour);
    if (entry == nullptr || !entry->limit) return std::nullopt;
    if (tree_.used(q, entry, ask_.flavour, ask_.charge) <= *entry->limit) return std::nullopt;
    const CardUnits used = tree_.used(q, entry, ask_.flavour, {});
    return quota(q, {{"limit_milli", milli(*entry->limit)}, {"used_milli", milli(used)}});
  }

  // Who borrows leaves, within a limit as within the fleet, what others under it lend to nobody.
  std::optional<Rejection> over_limit_less_kept(QueueIndex q) const {
    if (!tree_.keeps_back()) return std::nullopt;
    const QuotaEntry* entry = tree_.entry(q, ask_.flavour);
    if (entry == nullptr || !entry->limit) return std::nullopt;
    const CardUnits kept = kept_back_under(q, *entry);
    if (tree_.used(q, entry, ask_.flavour, ask_.charge) <= *entry->limit - kept)
      return std::nullopt;
    const CardUnits used = tree_.used(q, entry, ask_.flavour, {});
    return quota(q, {{"limit_milli", milli(*entry->limit)},
                     {"used_milli", milli(used)},
                     {"kept_back_milli", milli(kept)}});
  }

  // Of all flavours that count under the entry, by queues beside the path that ends in the asker.
  CardUnits kept_back_under(QueueIndex top, const QuotaEntry& limited) const {
    CardUnits kept = 0;
    QueueIndex below = QueueIndex::none();
    for (QueueIndex q = ask_.queue;; q = tree_.queue(q).parent) {
      for (const QueueIndex sibling : tree_.queue(q).children) {
        if (sibling != below) kept = saturating_add(kept, idle_kept_back(sibling, top, limited));
      }
      if (q == top) return kept;
      below = q;
    }
  }

  // Each entry of the queue once, whatever flavours count under it. What queues below keep back is
  // a part of what their parent does, or more than that.
  CardUnits idle_kept_back(QueueIndex q, QueueIndex top, const QuotaEntry& limited) const {
    CardUnits kept = 0;
    CardUnits below = 0;
    for (const QueueIndex child : tree_.queue(q).children) {
      below = saturating_add(below, idle_kept_back(child, top, limited));
    }
    std::vector<const QuotaEntry*> seen;
    for (std::uint16_t f = 0; f < tree_.flavour_count(); ++f) {
      const FlavourIndex flavour(f);
      const QuotaEntry* entry = tree_.entry(q, flavour);
      if (entry == nullptr || !entry->lend || tree_.entry(top, flavour) != &limited) continue;
      if (std::find(seen.begin(), seen.end(), entry) != seen.end()) continue;
      seen.push_back(entry);
      kept = saturating_add(kept, idle_kept_back(q, *entry, flavour));
    }
    return std::max(kept, below);
  }

  std::optional<Rejection> over_class_limit(QueueIndex q) const {
    if (tree_.flavour(ask_.flavour).is_cpu()) return std::nullopt;
    for (const ClassLimit& rule : tree_.queue(q).spec->class_limits) {
      if (rule.job_class != ask_.job_class) continue;
      if (tree_.used_by_class(q, ask_.job_class, ask_.flavour, ask_.charge) <= rule.limit) continue;
      const CardUnits used = tree_.used_by_class(q, ask_.job_class, ask_.flavour, {});
      return quota(q, {{"class_limit_milli", milli(rule.limit)}, {"used_milli", milli(used)}});
    }
    return std::nullopt;
  }

  std::optional<Rejection> over_budget(QueueIndex q, bool owned) const {
    const BudgetSpec& budget = tree_.queue(q).spec->budget;
    if (owned && budget.action == BudgetAction::kStopBorrowing) return std::nullopt;
    if (!budget_is_spent(tree_, names_, q, now_)) return std::nullopt;
    return quota(q, {{"spent_micro", spent_in_month(tree_, names_, q, now_)},
                     {"budget_micro", budget.per_month}});
  }

  Rejection above_guarantee() const {
    const QuotaEntry* entry = tree_.entry(ask_.queue, ask_.flavour);
    const CardUnits guarantee =
        entry == nullptr ? 0 : std::max<CardUnits>(0, tree_.own_guarantee(ask_.queue, *entry));
    const CardUnits used = tree_.used_by_own(ask_.queue, entry, ask_.flavour, {});
    return quota(ask_.queue, {{"guarantee_milli", milli(guarantee)}, {"used_milli", milli(used)}});
  }

  // Capacity that queues beside the path lend to nobody. It counts at each level: what a queue
  // keeps back is not there for its siblings, nor for the own jobs of the queue above.
  std::optional<Rejection> kept_back() const {
    if (!tree_.keeps_back()) return std::nullopt;
    const Flavour& flavour = tree_.flavour(ask_.flavour);
    CardUnits kept = 0;
    QueueIndex below = QueueIndex::none();
    for (QueueIndex q = ask_.queue;; q = tree_.queue(q).parent) {
      const auto siblings =
          q.is_none() ? tree_.roots() : std::span<const QueueIndex>(tree_.queue(q).children);
      for (const QueueIndex sibling : siblings) {
        if (sibling != below) {
          kept = saturating_add(kept, idle_kept_back(sibling, ask_.flavour));
        }
      }
      if (q.is_none()) break;
      below = q;
    }
    if (kept == 0) return std::nullopt;
    const FlavourCapacity& capacity = tree_.capacity(ask_.flavour);
    CardUnits used = 0;
    for (const QueueIndex root : tree_.roots()) {
      used = saturating_add(used, tree_.used(root, nullptr, ask_.flavour, {}));
    }
    const CardUnits left = capacity.units - used - kept;
    if (asked() <= left) return std::nullopt;
    return quota(ask_.queue, {{"left_milli", std::max<std::int64_t>(0, milli(left))},
                              {"kept_back_milli", milli(kept)},
                              {flavour.is_cpu() ? "of_cpus" : "of_cards", capacity.units / kCard}});
  }

  CardUnits idle_kept_back(QueueIndex q, FlavourIndex flavour) const {
    const QuotaEntry* entry = tree_.entry(q, flavour);
    const CardUnits own = entry == nullptr ? 0 : idle_kept_back(q, *entry, flavour);
    CardUnits below = 0;
    for (const QueueIndex child : tree_.queue(q).children) {
      below = saturating_add(below, idle_kept_back(child, flavour));
    }
    return std::max(own, below);
  }

  CardUnits idle_kept_back(QueueIndex q, const QuotaEntry& entry, FlavourIndex flavour) const {
    if (!entry.lend) return 0;
    return std::max<CardUnits>(0, entry.kept_back() - tree_.used(q, &entry, flavour, {}));
  }

  const QuotaTree& tree_;
  const QuotaNames& names_;
  const QuotaAsk& ask_;
  TimeMs now_;
};

}  // namespace

Admission admit(const QuotaTree& tree, const QuotaNames& names, const QuotaAsk& ask, TimeMs now) {
  return Admitter(tree, names, ask, now).run();
}

bool within_guarantee(const QuotaTree& tree, QueueIndex queue, FlavourIndex flavour,
                      const Charge& more) {
  const QuotaEntry* entry = tree.entry(queue, flavour);
  if (entry == nullptr) return tree.flavour(flavour).is_cpu();  // CPUs count where they are given
  return tree.used_by_own(queue, entry, flavour, more) <= tree.own_guarantee(queue, *entry);
}

bool budget_is_spent(const QuotaTree& tree, const QuotaNames& names, QueueIndex queue, TimeMs now) {
  const BudgetSpec& budget = tree.queue(queue).spec->budget;
  if (budget.per_month == 0 || budget.action == BudgetAction::kWarn) return false;
  return spent_in_month(tree, names, queue, now) >= budget.per_month;
}

MicroMoney spent_in_month(const QuotaTree& tree, const QuotaNames& names, QueueIndex queue,
                          TimeMs now) {
  MicroMoney spent = 0;
  for (const FlavourUsage& usage : tree.queue(queue).usage) {
    const MicroMoney price = names.price_per_gpu_hour(tree.flavour(usage.flavour));
    if (price > 0) spent = saturating_add(spent, usage.in_month(now).cost(price));
  }
  return spent;
}

}  // namespace berth::engine
