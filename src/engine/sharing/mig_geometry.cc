#include "engine/sharing/mig_geometry.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/check.h"

namespace berth::engine {
namespace {

constexpr MigSlots slot_range(int start, int count) {
  const std::uint64_t ones = (std::uint64_t{1} << count) - 1;
  return static_cast<MigSlots>(ones << start);
}

// Calls `use` with the index of each set bit, lowest first.
template <typename Use>
void for_each_bit(MigOccupancy mask, Use use) {
  for (; mask != 0; mask &= mask - 1) use(static_cast<std::size_t>(std::countr_zero(mask)));
}

template <typename T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Every count of `part` is at most that of `whole`.
bool is_part_of(MigMultiset part, MigMultiset whole) {
  for (; part != 0; part >>= 4, whole >>= 4) {
    if ((part & 15) > (whole & 15)) return false;
  }
  return true;
}

}  // namespace

Result<MigGeometry> MigGeometry::create(const GpuModel& model) {
  if (Status ok = validate(model); !ok) return tl::unexpected(ok.error());
  if (!model.has_mig())
    return invalid(model.name + " has no MIG grid; a model with memory_slots > 0 is accepted",
                   "memory_slots");
  MigGeometry geometry(model);
  if (Status ok = geometry.enumerate(); !ok) return tl::unexpected(ok.error());
  geometry.derive_multisets();
  geometry.derive_repacking();
  return geometry;
}

MigGeometry::MigGeometry(const GpuModel& model)
    : memory_slots_(model.memory_slots),
      compute_slices_(model.compute_slices),
      all_slots_(slot_range(0, model.memory_slots)) {
  number_placements(model);
  set_engines(model);
  find_conflicts();
}

void MigGeometry::number_placements(const GpuModel& model) {
  for (const MigProfile& source : model.mig_profiles) {
    Profile profile;
    profile.name = source.name;
    profile.compute_slices = source.compute_slices;
    profile.max = source.max;
    const MigProfileIndex index(static_cast<std::uint8_t>(profiles_.size()));
    for (const int start : source.starts) {
      profile.placements |= MigOccupancy{1} << placements_.size();
      placements_.push_back({index, start, slot_range(start, source.memory_slots)});
    }
    all_ |= profile.placements;
    profiles_.push_back(std::move(profile));
  }
}

void MigGeometry::set_engines(const GpuModel& model) {
  constexpr std::array<std::optional<int> MigProfile::*, kEngineKinds> kKinds = {
      &MigProfile::decoders, &MigProfile::encoders, &MigProfile::jpeg_decoders,
      &MigProfile::optical_flow};
  for (std::size_t kind = 0; kind < kEngineKinds; ++kind) {
    const auto count = kKinds[kind];
    const bool known =
        std::all_of(model.mig_profiles.begin(), model.mig_profiles.end(),
                    [&](const MigProfile& profile) { return (profile.*count).has_value(); });
    if (!known) continue;
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      profiles_[i].engines[kind] = *(model.mig_profiles[i].*count);
      engines_[kind] = std::max(engines_[kind], profiles_[i].engines[kind]);
    }
  }
}

void MigGeometry::find_conflicts() {
  conflicts_.assign(placements_.size(), 0);
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    const MigOccupancy self = MigOccupancy{1} << i;
    const Load load = load_of(self);
    conflicts_[i] = touching(placements_[i].slots);
    for (const Profile& other : profiles_) {
      if (room_for(other, self, load) == 0) conflicts_[i] |= other.placements;
    }
  }
}

std::optional<MigProfileIndex> MigGeometry::find_profile(std::string_view name) const {
  for (std::size_t i = 0; i < profiles_.size(); ++i) {
    if (profiles_[i].name == name) return MigProfileIndex(static_cast<std::uint8_t>(i));
  }
  return std::nullopt;
}

std::optional<MigPlacementIndex> MigGeometry::find_placement(MigProfileIndex profile,
                                                             int start) const {
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    if (placements_[i].profile == profile && placements_[i].start == start)
      return MigPlacementIndex(static_cast<std::uint8_t>(i));
  }
  return std::nullopt;
}

