// For tests only: MIG grids built in code, and BruteForce, a second way to answer every question
// that MigGeometry answers. BruteForce must never share code with MigGeometry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/sharing/mig_geometry.h"
#include "model/gpu_model.h"

namespace berth::engine::testing {

inline MigProfile mig_profile(std::string name, int compute, int slots, int max,
                              std::vector<int> starts) {
  return grid_profile(std::move(name), std::nullopt, compute, slots, max, std::move(starts));
}

inline GpuModel mig_model(int compute_slices, int memory_slots, std::vector<MigProfile> profiles) {
  GpuModel model;
  model.name = "Test-Card";
  model.vendor = "nvidia";
  model.architecture = "test";
  model.memory_mib = 80'000;
  model.sms = 100;
  model.memory_slots = memory_slots;
  model.compute_slices = compute_slices;
  model.mig_profiles = std::move(profiles);
  model.mig_switching = MigSwitching{};
  return model;
}

// The seven-slice, eight-slot grid of the A100, Hopper and data-centre Blackwell cards.
inline std::vector<MigProfile> seven_slice_profiles() {
  return {mig_profile("1g.10gb", 1, 1, 7, {0, 1, 2, 3, 4, 5, 6}),
          mig_profile("2g.20gb", 2, 2, 3, {0, 2, 4}), mig_profile("3g.40gb", 3, 4, 2, {0, 4}),
          mig_profile("4g.40gb", 4, 4, 1, {0}), mig_profile("7g.80gb", 7, 8, 1, {0})};
}
inline MigProfile double_memory_profile() { return mig_profile("1g.20gb", 1, 2, 4, {0, 2, 4, 6}); }
inline MigProfile media_profile() {
  return mig_profile("1g.10gb+me", 1, 1, 1, {0, 1, 2, 3, 4, 5, 6});
}
inline GpuModel seven_slice_model(std::vector<MigProfile> extra) {
  std::vector<MigProfile> profiles = seven_slice_profiles();
  profiles.insert(profiles.end(), extra.begin(), extra.end());
  return mig_model(7, 8, std::move(profiles));
}

// Four slices on `slots` memory slots: the A30 (4) and the RTX PRO 6000 (12).
inline std::vector<MigProfile> four_slice_profiles(int slots) {
  const int quarter = slots / 4;
  return {mig_profile("1g.6gb", 1, quarter, 4, {0, quarter, 2 * quarter, 3 * quarter}),
          mig_profile("2g.12gb", 2, 2 * quarter, 2, {0, 2 * quarter}),
          mig_profile("4g.24gb", 4, slots, 1, {0})};
}

// The A30 with its media extensions. Its one JPEG decoder makes them exclude each other.
inline std::vector<MigProfile> a30_profiles() {
  std::vector<MigProfile> profiles = four_slice_profiles(4);
  profiles.push_back(mig_profile("1g.6gb+me", 1, 1, 1, {0, 1, 2, 3}));
  profiles.push_back(mig_profile("2g.12gb+me", 2, 2, 1, {0, 2}));
  for (std::size_t i = 0; i < profiles.size(); ++i) profiles[i].jpeg_decoders = i < 2 ? 0 : 1;
  return profiles;
}

// Two slices: the RTX PRO 5000 and 4500.
inline std::vector<MigProfile> two_slice_profiles() {
  return {mig_profile("1g.24gb", 1, 1, 2, {0, 1}), mig_profile("2g.48gb", 2, 2, 1, {0})};
}

// The answers from the definition alone: sets of (profile, start) tried one by one.
class BruteForce {
 public:
  using Instance = std::pair<int, int>;  // profile, start
  using Layout = std::set<Instance>;
  using Multiset = std::vector<int>;  // count per profile

  explicit BruteForce(const GpuModel& model) : model_(model) {
    for (std::size_t p = 0; p < model.mig_profiles.size(); ++p) {
      for (const int start : model.mig_profiles[p].starts)
        instances_.emplace_back(static_cast<int>(p), start);
    }
    extend({}, 0);
  }

  const std::set<Layout>& layouts() const { return layouts_; }

  std::set<Layout> maximal() const {
    std::set<Layout> result;
    for (const Layout& layout : layouts_) {
      if (addable(layout).empty()) result.insert(layout);
    }
    return result;
  }

  std::set<Multiset> multisets(const std::set<Layout>& layouts) const {
    std::set<Multiset> result;
    for (const Layout& layout : layouts) result.insert(multiset(layout));
    return result;
  }

