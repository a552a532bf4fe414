#include "bench/openb/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "bench/openb/trace.h"

namespace berth::bench::openb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

FillRun run_of(double at_100, double at_130) { return {at_100, at_130, 5, 10, 1}; }

// Two policies, two seeds, one trace that no publication knows.
Comparison two_policies() {
  Comparison comparison;
  comparison.policies = {{"fgd", "fgd", Knowledge::kTypicalPods, false},
                         {"berth", "", Knowledge::kNothing, true}};
  comparison.seeds = 2;
  CaseResult c;
  c.name = "own";
  c.runs = {{run_of(90, 91), run_of(92, 93)}, {run_of(91, 92), run_of(94, 95)}};
  c.lp = {97, 99};
  c.greedy = {96, 97};
  comparison.cases.push_back(c);
  return comparison;
}

const Row* find_row(const Report& report, std::string_view policy, std::string_view metric) {
  for (const Row& row : report.rows()) {
    if (row.policy == policy && row.metric == metric) return &row;
  }
  return nullptr;
}

TEST(Summary, RowsHoldMeansLeadsAndBounds) {
  Report report("openb");
  add_rows(two_policies(), report);
  const Row* alloc = find_row(report, "fgd", "alloc_pct_at_100");
  ASSERT_NE(alloc, nullptr);
  EXPECT_DOUBLE_EQ(alloc->value, 91);
  EXPECT_DOUBLE_EQ(alloc->sd.value_or(0), 1);
  const Row* lead = find_row(report, "berth", "lead_fgd_at_100");
  ASSERT_NE(lead, nullptr);
  EXPECT_DOUBLE_EQ(lead->value, 1.5);  // of 1 and 2
  EXPECT_DOUBLE_EQ(find_row(report, "berth", "lead_fgd_at_100_se")->value, 0.5);
  EXPECT_DOUBLE_EQ(find_row(report, "berth", "lead_best_fgd_at_130")->value, 1.5);
  EXPECT_DOUBLE_EQ(find_row(report, "greedy_bound", "alloc_pct_at_130")->value, 97);
  EXPECT_EQ(find_row(report, "fgd_published", "alloc_pct_at_100"), nullptr);
  EXPECT_EQ(find_row(report, "fgd", "lead_berth_at_100"), nullptr);
}

TEST(Summary, AResultAboveTheGreedyBoundIsABug) {
  Comparison comparison = two_policies();
  EXPECT_THAT(check(comparison).errors, IsEmpty());
  comparison.seeds = 5;
  for (auto& runs : comparison.cases[0].runs) runs.resize(5, run_of(90, 91));
  for (FillRun& run : comparison.cases[0].runs[1]) run.alloc_pct_at_100 = 96.11;
  EXPECT_THAT(check(comparison).errors, ElementsAre(HasSubstr("above the bound")));
  for (FillRun& run : comparison.cases[0].runs[1]) run.alloc_pct_at_100 = 96.09;
  EXPECT_THAT(check(comparison).errors, IsEmpty());
}

TEST(Summary, ComparesKnownTracesWithTheirPublication) {
  Comparison comparison = two_policies();
  CaseResult& c = comparison.cases[0];
  c.name = "default";  // published 95.23 at 100 %; bounds 96.90 and 96.33
  c.lp = {96.9, 99.89};
  c.greedy = {96.33, 96.44};
  const Findings findings = check(comparison);
  EXPECT_THAT(findings.notes, ElementsAre("default: fgd at 100 % 91.00, known 95.23 (-4.23)"));
  EXPECT_THAT(findings.errors, IsEmpty());
  c.greedy.at_100 = 96.0;
  EXPECT_THAT(check(comparison).errors, ElementsAre(HasSubstr("greedy bound at_100")));
}

TEST(Summary, TheMeanOfSeventeenNeedsAllOfThem) {
  Comparison comparison = two_policies();
  Report one("openb");
  add_rows(comparison, one);
  for (const Row& row : one.rows()) EXPECT_NE(row.case_name, "mean17");

  const CaseResult pattern = comparison.cases[0];
  comparison.cases.clear();
  for (const BuiltInTrace& trace : built_in_traces()) {
    comparison.cases.push_back(pattern);
    comparison.cases.back().name = std::string(trace.name);
  }
  Report all("openb");
  add_rows(comparison, all);
  const Row& last = all.rows().back();
  EXPECT_EQ(last.case_name, "mean17");
  EXPECT_THAT(tables(comparison), HasSubstr("mean17"));
  EXPECT_THAT(check(comparison).notes.back(), HasSubstr("on 1 of 17 traces"));
}

}  // namespace
}  // namespace berth::bench::openb
