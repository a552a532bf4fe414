#include "bench/tenants/protocol.h"

#include <gtest/gtest.h>

namespace berth::bench::tenants {
namespace {

const Trace kTrace = {
    {"a", "b"}, {9, 3}, {{0, 5'000, 1, 0}, {1'000, 5'000, 16, 1}, {1'000, 5'000, 8, 1}}};

TEST(Protocol, DividesNodesAndLeavesOutWhatIsTooLargeAlone) {
  const Sample sample = make_sample(kTrace, {"s4", 4}, 0);
  EXPECT_EQ(sample.nodes, (std::vector<int>{3, 1}));
  ASSERT_EQ(sample.jobs.size(), 2U);
  EXPECT_EQ(sample.jobs[1].gpus, 8);
}

TEST(Protocol, JitteredOrdersDifferAndRepeat) {
  Trace trace = kTrace;
  for (int i = 0; i < 50; ++i) trace.jobs.push_back({2'000, 1'000, 1, 0});
  const auto times = [&](std::uint64_t order) {
    std::vector<TimeMs> all;
    for (const TraceJob& job : make_sample(trace, {"s4", 4}, order).jobs) all.push_back(job.at);
    return all;
  };
  EXPECT_EQ(times(1), times(1));
  EXPECT_NE(times(1), times(2));
  for (const TimeMs at : times(1)) EXPECT_LE(at, 2'000 + 2 * kMinuteMs);
}

TEST(Protocol, OtherNamesBelongToTheSameNodes) {
  const Sample other = with_other_names(make_sample(kTrace, {"s4", 4}, 0));
  EXPECT_EQ(other.names, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(other.nodes, (std::vector<int>{3, 1}));
}

}  // namespace
}  // namespace berth::bench::tenants
