// MigGeometry: which MIG instances fit together on a card of one model, derived from the profiles'
// placements alone.
//
// It owns the numbering of a model's placements, the enumeration of every valid set of them, and
// the questions asked of one card's occupancy. It never decides where an instance should go, knows
// nothing of demand, and keeps no state of a card: an occupancy is an argument.
//
// A set of placements is valid when its memory slots are disjoint, no profile exceeds its `max`,
// its compute slices fit the card, and so do its media engines: a card has as many engines of a
// kind as the profile that holds most of them, and a kind limits nothing while the model leaves
// any profile's count of it unknown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "model/gpu_model.h"

namespace berth::engine {

// Dense numbers within one model: of a profile, in the order of GpuModel::mig_profiles; of a
// placement, by (profile, start).
using MigProfileIndex = StrongId<struct MigProfileTag, std::uint8_t>;
using MigPlacementIndex = StrongId<struct MigPlacementTag, std::uint8_t>;

using MigOccupancy = std::uint64_t;  // bit i: placement i
using MigSlots = std::uint32_t;      // bit i: memory slot i

// How many of each profile, four bits a profile; equal exactly when the multisets are equal.
using MigMultiset = std::uint64_t;

struct MigPlacement {
  MigProfileIndex profile;
  int start = 0;       // first memory slot
  MigSlots slots = 0;  // all memory slots

  friend bool operator==(const MigPlacement&, const MigPlacement&) = default;
};

// One number per profile; entries at or beyond profile_count() are 0.
using MigCounts = std::array<std::uint8_t, kMaxMigProfiles>;

class MigGeometry {
 public:
  // Refuses a model without a MIG grid, one that validate() refuses, and a grid of more than
  // kMaxValidSets valid sets. Cost: one visit per valid set.
  static Result<MigGeometry> create(const GpuModel& model);
  static constexpr std::size_t kMaxValidSets = 200'000;

  int profile_count() const { return static_cast<int>(profiles_.size()); }
  int memory_slots() const { return memory_slots_; }
  int compute_slices() const { return compute_slices_; }
  std::span<const MigPlacement> placements() const { return placements_; }
  const MigPlacement& placement(MigPlacementIndex index) const {
    return placements_[index.value()];
  }
  MigOccupancy all_placements() const { return all_; }
  MigOccupancy placements_of(MigProfileIndex profile) const {
    return profiles_[profile.value()].placements;
  }
  std::optional<MigProfileIndex> find_profile(std::string_view name) const;
  std::optional<MigPlacementIndex> find_placement(MigProfileIndex profile, int start) const;

  static constexpr MigOccupancy bit(MigPlacementIndex index) {
    return MigOccupancy{1} << index.value();
  }

  // Placements that can never stand beside `index`, itself included.
  MigOccupancy conflicts(MigPlacementIndex index) const { return conflicts_[index.value()]; }
  // Placements that use any of `slots`: what to leave out when slots are out of service.
  MigOccupancy touching(MigSlots slots) const;

  bool is_valid(MigOccupancy occupied) const;
  // The placements that can be added to a valid occupancy, each alone.
  MigOccupancy creatable(MigOccupancy occupied) const;

  MigSlots slots_used(MigOccupancy occupied) const;
  MigSlots slots_free(MigOccupancy occupied) const { return ~slots_used(occupied) & all_slots_; }
  int compute_used(MigOccupancy occupied) const;

  // Per profile, each profile alone: the most instances that can be added to a valid occupancy as
  // it stands, using none of the `withheld` slots.
  MigCounts can_make_now(MigOccupancy occupied, MigSlots withheld = 0) const;
  // The same after the occupants were re-packed as is best for that profile. O(log multisets).
  MigCounts after_repacking(MigOccupancy occupied) const;
  // An occupancy with the occupants of `occupied` that realises after_repacking for `profile`;
  // among those, the one that moves the fewest instances, then the smallest mask.
  MigOccupancy best_repacking(MigOccupancy occupied, MigProfileIndex profile) const;

  MigMultiset multiset_of(MigOccupancy occupied) const;
  static int count_in(MigMultiset multiset, MigProfileIndex profile) {
    return static_cast<int>(multiset >> (4 * profile.value()) & 15);
  }

  // All ascending; the empty set is in none of them.
  std::span<const MigOccupancy> valid_sets() const { return valid_sets_; }
  // Valid sets to which nothing can be added.
  std::span<const MigOccupancy> maximal_sets() const { return maximal_sets_; }
  // What valid sets hold, wherever it stands.
  std::span<const MigMultiset> multisets() const { return multisets_; }
  // What maximal sets hold.
  std::span<const MigMultiset> maximal_multisets() const { return maximal_multisets_; }
  // Multisets that are part of no larger multiset, wherever their members stand.
  std::span<const MigMultiset> undominated_multisets() const { return undominated_multisets_; }

 private:
  static constexpr int kEngineKinds = 4;  // decoders, encoders, JPEG decoders, optical flow
  using EngineCounts = std::array<int, kEngineKinds>;

  struct Profile {
    std::string name;
    int compute_slices = 0;
    int max = 0;
    EngineCounts engines{};
    MigOccupancy placements = 0;
  };
  // What a set holds of the quantities that are added up.
  struct Load {
    int compute = 0;
    EngineCounts engines{};
  };

  explicit MigGeometry(const GpuModel& model);
  void number_placements(const GpuModel& model);
  void find_conflicts();
  void set_engines(const GpuModel& model);
  Status enumerate();
  void visit(MigOccupancy chosen, MigOccupancy later);
  void derive_multisets();
  void derive_repacking();

  Load load_of(MigOccupancy occupied) const;
  // Most further instances of a profile that maxima, compute and engines allow; ignores slots.
  int room_for(const Profile& profile, MigOccupancy occupied, const Load& load) const;
  int count_alone(const Profile& profile, MigOccupancy occupied, const Load& load,
                  MigOccupancy candidates) const;
  MigOccupancy blocked_by(MigOccupancy occupied) const;

  int memory_slots_ = 0;
  int compute_slices_ = 0;
  MigSlots all_slots_ = 0;
  MigOccupancy all_ = 0;
  EngineCounts engines_{};  // of the card
  std::vector<Profile> profiles_;
  std::vector<MigPlacement> placements_;
  std::vector<MigOccupancy> conflicts_;

  std::vector<MigOccupancy> valid_sets_;
  std::vector<MigOccupancy> maximal_sets_;
  std::vector<MigMultiset> multisets_;
  std::vector<MigMultiset> maximal_multisets_;
  std::vector<MigMultiset> undominated_multisets_;
  std::vector<MigCounts> repacked_;  // parallel to multisets_
  // True when pairwise conflicts already imply maxima, compute and engines, as on the 7/8 grid.
  bool conflicts_suffice_ = false;
};

}  // namespace berth::engine