MigOccupancy MigGeometry::touching(MigSlots slots) const {
  MigOccupancy result = 0;
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    if ((placements_[i].slots & slots) != 0) result |= MigOccupancy{1} << i;
  }
  return result;
}

MigOccupancy MigGeometry::blocked_by(MigOccupancy occupied) const {
  MigOccupancy blocked = 0;
  for_each_bit(occupied, [&](std::size_t i) { blocked |= conflicts_[i]; });
  return blocked;
}

MigGeometry::Load MigGeometry::load_of(MigOccupancy occupied) const {
  Load load;
  for_each_bit(occupied, [&](std::size_t i) {
    const Profile& profile = profiles_[placements_[i].profile.value()];
    load.compute += profile.compute_slices;
    for (std::size_t kind = 0; kind < kEngineKinds; ++kind)
      load.engines[kind] += profile.engines[kind];
  });
  return load;
}

int MigGeometry::room_for(const Profile& profile, MigOccupancy occupied, const Load& load) const {
  int room = profile.max - std::popcount(occupied & profile.placements);
  room = std::min(room, (compute_slices_ - load.compute) / profile.compute_slices);
  for (std::size_t kind = 0; kind < kEngineKinds; ++kind) {
    if (profile.engines[kind] == 0) continue;
    room = std::min(room, (engines_[kind] - load.engines[kind]) / profile.engines[kind]);
  }
  return std::max(room, 0);
}

bool MigGeometry::is_valid(MigOccupancy occupied) const {
  if ((occupied & ~all_) != 0) return false;
  bool disjoint = true;
  for_each_bit(occupied, [&](std::size_t i) {
    if ((conflicts_[i] & occupied) != MigOccupancy{1} << i) disjoint = false;
  });
  if (!disjoint) return false;
  const Load load = load_of(occupied);
  if (load.compute > compute_slices_) return false;
  for (std::size_t kind = 0; kind < kEngineKinds; ++kind) {
    if (load.engines[kind] > engines_[kind]) return false;
  }
  return std::all_of(profiles_.begin(), profiles_.end(), [&](const Profile& profile) {
    return std::popcount(occupied & profile.placements) <= profile.max;
  });
}

MigOccupancy MigGeometry::creatable(MigOccupancy occupied) const {
  MigOccupancy result = all_ & ~blocked_by(occupied);
  if (conflicts_suffice_ || result == 0) return result;
  const Load load = load_of(occupied);
  for (const Profile& profile : profiles_) {
    if (room_for(profile, occupied, load) == 0) result &= ~profile.placements;
  }
  return result;
}

MigSlots MigGeometry::slots_used(MigOccupancy occupied) const {
  MigSlots used = 0;
  for_each_bit(occupied, [&](std::size_t i) { used |= placements_[i].slots; });
  return used;
}

int MigGeometry::compute_used(MigOccupancy occupied) const { return load_of(occupied).compute; }

// Earliest start first is best for one profile, because its placements are equally long and use
// equal shares of everything else.
int MigGeometry::count_alone(const Profile& profile, MigOccupancy occupied, const Load& load,
                             MigOccupancy candidates) const {
  const int room = room_for(profile, occupied, load);
  MigOccupancy open = candidates & profile.placements;
  int count = 0;
  while (open != 0 && count < room) {
    open &= ~conflicts_[static_cast<std::size_t>(std::countr_zero(open))];
    ++count;
  }
  return count;
}

MigCounts MigGeometry::can_make_now(MigOccupancy occupied, MigSlots withheld) const {
  MigOccupancy candidates = creatable(occupied);
  if (withheld != 0) candidates &= ~touching(withheld);
  MigCounts counts{};
  if (candidates == 0) return counts;
  const Load load = load_of(occupied);
  for (std::size_t i = 0; i < profiles_.size(); ++i)
    counts[i] = static_cast<std::uint8_t>(count_alone(profiles_[i], occupied, load, candidates));
  return counts;
}

