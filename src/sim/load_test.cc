// Every simulation, fleet and policy that is shipped can be loaded, and results can be read back.
#include "sim/load.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "codec/file.h"
#include "sim/report/json.h"
#include "sim/result_reader.h"

namespace berth::sim {
namespace {

Places shipped() { return {std::string(BERTH_SOURCE_DIR) + "/data", "/nonexistent"}; }

std::string shipped_file(const std::string& name) { return shipped().data + "/workloads/" + name; }

TEST(Load, ShippedSimulationsAreWhole) {
  for (const char* name : {"demo-day.yaml", "sample.yaml", "sim-events.yaml", "training.yaml"}) {
    const auto loaded = load_simulation(shipped_file(name), shipped(), {});
    ASSERT_TRUE(loaded) << loaded.error().to_text();
    EXPECT_FALSE(loaded->input.nodes.empty());
    EXPECT_EQ(loaded->skipped.count, 0U);
    EXPECT_TRUE(loaded->input.jobs->next());
  }
}

TEST(Load, ShippedPoliciesAreValid) {
  const auto files = codec::list_files(shipped().data + "/policies", ".yaml");
  ASSERT_TRUE(files);
  for (const std::string& file : *files) {
    const auto policy = load_policy(std::filesystem::path(file).stem().string(), shipped());
    EXPECT_TRUE(policy) << policy.error().to_text();
  }
}

TEST(Load, UnknownNamesAreAnsweredWithTheNearest) {
  Overrides overrides;
  overrides.policy = "bestift";
  const auto loaded = load_simulation(shipped_file("sample.yaml"), shipped(), overrides);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("did you mean 'bestfit'"), std::string::npos);
}

TEST(Load, ShippedMixesAreValid) {
  const auto files = codec::list_files(shipped().data + "/mixes", ".yaml");
  ASSERT_TRUE(files);
  ASSERT_FALSE(files->empty());
  Overrides overrides;
  for (const std::string& file : *files) {
    overrides.mix = std::filesystem::path(file).stem().string();
    const auto loaded = load_simulation(shipped_file("sample.yaml"), shipped(), overrides);
    ASSERT_TRUE(loaded) << loaded.error().to_text();
    EXPECT_FALSE(loaded->input.mix.empty());
  }
}

// Loads a simulation that names mix.yaml beside it, under `policy`.
Result<LoadedSimulation> load_with_mix(const std::string& mix, const std::string& policy) {
  const std::string folder = ::testing::TempDir();
  EXPECT_TRUE(codec::write_file(folder + "/mix.yaml", mix));
  EXPECT_TRUE(codec::write_file(folder + "/with-mix.yaml",
                                "name: with-mix\nfleet: mixed-1000\nworkload: demo\nduration: 1h\n"
                                "mix: mix.yaml\npolicy: " +
                                    policy + "\n"));
  return load_simulation(folder + "/with-mix.yaml", shipped(), {});
}

TEST(Load, AMixIsFoundBesideItsFile) {
  const auto loaded =
      load_with_mix("mix:\n- {weight: 7, shape: {cpu: 1, devices: [{count: 2}]}}\n", "berth_given");
  ASSERT_TRUE(loaded) << loaded.error().to_text();
  ASSERT_EQ(loaded->input.mix.size(), 1U);
  EXPECT_EQ(loaded->input.mix[0].weight, 7);
  EXPECT_FALSE(loaded->input.policy.learn_mix);
}

TEST(Load, AWrongMixSaysFileAndLine) {
  const auto loaded = load_with_mix("mix:\n- weight: 1\n  shape: {gpus: 2}\n", "berth");
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("mix.yaml:3: mix[0].shape"), std::string::npos)
      << loaded.error().message;
}

