#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "bench/tenants/comparison.h"
#include "bench/tenants/engine_run.h"
#include "bench/tenants/reclaim_run.h"
#include "bench/tenants/reference.h"
#include "bench/tenants/summary.h"

namespace berth::bench::tenants {
namespace {

// Two tenants of a node each. Tenant a floods both nodes before b comes.
Sample flood() {
  Sample sample{{"a", "b"}, {1, 1}, {}};
  for (int i = 0; i < 4; ++i) sample.jobs.push_back({0, 100'000, 8, 0});
  sample.jobs.push_back({1'000, 10'000, 8, 1});
  return sample;
}

const Discipline& named(const std::string& name) {
  for (const Discipline& one : disciplines()) {
    if (one.name == name) return one;
  }
  return disciplines().front();
}

TEST(Reference, SharingHelpsTheFloodAndHurtsTheOther) {
  const Sample sample = flood();
  const Outcome alone = outcome_of(sample, replay(sample, named("private_fifo")));
  EXPECT_EQ(alone.tenant_mean_s, (std::vector<double>{150, 0}));
  const Outcome shared = outcome_of(sample, replay(sample, named("shared_fifo")));
  EXPECT_EQ(shared.tenant_mean_s, (std::vector<double>{50, 199}));
  EXPECT_EQ(tenants_worse(shared, alone), 1U);
  EXPECT_DOUBLE_EQ(closest_ratio(shared, alone), 199);
  EXPECT_DOUBLE_EQ(shared.max_s, 199);
}

TEST(Reference, ShortestFirstAndStrictOrder) {
  const Sample sample = {
      {"a"}, {1}, {{0, 10'000, 8, 0}, {1'000, 9'000, 8, 0}, {2'000, 1'000, 8, 0}}};
  EXPECT_EQ(replay(sample, named("shared_sjf")), (Starts{0, 11'000, 10'000}));
  EXPECT_EQ(replay(sample, named("shared_fifo")), (Starts{0, 10'000, 19'000}));
  const Sample gap = {{"a"}, {1}, {{0, 10'000, 4, 0}, {1'000, 9'000, 8, 0}, {2'000, 1'000, 4, 0}}};
  EXPECT_EQ(replay(gap, named("shared_fifo")), (Starts{0, 10'000, 2'000}));
  EXPECT_EQ(replay(gap, named("shared_fifo_strict")), (Starts{0, 10'000, 19'000}));
}

TEST(EngineRun, StartsWhatFits) {
  const auto run = run_engine(flood(), {});
  ASSERT_TRUE(run.has_value()) << run.error().to_text();
  EXPECT_EQ(run->starts[0], 0);
  EXPECT_EQ(run->starts[1], 0);
  EXPECT_GT(run->cost.cycles, 0U);
}

// What a takes of b's node, b takes back; the work of a that was interrupted is not lost, but it
// pays for its checkpoint and its restart.
TEST(ReclaimRun, TheOwnerTakesBackAndNothingIsLost) {
  PolicySpec policy;
  policy.reclaim = {ReclaimRight::kGuarantee};
  const auto run = run_with_reclaim(flood(), policy, Saving::kOnRequest);
  ASSERT_TRUE(run.has_value()) << run.error().to_text();
  EXPECT_EQ(run->evictions, 1U);
  EXPECT_EQ(run->starts[4], 1'000 + kCheckpointMs);
  EXPECT_EQ(run->redone_gpu_h, 0);
  EXPECT_DOUBLE_EQ(run->overhead_gpu_h, 8.0 * (kCheckpointMs + kRestartMs) / kHourMs);
  // 1 s on b's node, the rest after its own restart
  const auto last = *std::max_element(run->starts.begin(), run->starts.end());
  EXPECT_GE(last, kCheckpointMs + kRestartMs);
}

TEST(ReclaimRun, HourlyCheckpointsKeepWholeHours) {
  PolicySpec policy;
  policy.reclaim = {ReclaimRight::kGuarantee};
  Sample sample{{"a", "b"}, {1, 1}, {}};
  for (int i = 0; i < 2; ++i) sample.jobs.push_back({0, 5 * kHourMs, 8, 0});
  sample.jobs.push_back({2 * kHourMs + kHourMs / 2, kHourMs, 8, 1});
  const auto run = run_with_reclaim(sample, policy, Saving::kHourly);
  ASSERT_TRUE(run.has_value()) << run.error().to_text();
  EXPECT_EQ(run->evictions, 1U);
  EXPECT_EQ(run->starts[2], sample.jobs[2].at);
  EXPECT_DOUBLE_EQ(run->redone_gpu_h, 8 * 0.5);
}

TEST(Comparison, PairsEveryPolicyAndShowsThatNamesDoNotMatter) {
  Trace trace{{"a", "b", "c"}, {2, 1, 1}, {}};
  for (int i = 0; i < 300; ++i) {
    const auto tenant = static_cast<std::size_t>(i % 7 == 0 ? 1 : i % 11 == 0 ? 2 : 0);
    trace.jobs.push_back({i * 40'000, 30'000 + i % 13 * 200'000, 1 << (i % 4), tenant});
  }
  PolicySpec policy;
  policy.order = QueueOrder::kPredictedGpuTime;
  policy.lending_reserve_ppm = 850'000;
  const Input input{trace, {{"s1", 1}}, policy_names(), policy, policy, 2};
  std::size_t steps = 0;
  std::mutex mutex;
  const auto results = compare(input, [&](const std::string&) {
    const std::lock_guard lock(mutex);
    ++steps;
  });
  ASSERT_TRUE(results.has_value()) << results.error().to_text();
  EXPECT_EQ(steps, step_count(input));
  EXPECT_EQ(results->front().changed_by_names, 0U);
  Report report("tenants");
  add_rows(*results, input.policies, report);
  EXPECT_FALSE(report.rows().empty());
  EXPECT_NE(target_table(*results), "");
}

}  // namespace
}  // namespace berth::bench::tenants
