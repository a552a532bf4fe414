// Training of the worth of MIG occupancies for a demand, by virtual runs of a fleet. The worth has
// the form W(s) = sum_k a_k fits_k(s) + b jobs(s)^2 + c free(s)^2; the weights are found by an
// evolution strategy and then compared, on runs of their own, with plain rules of several kinds, so
// that a demand for which the form does badly gets the rule that does well.
//
// Floating point, seeded; equal arguments give equal tables. The result is quantised and enters the
// engine as an event.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/gpu_model.h"
#include "model/policy.h"

namespace berth::learn {

// How much computing a training may cost: seconds of one core in all, over a fleet's life.
enum class MigEffort : std::uint8_t { kQuick, kLight, kFull };

// One sighting of an instance, as in MigWorthTable::demand.
inline constexpr std::int64_t kMigSighting = 1024;

// Whether `demand` (instances of each of the model's profiles, in 1/kMigSighting) tells enough
// that is new against `before` (null: nothing known): at the first, when it has grown several
// times, and when the mix has shifted.
bool mig_fit_due(const std::vector<std::int64_t>& demand, const MigWorthTable* before);

// A new table; nothing when the model's grid is too large to train. `before` may be null.
std::optional<MigWorthTable> fit_mig(const GpuModel& model, const std::vector<std::int64_t>& demand,
                                     const MigWorthTable* before, MigEffort effort);

}  // namespace berth::learn
