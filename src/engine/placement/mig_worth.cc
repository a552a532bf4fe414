#include "engine/placement/mig_worth.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace berth::engine {
namespace {

MigOccupancy occupancy_of(const MigGeometry& grid, std::size_t number) {
  return number == 0 ? 0 : grid.valid_sets()[number - 1];
}

// 10 slots^2 times the worth, which makes every term an integer.
std::int64_t raw_default(const GpuModel& gpu, const MigGeometry& grid, MigOccupancy occupied) {
  const std::int64_t slots = grid.memory_slots();
  const std::int64_t jobs = std::popcount(occupied);
  const std::int64_t free = std::popcount(grid.slots_free(occupied));
  const MigCounts fits = grid.can_make_now(occupied);
  std::int64_t worth = slots * slots * jobs * jobs + 64 * free * free;
  for (std::size_t k = 0; k < gpu.mig_profiles.size(); ++k) {
    worth += 80 * slots * gpu.mig_profiles[k].memory_slots * fits[k];
  }
  return worth;
}

// The learned table of the model, where there is one that belongs to this grid.
const std::vector<std::int32_t>* learned(const ClusterState& state, const ModelRecord& model) {
  if (state.fit() == nullptr) return nullptr;
  for (const MigWorthTable& table : state.fit()->mig) {
    if (table.model == model.gpu->name && table.worth.size() == mig_state_count(*model.mig)) {
      return &table.worth;
    }
  }
  return nullptr;
}

}  // namespace

std::size_t mig_state_count(const MigGeometry& grid) { return grid.valid_sets().size() + 1; }

std::vector<std::int32_t> default_mig_worth(const GpuModel& gpu, const MigGeometry& grid) {
  std::vector<std::int64_t> raw(mig_state_count(grid));
  std::int64_t top = 1;
  for (std::size_t s = 0; s < raw.size(); ++s) {
    raw[s] = raw_default(gpu, grid, occupancy_of(grid, s));
    top = std::max(top, raw[s]);
  }
  std::vector<std::int32_t> worth(raw.size());
  for (std::size_t s = 0; s < raw.size(); ++s) {  // to the nearest; every raw worth is >= 0
    worth[s] = static_cast<std::int32_t>((2 * raw[s] * kMigWorthFull + top) / (2 * top));
  }
  return worth;
}

MigWorths::Key MigWorths::key_of(const ClusterState& state) {
  return {state.fit_revision(), state.card_kind_count()};
}

MigWorths::MigWorths(const ClusterState& state) : tables_(state.model_count()) {
  for (std::size_t i = 0; i < state.card_kind_count(); ++i) {
    const CardKind& kind = state.card_kind(CardKindIndex(static_cast<std::uint16_t>(i)));
    if (kind.regime != MigRegime::kDynamic) continue;
    Table& table = tables_[kind.model.value()];
    if (table.worth.empty()) table = make_table(state, state.model(kind.model));
  }
}

MigWorths::Table MigWorths::make_table(const ClusterState& state, const ModelRecord& model) {
  const MigGeometry& grid = *model.mig;
  const std::size_t count = mig_state_count(grid);
  Table table;
  const std::vector<std::int32_t>* known = learned(state, model);
  table.worth = known == nullptr ? default_mig_worth(*model.gpu, grid) : *known;
  table.number.reserve(count);
  for (std::size_t s = 0; s < count; ++s) {
    table.number.insert(occupancy_of(grid, s), static_cast<std::uint32_t>(s));
  }
  table.best.assign(count * static_cast<std::size_t>(grid.profile_count()), {0, kNoStart});
  for (std::size_t s = 0; s < count; ++s) {
    const MigOccupancy occupied = occupancy_of(grid, s);
    for (MigOccupancy open = grid.creatable(occupied); open != 0; open &= open - 1) {
      const auto placement = static_cast<std::uint8_t>(std::countr_zero(open));
      const MigPlacementIndex index(placement);
      const std::uint32_t next = *table.number.find(occupied | MigGeometry::bit(index));
      const std::int64_t loss = table.worth[s] - table.worth[next];
      Start& best = table.best[grid.placement(index).profile.value() * count + s];
      if (best.placement == kNoStart || loss < best.loss) best = {loss, placement};
    }
  }
  return table;
}

const MigWorths::Table& MigWorths::table_of(const CardKind& kind) const {
  const Table& table = tables_[kind.model.value()];
  BERTH_CHECK(!table.worth.empty());  // stale, or a kind without MIG
  return table;
}

std::int64_t MigWorths::worth(const CardKind& kind, MigOccupancy occupied) const {
  if (kind.regime == MigRegime::kStatic) {
    const std::int64_t slots = kind.mig->memory_slots();
    const std::int64_t free = std::popcount(kind.mig->slots_used(kind.layout & ~occupied));
    return free * free * kMigWorthFull / (slots * slots);
  }
  const Table& table = table_of(kind);
  const std::uint32_t* number = table.number.find(occupied);
  BERTH_CHECK(number != nullptr);
  return table.worth[*number];
}

std::int64_t MigWorths::loss(const CardKind& kind, const CardState& before,
                             const CardState& after) const {
  return worth(kind, before.mig) - worth(kind, after.mig);
}

std::optional<MigWorths::Start> MigWorths::best_start_among(const CardKind& kind,
                                                            MigOccupancy occupied,
                                                            MigOccupancy open) const {
  std::optional<Start> best;
  for (; open != 0; open &= open - 1) {
    const auto placement = static_cast<std::uint8_t>(std::countr_zero(open));
    const MigOccupancy after = occupied | MigGeometry::bit(MigPlacementIndex(placement));
    const std::int64_t loss = worth(kind, occupied) - worth(kind, after);
    if (!best || loss < best->loss) best = Start{loss, placement};
  }
  return best;
}

std::optional<MigWorths::Start> MigWorths::best_start(const CardKind& kind, MigOccupancy occupied,
                                                      MigProfileIndex profile) const {
  if (kind.regime == MigRegime::kStatic) {
    const MigOccupancy open = kind.layout & ~occupied & kind.mig->placements_of(profile);
    return best_start_among(kind, occupied, open & (~open + 1));  // all lose the same
  }
  const Table& table = table_of(kind);
  const std::uint32_t* number = table.number.find(occupied);
  BERTH_CHECK(number != nullptr);
  const Start& best = table.best[profile.value() * table.worth.size() + *number];
  if (best.placement == kNoStart) return std::nullopt;
  return best;
}

}  // namespace berth::engine