TEST(Load, APolicyThatLivesByAGivenMixNeedsOne) {
  Overrides overrides;
  overrides.policy = "berth_given";
  const auto loaded = load_simulation(shipped_file("sample.yaml"), shipped(), overrides);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("mix: is needed: policy 'berth_given'"), std::string::npos);
  overrides.mix = "opneb";
  const auto misspelt = load_simulation(shipped_file("sample.yaml"), shipped(), overrides);
  ASSERT_FALSE(misspelt);
  EXPECT_NE(misspelt.error().message.find("did you mean 'openb'"), std::string::npos);
}

TEST(Load, AMissingTraceSaysWhereItWasLookedFor) {
  const auto loaded = load_simulation(shipped_file("philly.yaml"), shipped(), {});
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("/nonexistent/philly-vc"), std::string::npos);
}

TEST(Load, APartOfASimulationIsToldFromAWholeOne) {
  const auto refusal = [](const std::string& path) {
    const auto loaded = load_simulation(path, shipped(), {});
    return loaded ? "accepted" : loaded.error().to_text();
  };
  const std::string needed =
      "; a simulation is needed, which names a fleet and its jobs, such as " +
      shipped_file("demo-day.yaml");
  const std::string workload = shipped_file("demo.yaml");
  EXPECT_EQ(refusal(workload), workload + ": looks like a workload (streams:)" + needed);
  const std::string fleet = shipped().data + "/fleets/mixed-1000.yaml";
  EXPECT_EQ(refusal(fleet), fleet + ": looks like a fleet (nodes:)" + needed);
  // one that only forgot its fleet is told that
  const std::string half = ::testing::TempDir() + "/half.yaml";
  ASSERT_TRUE(codec::write_file(half, "name: half\nworkload: demo\nduration: 1h\n"));
  EXPECT_NE(refusal(half).find("fleet: is needed"), std::string::npos) << refusal(half);
}

TEST(Load, AStreamOfAnUnknownPartitionIsRefused) {
  const std::string file = ::testing::TempDir() + "/nowhere.yaml";
  ASSERT_TRUE(
      codec::write_file(file,
                        "name: nowhere\nfleet: leaves-512\nduration: 1h\nstreams:\n  - name: s\n   "
                        " partition: cheap\n"
                        "    arrivals: {per_hour: 1}\n    teams: [{queue: product}]\n"
                        "    shapes: [{devices: {count: 1}}]\n    durations: {value: 1m}\n"));
  const auto loaded = load_simulation(file, shipped(), {});
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("streams[0].partition: 'cheap' is not a partition of the "
                                        "fleet; its partitions: none"),
            std::string::npos)
      << loaded.error().message;
}

TEST(ResultReader, GivesBackWhatWasWritten) {
  RunResult run;
  run.name = "r";
  run.policy = "p";
  run.seed = ~std::uint64_t{0};
  run.state_hash = 0x0123456789abcdefULL;
  run.fleet = {2, 8, {{"A30", 1, 8}}};
  run.models = {{"A30", 1.5, 8}};
  run.start_up_gpu_hours = 0.125;
  run.first_refusal = "queue: 'x' is not a queue";
  run.jobs = {3, 1, 1, 1, 0};
  run.teams = {{"t", run.jobs, {}, 0.25}};
  Sample sample;
  sample.allocated_cards = {0.5};
  sample.unschedulable_cards[1] = 0.125;
  run.samples = {sample};
  run.nodes = {{"n", "A30", NodeCondition::kDraining, 0.5, 0.25, {{}}}};
  const std::string text = run_json(run);
  const auto again = read_run_json(text, "r.json");
  ASSERT_TRUE(again) << again.error().to_text();
  EXPECT_EQ(run_json(*again), text);
}

TEST(ResultReader, OtherTextsAreRefused) {
  EXPECT_FALSE(read_run_json("", "r.json"));
  EXPECT_FALSE(read_run_json("[1]", "r.json"));
  EXPECT_FALSE(read_run_json("{\"format\": \"berth-run/5\"}", "r.json"));
  EXPECT_FALSE(read_run_json("{\"format\": \"berth-run/9\"}", "r.json"));
}

}  // namespace
}  // namespace berth::sim
