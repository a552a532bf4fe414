// QuotaTree: the queues as a tree with what they are promised and what they hold, per flavour.
//
// Owns: guarantees, weights, limits and the exact accounting of usage: charges of every lease in
// its queue and in all queues above, held card time, decayed past usage. It knows no job and no
// node, and never decides who goes first (queue_order.h) or whether a job may start (admission.h).
//
// An inner queue that declares nothing of a flavour has what its children are promised together.
// Jobs of an inner queue itself draw on what it has beyond its children.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/lookup_map.h"
#include "base/units.h"
#include "engine/quota/card_time.h"
#include "engine/quota/decay.h"
#include "engine/quota/flavour.h"
#include "model/fleet.h"

namespace berth::engine {

// Which flavours a quota is about.
struct FlavourPattern {
  ModelIndex model;  // none: of every GPU model together, or CPUs
  PartitionIndex partition;
  bool cpu = false;

  bool matches(const Flavour& flavour) const {
    if (flavour.partition != partition || flavour.is_cpu() != cpu) return false;
    return cpu || model.is_none() || model == flavour.model;
  }
  bool is_pool() const { return !cpu && model.is_none(); }
  friend bool operator==(const FlavourPattern&, const FlavourPattern&) = default;
};

// One quota of a queue.
struct QuotaEntry {
  FlavourPattern pattern;
  CardUnits guarantee = 0;
  CardUnits children = 0;  // guarantees of the same pattern in the queues below, one level
  std::int64_t weight = 1;
  std::optional<CardUnits> limit;
  std::optional<CardUnits> lend;
  bool declared = false;  // false: implied by the queues below

  // The part of the guarantee that others never use.
  CardUnits kept_back() const { return lend ? guarantee - *lend : 0; }
};

// What the leases of a queue and of all queues below hold of one flavour.
struct FlavourUsage {
  FlavourIndex flavour;
  Charge total;
  std::array<Charge, 3> by_class;  // by JobClass
  Charge own;                      // of the queue's own jobs
  TimeMs since = 0;                // up to here time is in the figures below
  CardTime held;                   // since ever, by compute
  std::int64_t month = 0;          // that `held_in_month` is about; months since 1970
  CardTime held_in_month;
  DecayedUsage past;

  // Card time of the calendar month (UTC) of `now`.
  CardTime in_month(TimeMs now) const;
  // The figures of time only; what is held follows from the leases.
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.flavour, self.since, self.held, self.month, self.held_in_month, self.past);
  }
};

struct QueueRecord {
  std::shared_ptr<const QueueSpec> spec;
  QueueIndex parent;
  std::uint32_t depth = 0;  // of a root: 0
  TrustDomainIndex trust_domain;
  std::vector<QueueIndex> children;  // in the order in which they were declared
  std::vector<QuotaEntry> entries;
  std::vector<FlavourUsage> usage;  // sorted by flavour
  std::uint64_t eased = 0;          // times that something was given back

  const FlavourUsage* find(FlavourIndex flavour) const;
};

// Months since 1970 of a time in ms since 1970, and when a month begins.
std::int64_t month_of(TimeMs at);
TimeMs begin_of_month(std::int64_t month);

class QuotaTree {
 public:
  // Quotas of a queue as declared, with names resolved.
  using Entries = std::vector<QuotaEntry>;

  // A new queue, or another spec for a known one; parent and trust domain stay.
  QueueIndex declare(std::shared_ptr<const QueueSpec> spec, Entries entries,
                     TrustDomainIndex trust_domain);

  QueueIndex find(std::string_view name) const;
  std::span<const QueueRecord> queues() const { return queues_; }
  const QueueRecord& queue(QueueIndex index) const { return queues_[index.value()]; }
  std::span<const QueueIndex> roots() const { return roots_; }
  // Whether nothing is promised to the queue or forbidden to it: no quota, limit or budget of its
  // own or above, and none that others keep to themselves.
  bool is_open(QueueIndex queue) const;
  // Whether no limit, budget or quota of others can refuse what the queue asks above its guarantee.
  bool is_unlimited(QueueIndex queue) const;
  // Whether some queue declares a quota of CPUs.
  bool counts_cpus() const { return counts_cpus_; }
  // Whether some queue lends less than all of its guarantee.
  bool keeps_back() const { return keeps_back_; }

  FlavourIndex intern(const Flavour& flavour);
  FlavourIndex find(const Flavour& flavour) const;
  const Flavour& flavour(FlavourIndex index) const { return flavours_[index.value()]; }
  std::size_t flavour_count() const { return flavours_.size(); }
  const FlavourCapacity& capacity(FlavourIndex index) const { return capacity_[index.value()]; }
  void change_capacity(FlavourIndex flavour, CardUnits units, MemoryEighths memory);

  // Adds to (or, negative, takes from) what the queue and all above it hold. What was held until
  // `now` is booked first. `half_life` 0: past usage is not followed.
  void charge(QueueIndex queue, JobClass job_class, FlavourIndex flavour, const Charge& amount,
              TimeMs now, DurationMs half_life);
  // The same without booking time: for a trial that is undone, and for a state that is loaded.
  void hold(QueueIndex queue, JobClass job_class, FlavourIndex flavour, const Charge& amount);
  // Figures of time of a loaded state.
  void restore(QueueIndex queue, const FlavourUsage& figures);

  // Grows whenever the queue may be allowed more than before: what it held was given back, or
  // quotas or the fleet have changed. Derived.
  std::uint64_t eased(QueueIndex queue) const { return eased_ + queues_[queue.value()].eased; }

  // The entry that a flavour counts under in the queue: the most particular one that it declares,
  // else the most particular one that queues below imply; null: none.
  const QuotaEntry* entry(QueueIndex queue, FlavourIndex flavour) const;
  // What the queue's own jobs have of the entry's guarantee: the part that no queue below is
  // promised. May be below 0.
  CardUnits own_guarantee(QueueIndex queue, const QuotaEntry& entry) const;
  // What the queue holds of all flavours of the entry, in card units, if `more` of `flavour` came.
  CardUnits used(QueueIndex queue, const QuotaEntry* entry, FlavourIndex flavour,
                 const Charge& more) const;
  // What the queue's own jobs hold; of a queue without children the same as `used`.
  CardUnits used_by_own(QueueIndex queue, const QuotaEntry* entry, FlavourIndex flavour,
                        const Charge& more) const;
  // What jobs of the class hold in the queue, of all GPU models, if `more` came.
  CardUnits used_by_class(QueueIndex queue, JobClass job_class, FlavourIndex flavour,
                          const Charge& more) const;
  // Decayed past usage of the entry's flavours at `now`, in card units.
  CardUnits past(QueueIndex queue, const QuotaEntry* entry, FlavourIndex flavour, TimeMs now,
                 DurationMs half_life) const;

 private:
  FlavourUsage& usage_of(QueueIndex queue, FlavourIndex flavour);
  void add_to_parents(QueueIndex queue, const Entries& entries, int sign);
  template <typename Part>
  CardUnits sum(QueueIndex queue, const QuotaEntry* entry, FlavourIndex flavour, const Charge& more,
                const Part& part) const;

  std::vector<QueueRecord> queues_;
  NameMap<QueueIndex> by_name_;
  std::vector<QueueIndex> roots_;
  std::vector<Flavour> flavours_;
  std::vector<FlavourCapacity> capacity_;  // by flavour
  std::uint64_t eased_ = 0;                // for all queues
  bool counts_cpus_ = false;
  bool keeps_back_ = false;  // some queue lends less than its guarantee
};

}  // namespace berth::engine
