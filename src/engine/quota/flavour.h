// Flavour: what quota is given in. One GPU model in one partition, so that a guarantee is always
// usable by the class that the partition admits; or the CPUs of a partition, counted in the same
// units (one CPU = kCard), for queues that declare a quota of them.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/units.h"

namespace berth::engine {

struct Flavour {
  ModelIndex model;  // none: CPUs
  PartitionIndex partition;

  bool is_cpu() const { return model.is_none(); }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.model, self.partition);
  }
  friend bool operator==(const Flavour&, const Flavour&) = default;
};

using FlavourIndex = StrongId<struct FlavourTag, std::uint16_t>;

// What the fleet has of a flavour, on nodes that are not removed.
struct FlavourCapacity {
  CardUnits units = 0;       // cards (or CPUs) x kCard
  MemoryEighths memory = 0;  // of those cards, as the devices report; 0 of CPUs
};

// The larger component of a charge in units of the flavour, rounded up: it is at most a whole
// number of units exactly when both components are. Memory counts by the mean card of the flavour.
inline CardUnits larger_share(const Charge& charge, const FlavourCapacity& capacity) {
  if (charge.memory <= 0 || capacity.memory <= 0) return charge.compute;
  const __int128 scaled = static_cast<__int128>(charge.memory) * capacity.units;
  const auto memory = static_cast<CardUnits>((scaled + capacity.memory - 1) / capacity.memory);
  return charge.compute > memory ? charge.compute : memory;
}

}  // namespace berth::engine
