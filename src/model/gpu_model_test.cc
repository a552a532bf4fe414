#include "model/gpu_model.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace berth {
namespace {

GpuModel a_card() {
  GpuModel model;
  model.name = "H100-SXM5-80GB";
  model.aliases = {"H100"};
  model.vendor = "nvidia";
  model.architecture = "hopper";
  model.device_ids = {"2330"};
  model.memory_mib = 81'079;
  model.memory_reserved_mib = 480;
  model.sms = 132;
  model.memory_slots = 8;
  model.compute_slices = 7;
  model.mig_switching = MigSwitching{};
  model.nvlink = {NvLinkReach::kNode, 4, 18, 900};
  model.time_slicing = {true, true};

  MigProfile whole;
  whole.name = "7g.80gb";
  whole.id = 0;
  whole.compute_slices = 7;
  whole.memory_slots = 8;
  whole.memory_mib = 81'152;
  whole.sms = 132;
  whole.max = 1;
  whole.starts = {0};
  MigProfile half;
  half.name = "3g.40gb";
  half.id = 9;
  half.compute_slices = 3;
  half.memory_slots = 4;
  half.max = 2;
  half.starts = {0, 4};
  model.mig_profiles = {whole, half};
  return model;
}

GpuModel a_card_without_mig() {
  GpuModel model = a_card();
  model.name = "T4";
  model.aliases.clear();
  model.device_ids = {"1EB8"};
  model.memory_slots = 0;
  model.compute_slices = 0;
  model.mig_profiles.clear();
  model.mig_switching.reset();
  return model;
}

struct Broken {
  std::string field;    // where the error must point
  std::string message;  // part of what it must say
  std::function<void(GpuModel&)> change;
};

void expect_refused(const Broken& broken) {
  GpuModel model = a_card();
  broken.change(model);
  const Status status = validate(model);
  ASSERT_FALSE(status.has_value()) << broken.field;
  EXPECT_EQ(status.error().field, broken.field);
  EXPECT_NE(status.error().message.find(broken.message), std::string::npos)
      << status.error().to_text();
}

TEST(GpuModel, AcceptsCardsWithAndWithoutMig) {
  EXPECT_TRUE(validate(a_card()).has_value());
  EXPECT_TRUE(validate(a_card_without_mig()).has_value());
  EXPECT_TRUE(a_card().has_mig());
  EXPECT_FALSE(a_card_without_mig().has_mig());
}

// The driver sizes the whole-card instance from the total, so it may exceed the usable memory.
TEST(GpuModel, TotalIsUsablePlusReserved) {
  EXPECT_EQ(a_card().memory_total_mib(), 81'559);
  GpuModel model = a_card();
  model.memory_reserved_mib.reset();
  EXPECT_EQ(model.memory_total_mib(), 81'079);
  EXPECT_EQ(validate(model).error().field, "mig_profiles[0].memory_mib");
}

TEST(GpuModel, RefusesBadNamesAndIds) {
  expect_refused({"name", "1 to 64 letters", [](GpuModel& m) { m.name = ""; }});
  expect_refused({"name", "is 'H100 SXM'", [](GpuModel& m) { m.name = "H100 SXM"; }});
  expect_refused({"aliases[0]", "named twice", [](GpuModel& m) { m.aliases = {m.name}; }});
  expect_refused({"vendor", "is ''", [](GpuModel& m) { m.vendor.clear(); }});
  for (const char* capability : {"9", "9.", ".0", "9.0.1", "sm_90", ""}) {
    expect_refused({"compute_capability", "two numbers",
                    [=](GpuModel& m) { m.compute_capability = capability; }});
  }
  expect_refused({"device_ids[0]", "hex digits", [](GpuModel& m) { m.device_ids = {"20b0"}; }});
  expect_refused({"device_ids[1]", "named twice", [](GpuModel& m) {
                    m.device_ids = {"2330", "2330"};
                  }});
}

TEST(GpuModel, RefusesValuesOutOfRange) {
  expect_refused({"memory_mib", "from 1 to", [](GpuModel& m) { m.memory_mib = 0; }});
  expect_refused({"memory_reserved_mib", "is -1", [](GpuModel& m) { m.memory_reserved_mib = -1; }});
  expect_refused({"sms_mig", "from 1 to 132", [](GpuModel& m) { m.sms_mig = 133; }});
  expect_refused({"mps.sm_chunk", "from 1 to 132", [](GpuModel& m) { m.mps.sm_chunk = 200; }});
  expect_refused({"peak.bf16_gflop_s", "is 0", [](GpuModel& m) { m.peak.bf16_gflop_s = 0; }});
  expect_refused(
      {"mig_switching.switch_ms", "is -5", [](GpuModel& m) { m.mig_switching->switch_ms = -5; }});
  expect_refused(
      {"nvlink.reach", "leave them out", [](GpuModel& m) { m.nvlink.reach = NvLinkReach::kNone; }});
  expect_refused({"time_slicing.quantum_settable", "false is accepted",
                  [](GpuModel& m) { m.time_slicing.supported = false; }});
}

TEST(GpuModel, RefusesProfilesOffTheGrid) {
  expect_refused({"mig_profiles[1].starts[1]", "from 0 to 4", [](GpuModel& m) {
                    m.mig_profiles[1].starts = {0, 5};
                  }});
  expect_refused({"mig_profiles[1].starts[1]", "must ascend", [](GpuModel& m) {
                    m.mig_profiles[1].starts = {4, 0};
                  }});
  expect_refused({"mig_profiles[1].starts", "is empty",
                  [](GpuModel& m) { m.mig_profiles[1].starts.clear(); }});
  expect_refused({"mig_profiles[1].memory_slots", "from 1 to 8",
                  [](GpuModel& m) { m.mig_profiles[1].memory_slots = 9; }});
  expect_refused(
      {"mig_profiles[1].sms", "from 1 to 132", [](GpuModel& m) { m.mig_profiles[1].sms = 133; }});
}

// Overlapping starts are normal (a 3g at 0 or at 2); what cannot be is a maximum that no set of
// disjoint starts, or no number of compute slices, reaches.
TEST(GpuModel, RefusesAMaximumThatNoLayoutReaches) {
  expect_refused({"mig_profiles[1].max", "from 1 to 1", [](GpuModel& m) {
                    m.mig_profiles[1].starts = {0, 2};
                  }});
  expect_refused({"mig_profiles[1].max", "from 1 to 1", [](GpuModel& m) {
                    m.mig_profiles[1].compute_slices = 4;
                    m.mig_profiles[1].name = "4g.40gb";
                  }});
}

TEST(GpuModel, RefusesNamesAndIdsThatDoNotIdentify) {
  expect_refused({"mig_profiles[1].id", "the id of '7g.80gb' too",
                  [](GpuModel& m) { m.mig_profiles[1].id = 0; }});
  expect_refused({"mig_profiles[1].name", "must start with '3g.'",
                  [](GpuModel& m) { m.mig_profiles[1].name = "4g.40gb"; }});
  expect_refused({"mig_profiles[2].name", "named twice",
                  [](GpuModel& m) { m.mig_profiles.push_back(m.mig_profiles[1]); }});
}

TEST(GpuModel, RefusesAHalfDescribedGrid) {
  expect_refused({"compute_slices", "both are 0", [](GpuModel& m) { m.compute_slices = 0; }});
  expect_refused({"mig_profiles", "is empty", [](GpuModel& m) { m.mig_profiles.clear(); }});
  expect_refused({"mig_switching", "is missing", [](GpuModel& m) { m.mig_switching.reset(); }});
  expect_refused({"mig_profiles", "leave them out", [](GpuModel& m) {
                    m.memory_slots = 0;
                    m.compute_slices = 0;
                  }});
  expect_refused({"mig_profiles", "at most 16", [](GpuModel& m) { m.mig_profiles.resize(17); }});
}

// Occupancies are 64-bit masks.
TEST(GpuModel, RefusesMorePlacementsThanAMaskHolds) {
  expect_refused({"mig_profiles", "from 0 to 64", [](GpuModel& m) {
                    m.compute_slices = m.memory_slots = 32;
                    m.mig_profiles.resize(1);
                    for (const char* name : {"1g.a", "1g.b", "1g.c"}) {
                      MigProfile profile;
                      profile.name = name;
                      profile.compute_slices = profile.memory_slots = profile.max = 1;
                      for (int start = 0; start < 32; ++start) profile.starts.push_back(start);
                      m.mig_profiles.push_back(profile);
                    }
                  }});
}

TEST(GpuModel, CatalogueNamesEachThingOnce) {
  const GpuModel card = a_card();
  EXPECT_TRUE(validate_catalogue({card, a_card_without_mig()}).has_value());

  GpuModel same_alias = a_card_without_mig();
  same_alias.aliases = {"H100"};
  const Status aliases = validate_catalogue({card, same_alias});
  EXPECT_EQ(aliases.error().field, "models[1].aliases");
  EXPECT_EQ(aliases.error().message,
            "'H100' of T4 belongs to H100-SXM5-80GB already; it may name one model only");

  GpuModel same_id = a_card_without_mig();
  same_id.device_ids = {"2330"};
  EXPECT_EQ(validate_catalogue({card, same_id}).error().field, "models[1].device_ids");
}

}  // namespace
}  // namespace berth
