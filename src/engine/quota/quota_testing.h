// For tests only: a quota tree and, beside it, the same by definition. TwinTree keeps the lists of
// what was declared and charged and works every figure out of them anew; it must share no code with
// QuotaTree.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "engine/quota/admission.h"
#include "engine/quota/quota_tree.h"

namespace berth::engine::testing {

class FixedPrices final : public QuotaNames {
 public:
  explicit FixedPrices(MicroMoney price) : price_(price) {}
  std::string flavour_name(const Flavour& /*flavour*/) const override { return "some"; }
  MicroMoney price_per_gpu_hour(const Flavour& flavour) const override {
    return flavour.is_cpu() ? 0 : price_;
  }

 private:
  MicroMoney price_;
};

struct Booking {
  QueueIndex queue;
  JobClass job_class = JobClass::kTraining;
  FlavourIndex flavour;
  Charge amount;
};

inline QuotaEntry entry_of(FlavourPattern pattern, CardUnits guarantee,
                           std::optional<CardUnits> limit = {},
                           std::optional<CardUnits> lend = {}) {
  QuotaEntry entry;
  entry.pattern = pattern;
  entry.guarantee = guarantee;
  entry.limit = limit;
  entry.lend = lend;
  entry.declared = true;
  return entry;
}

class TwinTree {
 public:
  using Entries = QuotaTree::Entries;

