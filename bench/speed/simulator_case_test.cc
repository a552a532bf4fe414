#include "bench/speed/simulator_case.h"

#include <gtest/gtest.h>

namespace berth::bench::speed {
namespace {

// Half an hour of virtual time: some 6,000 jobs.
constexpr DurationMs kShort = 30 * kMinuteMs;
const std::string kData = std::string(BERTH_SOURCE_DIR) + "/data";

TEST(SimulatorCase, TheJournalChangesNoEvent) {
  const auto bare = play_simulator(kData, KeptJournal::kNone, kShort);
  const auto kept = play_simulator(kData, KeptJournal::kMemory, kShort);
  ASSERT_TRUE(bare.has_value()) << bare.error().to_text();
  ASSERT_TRUE(kept.has_value()) << kept.error().to_text();
  EXPECT_GT(bare->events, 30'000U);
  EXPECT_EQ(bare->events, kept->events);
  EXPECT_EQ(bare->state_hash, kept->state_hash);
  EXPECT_GT(bare->cpu_s, 0);
}

TEST(SimulatorCase, SaysWhichFileIsAbsent) {
  const auto run = play_simulator("/no/such/folder", KeptJournal::kNone);
  ASSERT_FALSE(run.has_value());
  EXPECT_NE(run.error().to_text().find("/no/such/folder/workloads/sim-events.yaml"),
            std::string::npos);
}

}  // namespace
}  // namespace berth::bench::speed
