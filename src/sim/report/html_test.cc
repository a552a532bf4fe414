#include "sim/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/json_reader.h"
#include "sim/report/html_tables.h"
#include "sim/report/markup.h"
#include "sim/report/page_data.h"
#include "sim/report/testing.h"

namespace berth::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t kSizeLimit = 1'500'000;

std::vector<RunResult> two_days() {
  MadeUpRun reference;
  reference.policy = "best_fit";
  reference.packing = 0.915;
  return {made_up_run(reference), made_up_run({})};
}

// Instead of a matcher: a failure does not print the whole page.
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Markup, EscapesWhatMarksUp) {
  EXPECT_EQ(html_text("<a href=\"x\">&'\x01</a>"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(json_for_script("\"</script>&\""), "\"\\u003c/script\\u003e\\u0026\"");
}

TEST(PageData, LongSeriesBecomeMeans) {
  EXPECT_EQ(samples_per_point(0), 1U);
  EXPECT_EQ(samples_per_point(kMostPoints), 1U);
  EXPECT_EQ(samples_per_point(kMostPoints + 1), 2U);
  EXPECT_THAT(span_means(std::vector<double>{1, 3, 5, 7, 10}, 2), ElementsAre(2, 6, 10));
  EXPECT_TRUE(span_means({}, 3).empty());
}

TEST(PageData, ThinnedPointsKeepBothEnds) {
  std::vector<WaitPoint> points;
  for (int i = 0; i < 1000; ++i) points.push_back({i, i});
  const std::vector<WaitPoint> kept = thinned(points, 100);
  EXPECT_EQ(kept.size(), 100U);
  EXPECT_EQ(kept.front().jobs, 0);
  EXPECT_EQ(kept.back().jobs, 999);
  EXPECT_EQ(thinned(kept, 100).size(), 100U);
}

TEST(PageData, HoldsTheSeriesOfATinyRun) {
  const RunResult run = tiny_run();
  const std::string json = page_data({&run, 1});
  ASSERT_TRUE(codec::read_json(json).has_value());
  EXPECT_THAT(json, HasSubstr("\"models\":[[\"A30\",2],[\"T4\",2]]"));
  EXPECT_THAT(json, HasSubstr("\"at\":[0,3600000,7200000],\"allocated\":[[0,1.5,2],[0,1,1]]"));
  EXPECT_THAT(json, HasSubstr("\"waits\":[[0,1000,200000,400000],[5,6,10,11]]"));
  EXPECT_THAT(json, HasSubstr("[\"b\",1,1,0,0,\"30\",\"02\",[75,0],[3,0]]"));
}

TEST(Html, IsOnePageThatLoadsNothing) {
  const std::string html = html_report(two_days());
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  EXPECT_TRUE(contains(html, "default-src 'none'"));
  EXPECT_EQ(count_of(html, "http"), 2U);  // http-equiv, and the namespace of SVG
  EXPECT_EQ(count_of(html, "<script"), 2U);
  EXPECT_FALSE(contains(html, "innerHTML"));
  EXPECT_FALSE(contains(html, "<link"));
  EXPECT_FALSE(contains(html, "<img"));
  EXPECT_LT(html.size(), kSizeLimit);
}

TEST(Html, TheSameResultsGiveTheSameBytes) {
  std::vector<RunResult> runs = two_days();
  const std::string html = html_report(runs);
  runs[0].wall_s = 99;
  EXPECT_TRUE(html_report(runs) == html);
}

TEST(Html, ShowsDifferencesToTheFirstRun) {
  const std::string html = html_report(two_days());
  EXPECT_TRUE(contains(html, "<title>day-1000: best_fit vs berth</title>"));
  EXPECT_TRUE(contains(html, "<span class=\"role\">reference</span>"));
  EXPECT_TRUE(contains(html, "class=\"delta better\""));
  EXPECT_TRUE(contains(html, " (−"));
}

TEST(Html, AMonthOfManyTeamsStaysSmall) {
  MadeUpRun month;
  month.steps = 30 * 24 * 60;
  RunResult run = made_up_run(month);
  for (int i = 0; i < 200; ++i) run.teams.push_back(run.teams[0]);
  EXPECT_LT(html_report({&run, 1}).size(), kSizeLimit);
}

TEST(Html, NamesOfUsersStayText) {
  RunResult run = tiny_run();
  const std::string evil = "</script><script>alert(1)</script>\"'&";
  run.name = run.policy = run.teams[0].name = run.nodes[0].name = evil;
  run.fleet.models[0].model = run.models[0].model = evil;
  const std::string html = html_report({&run, 1});
  EXPECT_FALSE(contains(html, "<script>alert"));
  EXPECT_EQ(count_of(html, "</script>"), 2U);
  EXPECT_TRUE(contains(html, "<h1>&lt;/script&gt;&lt;script&gt;alert(1)"));
}

TEST(Html, GroupsAreMatchedByName) {
  RunResult runs[] = {tiny_run(), tiny_run()};
  runs[1].teams[0].name = "other";
  const std::string html = groups_html(runs, &RunResult::teams, "By team");
  EXPECT_TRUE(contains(html, "<th scope=\"row\">lab</th>"));
  EXPECT_TRUE(contains(html, "<th scope=\"row\">other</th>"));
  EXPECT_EQ(groups_html({}, &RunResult::teams, "By team"), "");
}

TEST(Html, ShowsWhatWasLostWhereSomethingWas) {
  RunResult run = tiny_run();
  const std::string html = html_report({&run, 1});
  EXPECT_TRUE(contains(html, "<h2>What leased time was spent on</h2>"));
  EXPECT_TRUE(contains(html, "<th scope=\"row\">done again after a node failure</th>"));
  EXPECT_TRUE(contains(html, "<th scope=\"row\">taken back by checkpoint-evict</th>"));
  EXPECT_TRUE(contains(html, "<caption>Lost by team</caption>"));
  run.work = {};
  run.interruptions = {};
  run.evictions = {};
  EXPECT_FALSE(contains(html_report({&run, 1}), "What leased time was spent on"));
}

TEST(Html, AnEmptyRunIsAPageToo) {
  const RunResult run;
  const std::string html = html_report({&run, 1});
  EXPECT_TRUE(contains(html, "</html>"));
  EXPECT_FALSE(contains(html, "nan"));
}

TEST(Html, SaysNothingTwiceAndNothingOfWhatNobodyDid) {
  RunResult run = tiny_run();
  EXPECT_TRUE(contains(html_report({&run, 1}), "data-plot=\"models\""));
  run.fleet.models.pop_back();
  run.models.pop_back();
  run.classes.push_back({"training", {}, {}, 0});
  for (Sample& sample : run.samples) {
    sample.allocated_cards.pop_back();
    sample.unschedulable_cards = {0.25, 0, 0, 0, 0, 0};
  }
  const std::string html = html_report({&run, 1});
  EXPECT_FALSE(contains(html, "data-plot=\"models\""));
  EXPECT_FALSE(contains(html, "<th scope=\"row\">training"));
  EXPECT_TRUE(contains(html, "<th scope=\"row\">inference"));
  const std::string causes = causes_html({&run, 1});
  EXPECT_EQ(count_of(causes, "<tr>"), 2U);  // the header and one cause
  EXPECT_TRUE(contains(causes, "<div class=\"bar r0 cause c0\">"));
  EXPECT_EQ(count_of(causes_legend_html({&run, 1}), "swatch"), 1U);
}

}  // namespace
}  // namespace berth::sim