MigCounts MigGeometry::after_repacking(MigOccupancy occupied) const {
  if (occupied == 0) return can_make_now(occupied);
  const MigMultiset wanted = multiset_of(occupied);
  const auto at = std::lower_bound(multisets_.begin(), multisets_.end(), wanted);
  BERTH_CHECK(at != multisets_.end() && *at == wanted);  // the occupancy was not valid
  return repacked_[static_cast<std::size_t>(at - multisets_.begin())];
}

MigMultiset MigGeometry::multiset_of(MigOccupancy occupied) const {
  MigMultiset result = 0;
  for_each_bit(occupied, [&](std::size_t i) {
    result += MigMultiset{1} << (4 * placements_[i].profile.value());
  });
  return result;
}

MigOccupancy MigGeometry::best_repacking(MigOccupancy occupied, MigProfileIndex profile) const {
  if (occupied == 0) return 0;
  const MigMultiset wanted = multiset_of(occupied);
  const std::uint8_t target = after_repacking(occupied)[profile.value()];
  MigOccupancy best = 0;
  int fewest_moves = kMaxMigPlacements;
  for (const MigOccupancy candidate : valid_sets_) {  // ascending: the smallest mask wins a tie
    if (multiset_of(candidate) != wanted) continue;
    const int moves = std::popcount(candidate & ~occupied);
    if (moves >= fewest_moves) continue;
    if (can_make_now(candidate)[profile.value()] != target) continue;
    best = candidate;
    fewest_moves = moves;
  }
  return best;
}

Status MigGeometry::enumerate() {
  conflicts_suffice_ = false;  // so that creatable() checks everything while we find out
  bool suffices = creatable(0) == all_;
  visit(0, all_);
  if (valid_sets_.size() > kMaxValidSets)
    return fail(ErrorCode::kLimitExceeded,
                "allows more than " + std::to_string(kMaxValidSets) +
                    " sets of instances; fewer profiles or starts are accepted",
                "mig_profiles");
  std::sort(valid_sets_.begin(), valid_sets_.end());
  for (const MigOccupancy set : valid_sets_) {
    const MigOccupancy addable = creatable(set);
    if (addable == 0) maximal_sets_.push_back(set);
    suffices = suffices && addable == (all_ & ~blocked_by(set));
  }
  conflicts_suffice_ = suffices;
  return {};
}

// Adds to `valid_sets_` every valid set that is `chosen` and at least one placement of `later`;
// stops soon after the limit is passed. The depth is at most the number of memory slots.
void MigGeometry::visit(MigOccupancy chosen, MigOccupancy later) {
  for_each_bit(creatable(chosen) & later, [&](std::size_t i) {
    if (valid_sets_.size() > kMaxValidSets) return;
    const MigOccupancy self = MigOccupancy{1} << i;
    valid_sets_.push_back(chosen | self);
    visit(chosen | self, later & ~(self | (self - 1)));
  });
}

void MigGeometry::derive_multisets() {
  for (const MigOccupancy set : valid_sets_) multisets_.push_back(multiset_of(set));
  sort_unique(multisets_);
  for (const MigOccupancy set : maximal_sets_) maximal_multisets_.push_back(multiset_of(set));
  sort_unique(maximal_multisets_);
  // Every multiset is part of a maximal one, so only those need comparing.
  for (const MigMultiset candidate : maximal_multisets_) {
    const bool dominated = std::any_of(
        maximal_multisets_.begin(), maximal_multisets_.end(),
        [&](MigMultiset other) { return other != candidate && is_part_of(candidate, other); });
    if (!dominated) undominated_multisets_.push_back(candidate);
  }
}

void MigGeometry::derive_repacking() {
  repacked_.assign(multisets_.size(), MigCounts{});
  for (const MigOccupancy set : valid_sets_) {
    const auto at = std::lower_bound(multisets_.begin(), multisets_.end(), multiset_of(set));
    MigCounts& best = repacked_[static_cast<std::size_t>(at - multisets_.begin())];
    const MigCounts now = can_make_now(set);
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::max(best[i], now[i]);
  }
}

}  // namespace berth::engine
