// On random grids, MigGeometry and the definition agree on every question.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "engine/sharing/mig_geometry.h"
#include "engine/sharing/mig_testing.h"

namespace berth::engine {
namespace {

using testing::BruteForce;
using testing::counts_of;
using testing::layout_of;
using testing::layouts_of;

// Uniform over [least, most] whatever rapidcheck's current size.
int pick(int least, int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

std::vector<int> random_starts(int memory_slots, int size) {
  std::vector<int> starts;
  for (int start = 0; start + size <= memory_slots; ++start) {
    if (pick(0, 3) != 0) starts.push_back(start);
  }
  if (starts.empty()) starts.push_back(0);
  return starts;
}

GpuModel random_model() {
  const int memory_slots = pick(2, 8);
  const int compute_slices = pick(2, 8);
  const int profile_count = pick(1, 4);
  GpuModel model = testing::mig_model(compute_slices, memory_slots, {});
  for (int i = 0; i < profile_count; ++i) {
    const int compute = pick(1, std::min(3, compute_slices));
    const int slots = pick(1, std::min(4, memory_slots));
    const std::string name = std::to_string(compute) + "g." + std::to_string(i);
    MigProfile profile =
        testing::mig_profile(name, compute, slots, 1, random_starts(memory_slots, slots));
    if (pick(0, 1) == 0) profile.decoders = pick(0, 2);
    profile.optical_flow = pick(0, 1);
    model.mig_profiles.push_back(profile);
    // The largest maximum up to a random one that validate() accepts.
    MigProfile& added = model.mig_profiles.back();
    added.max = pick(1, 8);
    while (added.max > 1 && !validate(model)) --added.max;
  }
  return model;
}

RC_GTEST_PROP(MigGeometryProp, EnumerationsAgreeWithTheDefinition, ()) {
  const GpuModel model = random_model();
  const Result<MigGeometry> geometry = MigGeometry::create(model);
  RC_ASSERT(geometry.has_value());
  const BruteForce brute(model);
  RC_ASSERT(layouts_of(*geometry, geometry->valid_sets()) == brute.layouts());
  RC_ASSERT(layouts_of(*geometry, geometry->maximal_sets()) == brute.maximal());
  RC_ASSERT(counts_of(*geometry, geometry->multisets()) == brute.multisets(brute.layouts()));
  RC_ASSERT(counts_of(*geometry, geometry->maximal_multisets()) ==
            brute.multisets(brute.maximal()));
  RC_ASSERT(counts_of(*geometry, geometry->undominated_multisets()) == brute.undominated());
  RC_TAG(geometry->valid_sets().size() > 100 ? "large" : "small");
}

RC_GTEST_PROP(MigGeometryProp, GaugesAgreeWithTheDefinition, ()) {
  const GpuModel model = random_model();
  const Result<MigGeometry> geometry = MigGeometry::create(model);
  RC_ASSERT(geometry.has_value());
  const BruteForce brute(model);
  const int last = static_cast<int>(geometry->valid_sets().size()) - 1;
  const auto at = static_cast<std::size_t>(pick(0, last));
  const MigOccupancy occupied = geometry->valid_sets()[at];
  const BruteForce::Layout layout = layout_of(*geometry, occupied);

  MigOccupancy addable = 0;
  for (const auto& [profile, start] : brute.addable(layout))
    addable |= MigGeometry::bit(
        *geometry->find_placement(MigProfileIndex(static_cast<std::uint8_t>(profile)), start));
  RC_ASSERT(geometry->creatable(occupied) == addable);

  const MigCounts now = geometry->can_make_now(occupied);
  const MigCounts repacked = geometry->after_repacking(occupied);
  for (int p = 0; p < geometry->profile_count(); ++p) {
    const MigProfileIndex profile(static_cast<std::uint8_t>(p));
    RC_ASSERT(now[profile.value()] == brute.most_now(layout, p));
    RC_ASSERT(repacked[profile.value()] == brute.most_repacked(layout, p));
    const MigOccupancy best = geometry->best_repacking(occupied, profile);
    RC_ASSERT(geometry->is_valid(best));
    RC_ASSERT(geometry->multiset_of(best) == geometry->multiset_of(occupied));
    RC_ASSERT(geometry->can_make_now(best)[profile.value()] == repacked[profile.value()]);
  }
}

RC_GTEST_PROP(MigGeometryProp, ValidityAgreesOnAnySetOfPlacements, ()) {
  const GpuModel model = random_model();
  const Result<MigGeometry> geometry = MigGeometry::create(model);
  RC_ASSERT(geometry.has_value());
  const BruteForce brute(model);
  MigOccupancy any = geometry->all_placements();
  for (int thinning = pick(0, 3); thinning > 0; --thinning)
    any &= *rc::gen::arbitrary<MigOccupancy>();
  RC_ASSERT(geometry->is_valid(any) == brute.valid(layout_of(*geometry, any)));
}

}  // namespace
}  // namespace berth::engine
