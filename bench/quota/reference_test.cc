#include "bench/quota/reference.h"

#include <gtest/gtest.h>

namespace berth::bench::quota {
namespace {

// One queue of 10 CPUs. At 100 ms a low one of 6 starts and runs 300 ms; at 150 ms a high one of 8
// arrives; at 200 ms a low one of 3 that runs 100 ms.
Generator hand_made() {
  const auto kind = [](const char* name, DurationMs run, std::int32_t priority, CpuMilli cpu) {
    WorkloadTemplate t;
    t.class_name = name;
    t.runtime_ms = run;
    t.priority = priority;
    t.request_milli = cpu;
    return t;
  };
  QueueSet queue;
  queue.class_name = "cq";
  queue.count = 1;
  queue.nominal_milli = 10'000;
  queue.workload_sets = {{1, 100, {kind("first", 300, 1, 6'000)}},
                         {1, 150, {kind("high", 100, 9, 8'000)}},
                         {1, 200, {kind("low", 100, 1, 3'000)}}};
  Generator generator;
  generator.cohorts = {{"cohort", 1, {queue}}};
  return generator;
}

TEST(Pool, StrictOrderWaitsForTheFirst) {
  const auto outcome = run_pool(hand_made(), PoolRule::kStrict);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_DOUBLE_EQ(outcome->admit_mean_s.at("first"), 0);
  EXPECT_DOUBLE_EQ(outcome->admit_mean_s.at("high"), 0.25);  // at 400 ms
  EXPECT_DOUBLE_EQ(outcome->admit_mean_s.at("low"), 0.3);    // at 500 ms
  EXPECT_DOUBLE_EQ(outcome->makespan_s, 0.6);
  EXPECT_DOUBLE_EQ(outcome->usage_pct, 100 * (1.8 + 0.8 + 0.3) / (10 * 0.6));
}

TEST(Pool, SkippingLetsSmallOnesPass) {
  const auto outcome = run_pool(hand_made(), PoolRule::kSkipping);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_DOUBLE_EQ(outcome->admit_mean_s.at("low"), 0);
  EXPECT_DOUBLE_EQ(outcome->admit_mean_s.at("high"), 0.25);
  EXPECT_DOUBLE_EQ(outcome->makespan_s, 0.5);
}

TEST(Pool, SaysWhatNeverFits) {
  Generator generator = hand_made();
  generator.cohorts[0].queue_sets[0].nominal_milli = 7'000;
  EXPECT_FALSE(run_pool(generator, PoolRule::kSkipping).has_value());
}

}  // namespace
}  // namespace berth::bench::quota
