#include "bench/preempt/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::bench::preempt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Contestant> two_and_ours() {
  return {{"cheapest_first", {}, Split::kLent},
          {"static_quota", {}, Split::kFixed},
          {kOurs, {}, Split::kLent}};
}

Figures figures(double lost, double alloc, double p99) {
  Figures f;
  f.lost_gpu_h = lost;
  f.alloc_pct = alloc;
  f.hp_queue_p99_s = p99;
  f.hp_within_60s_pct = 100;
  return f;
}

CaseResult measured(const Figures& ours) {
  CaseResult c;
  c.name = "measured-cost";
  c.figures["cheapest_first"] = {figures(10, 98, 26), figures(12, 98, 26)};
  c.figures["static_quota"] = {figures(0, 80, 1), figures(0, 80, 1)};
  c.figures[kOurs] = {ours, ours};
  return c;
}

std::string line_of(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(Targets, AreMetWhereLessIsLostAndAsMuchAllocated) {
  const std::string text = target_table({measured(figures(9, 97.9, 26))}, two_and_ours());
  EXPECT_THAT(text, Not(HasSubstr("NOT met")));
  EXPECT_THAT(line_of(text, "cheapest_first: lost GPU-hours"), HasSubstr("<= 11.0"));
}

TEST(Targets, AreNotMetWhereMoreIsLostOrLessAllocated) {
  const std::string text = target_table({measured(figures(11.5, 97.7, 27))}, two_and_ours());
  EXPECT_THAT(line_of(text, "cheapest_first: lost GPU-hours"), HasSubstr("NOT met"));
  EXPECT_THAT(line_of(text, "cheapest_first: allocated"), HasSubstr("NOT met"));
  EXPECT_THAT(line_of(text, "cheapest_first: p99"), HasSubstr("NOT met"));
  EXPECT_THAT(line_of(text, "static_quota: allocated"), Not(HasSubstr("NOT met")));
}

TEST(Targets, FixedPartsAreHeldAgainstAllocationAlone) {
  const std::string text = target_table({measured(figures(9, 98, 26))}, two_and_ours());
  EXPECT_EQ(line_of(text, "static_quota: lost"), "");
}

TEST(Rows, LeadIsWhatTheOthersLoseMoreOnTheSameSeeds) {
  Report report("preempt");
  add_rows({measured(figures(9, 98, 26))}, two_and_ours(), report);
  bool found = false;
  for (const Row& row : report.rows()) {
    if (row.metric != "lead_cheapest_first") continue;
    found = true;
    EXPECT_EQ(row.policy, kOurs);
    EXPECT_DOUBLE_EQ(row.value, 2);
    EXPECT_EQ(row.runs, 2U);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace berth::bench::preempt
