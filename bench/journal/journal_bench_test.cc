#include <gtest/gtest.h>

#include <filesystem>

#include "bench/common/arguments.h"
#include "bench/journal/measure.h"

namespace berth::bench::journal {
namespace {

// Each case on a short history; measure() itself refuses where something is missing.
TEST(JournalBench, EveryCaseKeepsWhatIsAppended) {
  const auto history = record(data_folder(), 5 * kMinuteMs);
  ASSERT_TRUE(history.has_value()) << history.error().to_text();
  ASSERT_GT(history->events, 100U);
  const std::string folder = std::filesystem::temp_directory_path().string();
  for (const CaseSpec& spec : cases()) {
    if (spec.back_end == BackEnd::kEtcd) continue;  // needs one that runs
    const auto outcome = measure(spec, *history, {folder}, 0.05);
    ASSERT_TRUE(outcome.has_value()) << spec.name << ": " << outcome.error().to_text();
    EXPECT_GT(outcome->events_per_s, 0);
    EXPECT_GT(outcome->append_p99_ms, 0);
  }
}

TEST(JournalBench, AFolderThatIsNotThereIsRefused) {
  EXPECT_FALSE(syncs_per_s("/no/such/folder", 0.01).has_value());
  EXPECT_FALSE(measure(cases()[1], {}, {"/no/such/folder"}, 0.01).has_value());
}

}  // namespace
}  // namespace berth::bench::journal
