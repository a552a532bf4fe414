// Every product of data/gpus: its layouts are those of a brute-force enumeration, and as many as
// are pinned here for its file.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "codec/gpu_model_codec.h"
#include "engine/sharing/mig_geometry.h"
#include "engine/sharing/mig_testing.h"

namespace berth::engine {
namespace {

using testing::BruteForce;

struct Counts {
  std::size_t valid = 0, maximal = 0, multisets = 0, maximal_multisets = 0, undominated = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};
void PrintTo(const Counts& c, std::ostream* out) {
  *out << c.valid << "/" << c.maximal << "/" << c.multisets << "/" << c.maximal_multisets << "/"
       << c.undominated;
}

// What one kind of grid allows, by the profiles that are looked at.
struct Pins {
  Counts plain;            // one profile for each size: 1g, 2g, ...
  Counts with_double;      // and the 1g with twice the memory, where there is one
  Counts all;              // and those with and without media engines, and for graphics
  Counts without_engines;  // all, if media engines were not limited
};

const Pins kSevenSlices = {{297, 19, 37, 14, 12},
                           {722, 78, 77, 38, 28},
                           {2318, 239, 127, 64, 44},
                           {2318, 239, 127, 64, 44}};
// Eight more if its one JPEG decoder could serve a 1g+me and a 2g+me at once: either half for the
// 2g, two places for the 1g, a plain 1g beside it or none.
const Pins kA30 = {{25, 5, 9, 4, 4}, {25, 5, 9, 4, 4}, {75, 17, 19, 8, 8}, {83, 21, 21, 9, 9}};
const Pins kRtxPro6000 = {
    {25, 5, 9, 4, 4}, {25, 5, 9, 4, 4}, {716, 302, 114, 64, 64}, {1248, 606, 171, 104, 104}};
// By hand: five kinds of 1g on two slots and two kinds of 2g are 10 + 2 single instances and 25
// pairs, less two that the maxima refuse (two of +me, two of +me.all) and six for which three
// decoders are too few (+me.all beside +me, a 1g or a +gfx, on either slot).
const Pins kRtxPro5000 = {
    {4, 2, 3, 2, 2}, {4, 2, 3, 2, 2}, {29, 19, 17, 12, 12}, {35, 25, 20, 15, 15}};
const Pins kRtxPro4500 = {
    {4, 2, 3, 2, 2}, {4, 2, 3, 2, 2}, {21, 13, 13, 9, 9}, {25, 17, 15, 11, 11}};

const std::map<std::string, Pins> kPinned = {
    {"A100-PCIE-40GB", kSevenSlices},
    {"A100-PCIE-80GB", kSevenSlices},
    {"A100-SXM4-40GB", kSevenSlices},
    {"A100-SXM4-80GB", kSevenSlices},
    {"A30", kA30},
    {"B200-180GB", kSevenSlices},
    {"B300-288GB", kSevenSlices},
    {"GB200-186GB", kSevenSlices},
    {"GB300-288GB", kSevenSlices},
    {"GH200-144GB", kSevenSlices},
    {"GH200-96GB", kSevenSlices},
    {"H100-NVL-94GB", kSevenSlices},
    {"H100-PCIE-80GB", kSevenSlices},
    {"H100-SXM5-80GB", kSevenSlices},
    {"H100-SXM5-96GB", kSevenSlices},
    {"H20-96GB", kSevenSlices},
    {"H200-NVL-141GB", kSevenSlices},
    {"H200-SXM5-141GB", kSevenSlices},
    {"RTX-PRO-4500-32GB", kRtxPro4500},
    {"RTX-PRO-5000-48GB", kRtxPro5000},
    {"RTX-PRO-6000-96GB", kRtxPro6000},
};

bool is_plain(const MigProfile& profile) {
  return profile.name.find_first_of("+-") == std::string::npos;
}

// The smallest number of slots among profiles of one slice.
int least_slots(const GpuModel& model) {
  int least = model.memory_slots;
  for (const MigProfile& profile : model.mig_profiles)
    least = std::min(least, profile.memory_slots);
  return least;
}

template <typename Keep>
GpuModel only(GpuModel model, Keep keep) {
  auto& profiles = model.mig_profiles;
  profiles.erase(std::remove_if(profiles.begin(), profiles.end(),
                                [&](const MigProfile& profile) { return !keep(profile); }),
                 profiles.end());
  return model;
}

GpuModel plain_and_double(const GpuModel& model) { return only(model, is_plain); }

GpuModel plain(const GpuModel& model) {
  const int least = least_slots(model);
  return only(model, [&](const MigProfile& profile) {
    return is_plain(profile) && (profile.compute_slices > 1 || profile.memory_slots == least);
  });
}

GpuModel without_engines(GpuModel model) {
  for (MigProfile& profile : model.mig_profiles) {
    profile.decoders = profile.encoders = profile.jpeg_decoders = profile.optical_flow = 0;
  }
  return model;
}

// The counts of the model's layouts, on which MigGeometry and the definition must agree.
Counts agreed_counts(const GpuModel& model) {
  const Result<MigGeometry> geometry = MigGeometry::create(model);
  if (!geometry) {
    ADD_FAILURE() << geometry.error().to_text();
    return {};
  }
  const BruteForce brute(model);
  using testing::counts_of;
  using testing::layouts_of;
  EXPECT_EQ(layouts_of(*geometry, geometry->valid_sets()), brute.layouts());
  EXPECT_EQ(layouts_of(*geometry, geometry->maximal_sets()), brute.maximal());
  EXPECT_EQ(counts_of(*geometry, geometry->multisets()), brute.multisets(brute.layouts()));
  EXPECT_EQ(counts_of(*geometry, geometry->maximal_multisets()), brute.multisets(brute.maximal()));
  EXPECT_EQ(counts_of(*geometry, geometry->undominated_multisets()), brute.undominated());
  return {geometry->valid_sets().size(), geometry->maximal_sets().size(),
          geometry->multisets().size(), geometry->maximal_multisets().size(),
          geometry->undominated_multisets().size()};
}

std::vector<GpuModel> catalogue() {
  auto models = codec::load_gpu_catalog(std::string(BERTH_SOURCE_DIR) + "/data/gpus");
  if (models) return std::move(*models);
  ADD_FAILURE() << models.error().to_text();
  return {};
}

TEST(MigCatalogue, EveryProductWithAGridIsPinnedAndNoOther) {
  std::vector<std::string> with_grid;
  for (const GpuModel& model : catalogue()) {
    if (model.has_mig()) with_grid.push_back(model.name);
  }
  std::vector<std::string> pinned;
  for (const auto& [name, pins] : kPinned) pinned.push_back(name);
  EXPECT_EQ(with_grid, pinned);
}

TEST(MigCatalogue, BruteForceAgreesOnEveryProduct) {
  for (const GpuModel& model : catalogue()) {
    const auto pins = kPinned.find(model.name);
    if (pins == kPinned.end()) continue;  // without a grid; the test above sees to it
    SCOPED_TRACE(model.name);
    EXPECT_EQ(agreed_counts(plain(model)), pins->second.plain);
    EXPECT_EQ(agreed_counts(plain_and_double(model)), pins->second.with_double);
    EXPECT_EQ(agreed_counts(model), pins->second.all);
    EXPECT_EQ(agreed_counts(without_engines(model)), pins->second.without_engines);
  }
}

}  // namespace
}  // namespace berth::engine
