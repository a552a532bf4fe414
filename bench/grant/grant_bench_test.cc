#include <gtest/gtest.h>

#include "bench/grant/measure.h"

namespace berth::bench::grant {
namespace {

TEST(Measure, EveryTimedJobReachesANode) {
  const auto outcome = measure(BackEnd::kSqlite, {50, 40, 20});
  ASSERT_TRUE(outcome) << outcome.error().to_text();
  EXPECT_EQ(outcome->grant_ms.size(), 20);
  for (const double ms : outcome->grant_ms) EXPECT_GT(ms, 0);
}

}  // namespace
}  // namespace berth::bench::grant
