#include "bench/quota/engine_run.h"

#include <gtest/gtest.h>

#include "bench/quota/summary.h"

namespace berth::bench::quota {
namespace {

constexpr const char* kBorrowing = R"(
cohorts:
  - className: cohort
    count: 2
    queuesSets:
    - className: cq
      count: 2
      nominalQuota: 4
      borrowingLimit: 2
      workloadsSets:
      - count: 1
        creationIntervalMs: 100
        workloads:
        - {className: large, runtimeMs: 1000, priority: 200, request: 3}
      - count: 2
        creationIntervalMs: 200
        workloads:
        - {className: small, runtimeMs: 500, priority: 50, request: 1}
)";

// Each queue holds 3 from 100 ms; at 200 and 400 ms one more each, the whole quota at 4 each and at
// 400 ms a fifth that would take the cohort above its sum.
TEST(EngineRun, KeepsTheCohortWithinItsSum) {
  const auto generator = parse_generator(kBorrowing, "x.yaml");
  ASSERT_TRUE(generator.has_value()) << generator.error().to_text();
  const auto run = run_engine(*generator);
  ASSERT_TRUE(run.has_value()) << run.error().to_text();
  EXPECT_DOUBLE_EQ(run->outcome.admit_mean_s.at("large"), 0);
  EXPECT_DOUBLE_EQ(run->outcome.admit_mean_s.at("small"), 0.15);  // the second waits for 700 ms
  EXPECT_DOUBLE_EQ(run->outcome.makespan_s, 1.2);
}

constexpr const char* kRacks = R"(
topology:
  name: t
  levels:
    - {name: rack, count: 2, nodeLabel: rack}
    - {name: node, count: 2, nodeLabel: host, capacity: {cpu: 2}}
cohorts:
  - className: cohort
    count: 1
    queuesSets:
    - className: cq
      count: 1
      nominalQuota: 8
      workloadsSets:
      - count: 2
        creationIntervalMs: 100
        workloads:
        - {className: required, runtimeMs: 1000, request: 1, podCount: 3, tasConstraint: required,
           tasLevel: rack}
      - count: 1
        creationIntervalMs: 300
        workloads:
        - {className: again, runtimeMs: 100, request: 1, podCount: 2, tasConstraint: required,
           tasLevel: rack}
        - {className: balanced, runtimeMs: 100, request: 1, podCount: 2, tasConstraint: balanced,
           tasLevel: rack, sliceSize: 1}
)";

// Three of four CPUs of each rack are taken: two pods find room only apart.
TEST(EngineRun, KeepsTheRules) {
  const auto generator = parse_generator(kRacks, "x.yaml");
  ASSERT_TRUE(generator.has_value()) << generator.error().to_text();
  const auto run = run_engine(*generator);
  ASSERT_TRUE(run.has_value()) << run.error().to_text();
  EXPECT_DOUBLE_EQ(run->outcome.admit_mean_s.at("required"), 0);
  EXPECT_DOUBLE_EQ(run->outcome.admit_mean_s.at("balanced"), 0);
  EXPECT_DOUBLE_EQ(run->outcome.admit_mean_s.at("again"), 0.8);  // at 1,100 ms
}

TEST(Summary, HasARowForEachFigure) {
  CaseResult result;
  result.name = "baseline";
  result.quota_cpus = 600;
  result.work_cpu_s = 39'600;
  result.workloads = 15'000;
  for (const char* name : {"small", "medium", "large"}) {
    result.strict.admit_mean_s[name] = 1;
    result.skipping.admit_mean_s[name] = 1;
  }
  result.runs.resize(2);
  result.runs[0].outcome = result.strict;
  Report report("quota");
  add_rows(result, report);
  EXPECT_EQ(report.rows().size(), 5U + 2U + 5U + 5U + 6U);
  for (const Row& row : report.rows()) {
    if (row.policy != "kueue_published" || row.metric != "usage_pct") continue;
    EXPECT_NEAR(row.value, 18.8, 0.05);
  }
  EXPECT_NE(table(result).find("215.47"), std::string::npos);
}

}  // namespace
}  // namespace berth::bench::quota
