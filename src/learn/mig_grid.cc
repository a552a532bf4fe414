#include "learn/mig_grid.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace berth::learn {
namespace {

using EngineCount = std::optional<int> MigProfile::*;
constexpr EngineCount kEngines[] = {&MigProfile::decoders, &MigProfile::encoders,
                                    &MigProfile::jpeg_decoders, &MigProfile::optical_flow};

std::uint32_t span(int start, int count) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << start);
}

}  // namespace

MigGrid::MigGrid(const GpuModel& model, const std::vector<int>& kept) : slots_(model.memory_slots) {
  add_profiles(model, kept);
  enumerate();
  if (members_.size() > kMostStates) members_.clear();
  link();
  describe();
}

// A kind of media engine limits nothing while the model leaves any profile's count of it unknown.
void MigGrid::add_profiles(const GpuModel& model, const std::vector<int>& kept) {
  limit_[0] = model.compute_slices;
  for (const int index : kept) {
    const MigProfile& source = model.mig_profiles[static_cast<std::size_t>(index)];
    Profile profile;
    profile.memory_slots = source.memory_slots;
    profile.max = source.max;
    profile.load[0] = source.compute_slices;
    for (const int start : source.starts) {
      pairs_.push_back({profiles_.size(), span(start, source.memory_slots)});
    }
    profiles_.push_back(profile);
  }
  for (std::size_t e = 0; e < kEngineKinds; ++e) {
    const EngineCount count = kEngines[e];
    const auto known = [count](const MigProfile& p) { return (p.*count).has_value(); };
    if (!std::all_of(model.mig_profiles.begin(), model.mig_profiles.end(), known)) continue;
    for (const MigProfile& p : model.mig_profiles) {
      limit_[1 + e] = std::max(limit_[1 + e], *(p.*count));
    }
    for (std::size_t k = 0; k < kept.size(); ++k) {
      profiles_[k].load[1 + e] = *(model.mig_profiles[static_cast<std::size_t>(kept[k])].*count);
    }
  }
}

void MigGrid::add(Use& use, std::size_t pair) const {
  const Profile& profile = profiles_[pairs_[pair].kind];
  use.slots |= pairs_[pair].slots;
  for (std::size_t e = 0; e <= kEngineKinds; ++e) use.load[e] += profile.load[e];
  ++use.of[pairs_[pair].kind];
}

bool MigGrid::can_add(const Use& use, std::size_t pair) const {
  const Profile& profile = profiles_[pairs_[pair].kind];
  if ((use.slots & pairs_[pair].slots) != 0 || use.of[pairs_[pair].kind] >= profile.max)
    return false;
  for (std::size_t e = 0; e <= kEngineKinds; ++e) {
    if (profile.load[e] > 0 && use.load[e] + profile.load[e] > limit_[e]) return false;
  }
  return true;
}

MigGrid::Use MigGrid::use_of(std::uint64_t members) const {
  Use use;
  use.of.assign(kinds(), 0);
  for (; members != 0; members &= members - 1) {
    add(use, static_cast<std::size_t>(std::countr_zero(members)));
  }
  return use;
}

// Each set is made once, by adding its pairs in rising order; a part of a legal set is legal.
void MigGrid::enumerate() {
  members_.push_back(0);
  for (std::size_t i = 0; i < members_.size() && members_.size() <= kMostStates; ++i) {
    const std::uint64_t set = members_[i];
    const Use use = use_of(set);
    const auto first = static_cast<std::size_t>(64 - std::countl_zero(set));
    for (std::size_t p = first; p < pairs(); ++p) {
      if (can_add(use, p)) members_.push_back(set | std::uint64_t{1} << p);
    }
  }
  std::sort(members_.begin(), members_.end());
}

void MigGrid::link() {
  put_.assign(pairs() * count(), kNoState);
  take_.assign(pairs() * count(), kNoState);
  for (std::size_t s = 0; s < count(); ++s) {
    for (std::size_t p = 0; p < pairs(); ++p) {
      const std::uint64_t bit = std::uint64_t{1} << p;
      if ((members_[s] & bit) != 0) continue;
      const auto at = std::lower_bound(members_.begin(), members_.end(), members_[s] | bit);
      if (at == members_.end() || *at != (members_[s] | bit)) continue;
      const auto next = static_cast<std::size_t>(at - members_.begin());
      put_[p * count() + s] = static_cast<std::uint16_t>(next);
      take_[p * count() + next] = static_cast<std::uint16_t>(s);
    }
  }
}

int MigGrid::count_fits(Use use, std::size_t kind) const {
  int fits = 0;
  for (std::size_t p = 0; p < pairs(); ++p) {
    if (pairs_[p].kind != kind || !can_add(use, p)) continue;
    add(use, p);
    ++fits;
  }
  return fits;
}

void MigGrid::describe() {
  facts_.resize(count());
  fits_.resize(count() * kinds());
  for (std::size_t s = 0; s < count(); ++s) {
    const Use use = use_of(members_[s]);
    Facts& facts = facts_[s];
    facts.jobs = std::popcount(members_[s]);
    facts.free_slots = slots_ - std::popcount(use.slots);
    for (std::size_t p = 0; p < pairs(); ++p) {
      const Profile& profile = profiles_[pairs_[p].kind];
      const bool by_count =
          profile.memory_slots <= facts.free_slots && use.load[0] + profile.load[0] <= limit_[0];
      if (by_count && (use.slots & pairs_[p].slots) != 0) facts.blocked += profile.memory_slots;
      if (can_add(use, p)) ++facts.open_pairs;
    }
    for (std::size_t k = 0; k < kinds(); ++k) fits_[s * kinds() + k] = count_fits(use, k);
  }
}

}  // namespace berth::learn
