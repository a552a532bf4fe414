#include "bench/quota/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "bench/common/arguments.h"
#include "bench/quota/outcome.h"
#include "bench/quota/tenants.h"

namespace berth::bench::quota {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSmall = R"(
topology:
  name: t
  levels:
    - {name: block, count: 1, nodeLabel: x.com/block}
    - {name: rack, count: 2, nodeLabel: x.com/rack}
    - name: node
      count: 3
      nodeLabel: kubernetes.io/hostname
      capacity: {cpu: "96", memory: "256Gi"}
resourceFlavor: {name: f, nodeLabel: g, topologyName: t}
cohorts:
  - className: cohort
    count: 2
    queuesSets:
    - className: cq
      count: 3
      nominalQuota: "20"
      borrowingLimit: 100
      reclaimWithinCohort: Any
      withinClusterQueue: LowerPriority
      workloadsSets:
      - count: 2
        creationIntervalMs: 100
        workloads:
        - className: small
          runtimeMs: 200
          priority: 50
          request: "500m"
          podCount: 4
          tasConstraint: "balanced"
          tasLevel: x.com/rack
          sliceSize: 2
      - count: 1
        creationIntervalMs: 150
        workloads:
        - {className: large, runtimeMs: 1000, priority: 200, request: 20}
)";

TEST(Generator, IsReadAsItIs) {
  const auto generator = parse_generator(kSmall, "x.yaml");
  ASSERT_TRUE(generator.has_value()) << generator.error().to_text();
  const QueueSet& queues = generator->cohorts.front().queue_sets.front();
  EXPECT_EQ(queues.nominal_milli, 20'000);
  EXPECT_EQ(queues.borrowing_milli, 100'000);
  const WorkloadTemplate& small = queues.workload_sets.front().workloads.front();
  EXPECT_EQ(small.total_milli(), 2'000);
  EXPECT_EQ(small.constraint, Constraint::kBalanced);
  EXPECT_EQ(small.slice_pods, 2U);
  EXPECT_EQ(generator->topology.levels.back().capacity.memory_mib, 256 * 1024);
  EXPECT_EQ(generator->nominal_milli(), 120'000);
}

TEST(Generator, ErrorsNameTheFileAndTheLine) {
  const auto generator = parse_generator("cohorts:\n- className: c\n  cout: 3\n", "x.yaml");
  ASSERT_FALSE(generator.has_value());
  EXPECT_THAT(generator.error().to_text(), HasSubstr("cout"));
  EXPECT_THAT(generator.error().to_text(), HasSubstr("3"));
}

TEST(Workloads, SleepTheIntervalThenCreateOne) {
  const auto generator = parse_generator(kSmall, "x.yaml");
  ASSERT_TRUE(generator.has_value());
  const Workloads workloads = workloads_of(*generator);
  ASSERT_EQ(workloads.size(), 2U * 3U * 3U);
  std::vector<TimeMs> times;
  for (const Workload& w : workloads) {
    if (w.queue == 4) times.push_back(w.at);
  }
  EXPECT_THAT(times, ElementsAre(100, 150, 200));
  EXPECT_EQ(workloads.front().queue, 0U);
  EXPECT_EQ(workloads.back().cohort, 1U);
}

TEST(Tenants, CohortsAreRootsWithTheSumAsLimit) {
  const auto generator = parse_generator(kSmall, "x.yaml");
  ASSERT_TRUE(generator.has_value());
  const Tenants tenants = tenants_of(*generator);
  ASSERT_EQ(tenants.queues.size(), 8U);
  EXPECT_EQ(tenants.queues[0].quotas[0].limit, 60 * kCard);
  EXPECT_EQ(tenants.queues[1].quotas[0].guarantee, 20 * kCard);
  EXPECT_EQ(tenants.queues[1].quotas[0].limit, 120 * kCard);
  EXPECT_EQ(tenants.queues[1].parent, tenants.queues[0].name);
  EXPECT_EQ(tenants.nodes.size(), 6U);
  EXPECT_THAT(tenants.topology.levels,
              ElementsAre("card", "island", "node", "x.com/rack", "x.com/block"));
  EXPECT_EQ(tenants.nodes.back().domains.size(), 2U);
}

TEST(PublishedSets, HaveTheirWorkloads) {
  struct Set {
    const char* name;
    std::size_t workloads;
    double work_per_queue;
  };
  for (const Set& set : {Set{"baseline", 15'000, 1'320}, Set{"large-scale", 50'000, 80.5},
                         Set{"tas", 15'000, 1'320}}) {
    const std::string path = traces_folder() + "/kueue-perf/" + set.name + "-generator.yaml";
    if (!std::filesystem::exists(path)) {
      GTEST_SKIP() << path << " not found (set BERTH_TRACES)";
    }
    const auto generator = read_generator(path);
    ASSERT_TRUE(generator.has_value()) << generator.error().to_text();
    const Workloads workloads = workloads_of(*generator);
    EXPECT_EQ(workloads.size(), set.workloads);
    const double queues = static_cast<double>(generator->nominal_milli()) / 20'000;
    EXPECT_NEAR(work_cpu_s(workloads) / queues, set.work_per_queue, 0.01) << set.name;
  }
}

}  // namespace
}  // namespace berth::bench::quota
