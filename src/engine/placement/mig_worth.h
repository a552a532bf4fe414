// MigWorths: what each occupancy of a MIG card is worth for the demand still to come, and what an
// instance costs by that measure: the worth it destroys. Where instances should lie (small ones
// together, 3g beside 4g, and so on) follows from the worth; no profile is known here by name.
//
// In the dynamic regime the worth is the learned table of the state's Fit for the model, else
//
//   W(s) = sum_k 8 mem_k / slots * fits_k(s) + jobs(s)^2 / 10 + 64 / slots^2 * free(s)^2 / 10
//
// with fits_k = how many more of profile k fit, each profile alone. In the static regime nothing
// can be created, so the worth is free(s)^2 over the layout's unused instances: the fullest card
// first. All scaled so that the largest |W| is kMigWorthFull.
//
// Derived from the state and never saved; it is stale when `key_of` has changed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/lookup_map.h"
#include "engine/placement/card_choice.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

inline constexpr std::int32_t kMigWorthFull = 1 << 22;

// State number of an occupancy: its index in {empty} followed by MigGeometry::valid_sets().
std::size_t mig_state_count(const MigGeometry& grid);
// The worth of each state while no demand is known, by state number.
std::vector<std::int32_t> default_mig_worth(const GpuModel& gpu, const MigGeometry& grid);

class MigWorths {
 public:
  // What the tables depend on; equal keys of one state mean equal tables.
  struct Key {
    std::uint64_t fit_revision = 0;
    std::size_t card_kinds = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  static Key key_of(const ClusterState& state);

  // Cost: a few look-ups per state and placement of each model that the fleet has in MIG mode.
  explicit MigWorths(const ClusterState& state);

  // Both cards in MIG mode or empty, of a kind with a MIG regime.
  std::int64_t worth(const CardKind& kind, MigOccupancy occupied) const;
  std::int64_t loss(const CardKind& kind, const CardState& before, const CardState& after) const;

  struct Start {
    std::int64_t loss = 0;
    std::uint8_t placement = 0;
  };
  // The start of least loss for one more instance, the lowest one on a tie. Whether the card may
  // take MIG work at all is not asked here.
  std::optional<Start> best_start(const CardKind& kind, MigOccupancy occupied,
                                  MigProfileIndex profile) const;
  // The same among the placements `open`, which must all be creatable.
  std::optional<Start> best_start_among(const CardKind& kind, MigOccupancy occupied,
                                        MigOccupancy open) const;

 private:
  // The dynamic regime of one model.
  struct Table {
    LookupMap<MigOccupancy, std::uint32_t> number;
    std::vector<std::int32_t> worth;  // by state number
    std::vector<Start> best;          // [profile * states + number]; kNoStart where none
  };
  static constexpr std::uint8_t kNoStart = 0xFF;

  static Table make_table(const ClusterState& state, const ModelRecord& model);
  const Table& table_of(const CardKind& kind) const;

  std::vector<Table> tables_;  // by ModelIndex; empty where the fleet has no such MIG card
};

// MIG changes by their loss of worth; every other change by the room of the card, least first.
class CardLoss final : public CardCost {
 public:
  explicit CardLoss(const MigWorths& worths) : worths_(worths) {}
  std::int64_t of_change(const CardKind& kind, const CardState& before,
                         const CardState& after) const override {
    return after.mode == CardMode::kMig ? worths_.loss(kind, before, after) : before.compute_free;
  }

 private:
  const MigWorths& worths_;
};

}  // namespace berth::engine