  std::set<Multiset> undominated() const {
    const std::set<Multiset> all = multisets(layouts_);
    std::set<Multiset> result;
    for (const Multiset& candidate : all) {
      const bool dominated = std::any_of(all.begin(), all.end(), [&](const Multiset& other) {
        if (other == candidate) return false;
        for (std::size_t i = 0; i < other.size(); ++i) {
          if (candidate[i] > other[i]) return false;
        }
        return true;
      });
      if (!dominated) result.insert(candidate);
    }
    return result;
  }

  std::vector<Instance> addable(const Layout& layout) const {
    std::vector<Instance> result;
    for (const Instance& instance : instances_) {
      Layout more = layout;
      if (more.insert(instance).second && valid(more)) result.push_back(instance);
    }
    return result;
  }

  int most_now(const Layout& layout, int profile) const {
    int best = 0;
    for (const Instance& instance : addable(layout)) {
      if (instance.first != profile) continue;
      Layout more = layout;
      more.insert(instance);
      best = std::max(best, 1 + most_now(more, profile));
    }
    return best;
  }

  int most_repacked(const Layout& layout, int profile) const {
    const Multiset wanted = multiset(layout);
    int best = 0;
    for (const Layout& other : layouts_) {
      if (multiset(other) == wanted) best = std::max(best, most_now(other, profile));
    }
    return best;
  }

  Multiset multiset(const Layout& layout) const {
    Multiset counts(model_.mig_profiles.size(), 0);
    for (const Instance& instance : layout) ++counts[static_cast<std::size_t>(instance.first)];
    return counts;
  }

  bool valid(const Layout& layout) const {
    std::vector<int> owners(static_cast<std::size_t>(model_.memory_slots), 0);
    int compute = 0;
    for (const auto& [p, start] : layout) {
      const MigProfile& profile = model_.mig_profiles[static_cast<std::size_t>(p)];
      compute += profile.compute_slices;
      for (int slot = start; slot < start + profile.memory_slots; ++slot)
        if (++owners[static_cast<std::size_t>(slot)] > 1) return false;
    }
    if (compute > model_.compute_slices) return false;
    const Multiset counts = multiset(layout);
    for (std::size_t p = 0; p < counts.size(); ++p)
      if (counts[p] > model_.mig_profiles[p].max) return false;
    return engines_hold(counts, &MigProfile::decoders) &&
           engines_hold(counts, &MigProfile::encoders) &&
           engines_hold(counts, &MigProfile::jpeg_decoders) &&
           engines_hold(counts, &MigProfile::optical_flow);
  }

 private:
  bool engines_hold(const Multiset& counts, std::optional<int> MigProfile::*engines) const {
    int card = 0;
    int used = 0;
    for (std::size_t p = 0; p < counts.size(); ++p) {
      const std::optional<int>& each = model_.mig_profiles[p].*engines;
      if (!each) return true;
      card = std::max(card, *each);
      used += counts[p] * *each;
    }
    return used <= card;
  }

  void extend(const Layout& chosen, std::size_t next) {
    if (next == instances_.size()) {
      if (!chosen.empty()) layouts_.insert(chosen);
      return;
    }
    extend(chosen, next + 1);
    Layout more = chosen;
    more.insert(instances_[next]);
    if (valid(more)) extend(more, next + 1);
  }

  const GpuModel& model_;
  std::vector<Instance> instances_;
  std::set<Layout> layouts_;
};

// What MigGeometry answers, in the words of BruteForce.
inline BruteForce::Layout layout_of(const MigGeometry& geometry, MigOccupancy occupied) {
  BruteForce::Layout layout;
  for (std::size_t i = 0; i < geometry.placements().size(); ++i) {
    const MigPlacement& placement = geometry.placements()[i];
    if ((occupied >> i & 1) != 0) layout.emplace(placement.profile.value(), placement.start);
  }
  return layout;
}

inline std::set<BruteForce::Layout> layouts_of(const MigGeometry& geometry,
                                               std::span<const MigOccupancy> sets) {
  std::set<BruteForce::Layout> result;
  for (const MigOccupancy set : sets) result.insert(layout_of(geometry, set));
  return result;
}

inline std::set<BruteForce::Multiset> counts_of(const MigGeometry& geometry,
                                                std::span<const MigMultiset> multisets) {
  std::set<BruteForce::Multiset> result;
  for (const MigMultiset multiset : multisets) {
    BruteForce::Multiset counts;
    for (int p = 0; p < geometry.profile_count(); ++p)
      counts.push_back(
          MigGeometry::count_in(multiset, MigProfileIndex(static_cast<std::uint8_t>(p))));
    result.insert(counts);
  }
  return result;
}

}  // namespace berth::engine::testing