  TwinTree() {
    for (const PartitionIndex partition : {PartitionIndex::none(), PartitionIndex(0)}) {
      for (std::uint16_t model = 0; model < 2; ++model) {
        add({ModelIndex(model), partition}, (6 + 2 * model) * kCard, (48'001 + model * 7) * 8);
      }
      add({ModelIndex::none(), partition}, 40 * kCard, 0);
    }
  }

  // A new queue, or other words about a known one.
  QueueIndex declare(QueueSpec spec, Entries entries) {
    const QueueIndex index =
        tree_.declare(std::make_shared<QueueSpec>(spec), entries, TrustDomainIndex(0));
    if (index.value() == declared_.size()) declared_.emplace_back();
    declared_[index.value()] = {std::move(spec), std::move(entries)};
    return index;
  }

  void charge(const Booking& booking, TimeMs now) {
    tree_.charge(booking.queue, booking.job_class, booking.flavour, booking.amount, now, 0);
    bookings_.push_back(booking);
  }
  void release(std::size_t i, TimeMs now) {
    const Booking booking = bookings_[i];
    bookings_.erase(bookings_.begin() + static_cast<std::ptrdiff_t>(i));
    tree_.charge(booking.queue, booking.job_class, booking.flavour,
                 {-booking.amount.compute, -booking.amount.memory}, now, 0);
  }

  const QuotaTree& tree() const { return tree_; }
  const std::vector<Booking>& bookings() const { return bookings_; }
  const QueueSpec& spec(QueueIndex queue) const { return declared_[queue.value()].spec; }
  const std::vector<FlavourPattern>& patterns() const { return patterns_; }

  QueueIndex parent_of(QueueIndex queue) const { return tree_.find(spec(queue).parent); }
  bool is_below(QueueIndex queue, QueueIndex above) const {
    for (QueueIndex q = queue; !q.is_none(); q = parent_of(q)) {
      if (q == above) return true;
    }
    return false;
  }
  std::vector<QueueIndex> queues() const {
    std::vector<QueueIndex> all;
    for (std::uint32_t q = 0; q < declared_.size(); ++q) all.emplace_back(q);
    return all;
  }
  std::vector<FlavourIndex> flavours() const {
    std::vector<FlavourIndex> all;
    for (std::uint16_t f = 0; f < flavours_.size(); ++f) all.emplace_back(f);
    return all;
  }

  std::vector<QueueIndex> children_of(QueueIndex queue) const {
    std::vector<QueueIndex> all;
    for (const QueueIndex q : queues()) {
      if (spec(q).parent == spec(queue).name) all.push_back(q);
    }
    return all;
  }

  // By definition, from here on.

  const QuotaEntry* declared(QueueIndex queue, const FlavourPattern& pattern) const {
    for (const QuotaEntry& entry : declared_[queue.value()].entries) {
      if (entry.pattern == pattern) return &entry;
    }
    return nullptr;
  }
  CardUnits promised_to_children(QueueIndex queue, const FlavourPattern& pattern) const {
    CardUnits sum = 0;
    for (const QueueIndex q : queues()) {
      if (parent_of(q) == queue && !spec(q).parent.empty()) sum += guarantee(q, pattern);
    }
    return sum;
  }
  // Of what counts under the declared entry: under one of all models also what the queues below are
  // promised of one that it says nothing of.
  CardUnits promised_under(QueueIndex queue, const FlavourPattern& pattern) const {
    CardUnits sum = promised_to_children(queue, pattern);
    if (!pattern.is_pool() || declared(queue, pattern) == nullptr) return sum;
    for (const FlavourPattern& one : patterns_) {
      const bool part = !one.cpu && !one.is_pool() && one.partition == pattern.partition;
      if (part && declared(queue, one) == nullptr) sum += promised_to_children(queue, one);
    }
    return sum;
  }
  CardUnits guarantee(QueueIndex queue, const FlavourPattern& pattern) const {
    const QuotaEntry* own = declared(queue, pattern);
    return own != nullptr ? own->guarantee : promised_to_children(queue, pattern);
  }

  CardUnits units(const Charge& sum, FlavourIndex flavour) const {
    const auto& [cards, memory] = capacity_[flavour.value()];
    if (memory == 0) return sum.compute;
    const __int128 product = static_cast<__int128>(sum.memory) * cards;
    CardUnits by_memory = static_cast<CardUnits>(product / memory);
    if (product % memory != 0) ++by_memory;
    return std::max(sum.compute, by_memory);
  }
  // Of the bookings that `counts` accepts.
  template <typename Counts>
  CardUnits units_of(FlavourIndex flavour, const Charge& more, const Counts& counts) const {
    Charge sum = more;
    for (const Booking& one : bookings_) {
      if (one.flavour != flavour || !counts(one)) continue;
      sum.compute += one.amount.compute;
      sum.memory += one.amount.memory;
    }
    return units(sum, flavour);
  }
  // Of all flavours of the pattern that `belongs` lets count under it.
  template <typename Belongs, typename Counts>
  CardUnits units_of_all(FlavourIndex asked, const Charge& more, const Belongs& belongs,
                         const Counts& counts) const {
    CardUnits sum = 0;
    for (const FlavourIndex f : flavours()) {
      if (f == asked || belongs(f)) sum += units_of(f, f == asked ? more : Charge{}, counts);
    }
    return sum;
  }

 private:
  struct Declared {
    QueueSpec spec;
    Entries entries;
  };

  void add(const Flavour& flavour, CardUnits units, MemoryEighths per_card) {
    const FlavourIndex index = tree_.intern(flavour);
    const MemoryEighths memory = per_card * (units / kCard);
    tree_.change_capacity(index, units, memory);
    flavours_.push_back(flavour);
    capacity_.emplace_back(units, memory);
    patterns_.push_back({flavour.model, flavour.partition, flavour.is_cpu()});
    if (flavour.is_cpu()) patterns_.push_back({ModelIndex::none(), flavour.partition, false});
  }

  QuotaTree tree_;
  std::vector<Declared> declared_;
  std::vector<Booking> bookings_;
  std::vector<Flavour> flavours_;
  std::vector<std::pair<CardUnits, MemoryEighths>> capacity_;
  std::vector<FlavourPattern> patterns_;
};

// Random trees with random quotas, and random bookings against them.
class RandomQuota {
 public:
  explicit RandomQuota(std::uint64_t seed) : rng_(seed) {
    const std::uint64_t count = 2 + rng_.below(6);
    for (std::uint64_t q = 0; q < count; ++q) declare_new(q);
    for (std::uint64_t i = rng_.below(6); i > 0; --i) redeclare();
  }

  TwinTree& twin() { return twin_; }
  Rng& rng() { return rng_; }

  void redeclare() {
    const QueueIndex queue = some_queue();
    QueueSpec spec = twin_.spec(queue);
    twin_.declare(spec, random_entries());
  }
  QueueIndex some_queue() {
    return QueueIndex(static_cast<std::uint32_t>(rng_.below(twin_.queues().size())));
  }
  FlavourIndex some_flavour() {
    return FlavourIndex(static_cast<std::uint16_t>(rng_.below(twin_.flavours().size())));
  }
  Charge some_charge(FlavourIndex flavour) {
    Charge charge{static_cast<CardUnits>(rng_.below(8)) * kCard / 4, 0};
    if (rng_.below(8) == 0) charge.compute += static_cast<CardUnits>(rng_.below(1000));
    if (twin_.tree().flavour(flavour).is_cpu()) return charge;
    charge.memory = static_cast<MemoryEighths>(rng_.below(900'000));
    return charge;
  }
  Booking some_booking() {
    Booking booking{some_queue(), static_cast<JobClass>(rng_.below(3)), some_flavour(), {}};
    booking.amount = some_charge(booking.flavour);
    return booking;
  }
  void step(TimeMs now) {
    if (rng_.below(3) == 0 && !twin_.bookings().empty()) {
      twin_.release(rng_.below(twin_.bookings().size()), now);
    } else {
      twin_.charge(some_booking(), now);
    }
  }

 private:
  void declare_new(std::uint64_t number) {
    QueueSpec spec;
    spec.name = "q" + std::to_string(number);
    if (number > 0 && rng_.below(4) != 0) spec.parent = "q" + std::to_string(rng_.below(number));
    if (rng_.below(4) == 0) {
      spec.class_limits = {{static_cast<JobClass>(rng_.below(3)),
                            static_cast<CardUnits>(1 + rng_.below(8)) * kCard}};
    }
    if (rng_.below(4) == 0) {
      spec.budget = {1'000'000, static_cast<BudgetAction>(rng_.below(3))};
    }
    twin_.declare(spec, random_entries());
  }
  QuotaTree::Entries random_entries() {
    QuotaTree::Entries entries;
    for (const FlavourPattern& pattern : twin_.patterns()) {
      if (rng_.below(3) != 0) continue;
      const auto guarantee = static_cast<CardUnits>(rng_.below(5)) * kCard / 2;
      QuotaEntry entry = entry_of(pattern, guarantee);
      if (rng_.below(2) == 0) {
        entry.limit = guarantee + static_cast<CardUnits>(rng_.below(6)) * kCard / 2;
      }
      if (rng_.below(4) == 0) entry.lend = guarantee / 2;
      entries.push_back(entry);
    }
    return entries;
  }

  Rng rng_;
  TwinTree twin_;
};

}  // namespace berth::engine::testing
