#include "engine/sharing/mig_geometry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/sharing/mig_testing.h"

namespace berth::engine {
namespace {

using testing::a30_profiles;
using testing::double_memory_profile;
using testing::four_slice_profiles;
using testing::media_profile;
using testing::mig_model;
using testing::mig_profile;
using testing::seven_slice_model;
using testing::two_slice_profiles;

MigGeometry geometry_of(const GpuModel& model) {
  Result<MigGeometry> geometry = MigGeometry::create(model);
  EXPECT_TRUE(geometry.has_value()) << geometry.error().to_text();
  return std::move(*geometry);
}

MigProfileIndex profile_named(const MigGeometry& geometry, std::string_view name) {
  const auto profile = geometry.find_profile(name);
  EXPECT_TRUE(profile.has_value()) << name;
  return *profile;
}

MigOccupancy occupy(const MigGeometry& geometry,
                    std::initializer_list<std::pair<const char*, int>> instances) {
  MigOccupancy occupied = 0;
  for (const auto& [name, start] : instances) {
    const auto placement = geometry.find_placement(profile_named(geometry, name), start);
    EXPECT_TRUE(placement.has_value()) << name << " at " << start;
    occupied |= MigGeometry::bit(*placement);
  }
  return occupied;
}

int count_of(const MigGeometry& geometry, const MigCounts& counts, std::string_view name) {
  return counts[profile_named(geometry, name).value()];
}

struct Counts {
  std::size_t valid, maximal, multisets, maximal_multisets, undominated;
  friend bool operator==(const Counts&, const Counts&) = default;
};
void PrintTo(const Counts& c, std::ostream* out) {
  *out << c.valid << "/" << c.maximal << "/" << c.multisets << "/" << c.maximal_multisets << "/"
       << c.undominated;
}
Counts counts_of(const GpuModel& model) {
  const MigGeometry geometry = geometry_of(model);
  return {geometry.valid_sets().size(), geometry.maximal_sets().size(), geometry.multisets().size(),
          geometry.maximal_multisets().size(), geometry.undominated_multisets().size()};
}

// 18 = 6 ways for slots 0-3 times 3 for slots 4-7, and the whole card.
TEST(MigGeometry, CountsOfTheSevenSliceGrid) {
  EXPECT_EQ(counts_of(seven_slice_model({})), (Counts{297, 19, 37, 14, 12}));
  EXPECT_EQ(counts_of(seven_slice_model({double_memory_profile()})), (Counts{722, 78, 77, 38, 28}));
  EXPECT_EQ(counts_of(seven_slice_model({media_profile()})), (Counts{1088, 67, 63, 24, 20}));
  EXPECT_EQ(counts_of(seven_slice_model({double_memory_profile(), media_profile()})),
            (Counts{2318, 239, 127, 64, 44}));
}

TEST(MigGeometry, CountsOfTheFourAndTwoSliceGrids) {
  for (const int slots : {4, 12})
    EXPECT_EQ(counts_of(mig_model(4, slots, four_slice_profiles(slots))), (Counts{25, 5, 9, 4, 4}));
  EXPECT_EQ(counts_of(mig_model(4, 4, a30_profiles())), (Counts{75, 17, 19, 8, 8}));
  EXPECT_EQ(counts_of(mig_model(2, 2, two_slice_profiles())), (Counts{4, 2, 3, 2, 2}));
}

TEST(MigGeometry, UndominatedMultisetsOfTheSevenSliceGrid) {
  const MigGeometry geometry = geometry_of(seven_slice_model({}));
  const auto multiset = [](int g1, int g2, int g3, int g4, int g7) {
    MigMultiset result = 0;
    for (const int count : {g7, g4, g3, g2, g1}) result = result << 4 | MigMultiset(count);
    return result;
  };
  EXPECT_THAT(geometry.undominated_multisets(),
              ::testing::UnorderedElementsAre(
                  multiset(0, 0, 0, 0, 1), multiset(0, 0, 1, 1, 0), multiset(1, 1, 0, 1, 0),
                  multiset(3, 0, 0, 1, 0), multiset(0, 0, 2, 0, 0), multiset(0, 2, 1, 0, 0),
                  multiset(2, 1, 1, 0, 0), multiset(4, 0, 1, 0, 0), multiset(1, 3, 0, 0, 0),
                  multiset(3, 2, 0, 0, 0), multiset(5, 1, 0, 0, 0), multiset(7, 0, 0, 0, 0)));
}

// Public case 041, run 2: slots 0, 1 and 5 of an 80 GB Hopper card hold a 1g each.
TEST(MigGeometry, GaugesOfScatteredSlices) {
  const MigGeometry geometry = geometry_of(seven_slice_model({double_memory_profile()}));
  const MigOccupancy occupied = occupy(geometry, {{"1g.10gb", 0}, {"1g.10gb", 1}, {"1g.10gb", 5}});
  const std::vector<std::string> names = {"3g.40gb", "4g.40gb", "2g.20gb", "1g.20gb", "1g.10gb"};
  std::vector<int> now, repacked;
  for (const std::string& name : names) {
    now.push_back(count_of(geometry, geometry.can_make_now(occupied), name));
    repacked.push_back(count_of(geometry, geometry.after_repacking(occupied), name));
  }
  EXPECT_EQ(now, (std::vector<int>{0, 0, 1, 2, 4}));
  EXPECT_EQ(repacked, (std::vector<int>{1, 1, 2, 2, 4}));
  // One migration, from slot 5 to 2, is enough for a 3g.
  EXPECT_EQ(geometry.best_repacking(occupied, profile_named(geometry, "3g.40gb")),
            occupy(geometry, {{"1g.10gb", 0}, {"1g.10gb", 1}, {"1g.10gb", 2}}));
}

// Public case 041, run 1: of all ways to place three 1g, only slots 4, 5 and 6 keep a 4g possible.
TEST(MigGeometry, OneWayToPlaceThreeKeepsTheLargestHole) {
  const MigGeometry geometry = geometry_of(seven_slice_model({double_memory_profile()}));
  const MigOccupancy four = occupy(geometry, {{"4g.40gb", 0}});
  const MigMultiset three =
      geometry.multiset_of(occupy(geometry, {{"1g.10gb", 0}, {"1g.10gb", 1}, {"1g.10gb", 2}}));
  std::vector<MigOccupancy> keeping;
  for (const MigOccupancy set : geometry.valid_sets()) {
    if (geometry.multiset_of(set) == three && (geometry.creatable(set) & four) != 0)
      keeping.push_back(set);
  }
  EXPECT_THAT(keeping, ::testing::ElementsAre(
                           occupy(geometry, {{"1g.10gb", 4}, {"1g.10gb", 5}, {"1g.10gb", 6}})));
}

TEST(MigGeometry, CreatableFollowsTheSlots) {
  const MigGeometry geometry = geometry_of(seven_slice_model({}));
  const MigOccupancy occupied = occupy(geometry, {{"3g.40gb", 4}});
  EXPECT_EQ(geometry.creatable(occupied), occupy(geometry, {{"1g.10gb", 0},
                                                            {"1g.10gb", 1},
                                                            {"1g.10gb", 2},
                                                            {"1g.10gb", 3},
                                                            {"2g.20gb", 0},
                                                            {"2g.20gb", 2},
                                                            {"3g.40gb", 0},
                                                            {"4g.40gb", 0}}));
  EXPECT_EQ(geometry.slots_used(occupied), 0xF0u);
  EXPECT_EQ(geometry.slots_free(occupied), 0x0Fu);
  EXPECT_EQ(geometry.compute_used(occupied), 3);
  EXPECT_EQ(geometry.creatable(occupy(geometry, {{"7g.80gb", 0}})), 0u);
  EXPECT_FALSE(geometry.is_valid(occupy(geometry, {{"3g.40gb", 0}, {"2g.20gb", 2}})));
}

TEST(MigGeometry, WithheldSlotsAreNotOffered) {
  const MigGeometry geometry = geometry_of(seven_slice_model({}));
  const MigCounts counts = geometry.can_make_now(0, MigSlots{1} << 5);
  EXPECT_EQ(count_of(geometry, counts, "1g.10gb"), 6);
  EXPECT_EQ(count_of(geometry, counts, "2g.20gb"), 2);
  EXPECT_EQ(count_of(geometry, counts, "3g.40gb"), 1);
  EXPECT_EQ(count_of(geometry, counts, "4g.40gb"), 1);
  EXPECT_EQ(count_of(geometry, counts, "7g.80gb"), 0);
}

// The A30 has one JPEG decoder, so its 1g and its 2g with media extensions exclude each other
// although slots, maxima and compute would allow both.
TEST(MigGeometry, MediaEnginesLimitWhatFits) {
  const GpuModel model = mig_model(4, 4, a30_profiles());
  const MigGeometry geometry = geometry_of(model);
  EXPECT_FALSE(geometry.is_valid(occupy(geometry, {{"1g.6gb+me", 0}, {"2g.12gb+me", 2}})));
  EXPECT_TRUE(geometry.is_valid(occupy(geometry, {{"1g.6gb+me", 0}, {"2g.12gb", 2}})));

  GpuModel unknown = model;
  unknown.mig_profiles[0].jpeg_decoders.reset();
  const MigGeometry permissive = geometry_of(unknown);
  EXPECT_TRUE(permissive.is_valid(occupy(permissive, {{"1g.6gb+me", 0}, {"2g.12gb+me", 2}})));
}

TEST(MigGeometry, RefusesWhatItCannotNumber) {
  GpuModel without_grid = mig_model(0, 0, {});
  without_grid.mig_switching.reset();
  EXPECT_EQ(MigGeometry::create(without_grid).error().field, "memory_slots");

  GpuModel broken = seven_slice_model({});
  broken.mig_profiles[2].starts = {0, 5};
  EXPECT_EQ(MigGeometry::create(broken).error().field, "mig_profiles[2].starts[1]");

  std::vector<MigProfile> many;  // 4^16 layouts
  for (const char* name : {"1g.a", "1g.b", "1g.c", "1g.d"})
    many.push_back(mig_profile(name, 1, 1, 15, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
  EXPECT_EQ(MigGeometry::create(mig_model(32, 32, many)).error().code, ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace berth::engine
