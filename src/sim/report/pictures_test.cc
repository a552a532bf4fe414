// Pictures that are drawn without script.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/bar_chart.h"
#include "sim/report/card_map.h"
#include "sim/report/consolidation_maps.h"
#include "sim/report/layout_table.h"
#include "sim/report/loss_charts.h"
#include "sim/report/receipt_table.h"
#include "sim/report/svg.h"
#include "sim/report/testing.h"

namespace berth::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Svg, EscapesWhatUsersName) {
  Svg svg(10, 10, "a \"b\"");
  svg.rect(0, 1, 2, 3.25, "x", "<job>");
  svg.text(1, 1, "a & b");
  const std::string text = svg.finish();
  EXPECT_THAT(text, HasSubstr("<rect x=\"0\" y=\"1\" width=\"2\" height=\"3.25\" class=\"x\">"
                              "<title>&lt;job&gt;</title></rect>"));
  EXPECT_THAT(text, HasSubstr("a &amp; b</text></svg>"));
  EXPECT_THAT(text, HasSubstr("aria-label=\"a &quot;b&quot;\""));
}

TEST(BarChart, DrawsABarForEachValueOnARoundScale) {
  BarChart chart;
  chart.duration_ms = 4 * kHourMs;
  chart.parts = {{"one", "p0"}, {"two", "p1"}};
  chart.bars = {{1, 2}, {0, 0}, {3.5, 0}};
  chart.most = 3.5;
  chart.unit = "jobs";
  const std::string svg = bar_chart_svg(chart);
  EXPECT_EQ(count_of(svg, "<rect"), 3U);
  EXPECT_THAT(svg, HasSubstr("two: 2 jobs, 0 s to 1 h 20 min"));
  EXPECT_THAT(svg, HasSubstr(">4</text>"));
  EXPECT_THAT(svg, HasSubstr(">4 h</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">5</text>")));
}

// a moves from the second node to the first; b stays, c has ended, d is new.
TEST(CardMap, MarksWhatMoves) {
  const std::vector<MapNode> nodes = {{"n1", 2}, {"n2", 2}};
  const std::vector<OwnedCard> before = {{"n1", 0, "b"}, {"n2", 0, "a"}, {"n2", 1, "c"}};
  const std::vector<OwnedCard> after = {
      {"n1", 0, "b"}, {"n1", 1, "a"}, {"n2", 0, "d"}, {"n2", 1, "d"}, {"n9", 0, "d"}};
  const std::string svg = card_map_svg(nodes, before, after);
  EXPECT_EQ(count_of(svg, "class=\"map-moved\""), 2U);
  EXPECT_THAT(svg, HasSubstr("n2:0 a moves"));
  EXPECT_THAT(svg, HasSubstr("n1:1 a moves"));
  EXPECT_EQ(count_of(svg, "class=\"map-cell\""), 1U);
  EXPECT_THAT(svg, HasSubstr("n1:1 free"));
  EXPECT_EQ(count_of(svg, "class=\"map-owned c0\""), 2U);  // the one that moves
  EXPECT_EQ(count_of(svg, "class=\"map-owned"), 7U);
  EXPECT_THAT(svg, Not(HasSubstr("n9")));
  EXPECT_THAT(svg, HasSubstr(">before</text>"));
}

TEST(CardMap, WideMapsLieOneAboveTheOther) {
  std::vector<MapNode> nodes;
  for (int n = 0; n < 40; ++n) nodes.push_back({"n" + std::to_string(n), 8});
  const std::string svg = card_map_svg(nodes, {}, {});
  EXPECT_THAT(svg, HasSubstr("width=\"760\" height=\"396\""));
  EXPECT_EQ(count_of(svg, "class=\"map-cell\""), 640U);
}

TEST(LossCharts, ShowWhatThereIs) {
  const RunResult run = tiny_run();
  const std::string html = loss_charts_html({&run, 1});
  EXPECT_THAT(html,
              HasSubstr("done again after an eviction: 0.20 GPU-hours, 58 min 20 s to 1 h 00 min"));
  EXPECT_THAT(html, HasSubstr("taken back by kill: 1 jobs"));
  EXPECT_THAT(html, Not(HasSubstr("a crash of its own")));
  EXPECT_EQ(count_of(html, "<figure"), 2U);
  RunResult calm = run;
  calm.losses.clear();
  calm.dearest_receipts.clear();
  EXPECT_EQ(loss_charts_html({&calm, 1}), "");
  EXPECT_EQ(receipt_charts_html({&calm, 1}), "");
  EXPECT_EQ(receipts_html({&calm, 1}), "");
  const std::vector<RunResult> both = {run, calm};
  EXPECT_EQ(count_of(loss_charts_html(both), "<figure"), 4U);
}

TEST(Layouts, AreSmallPicturesAndTheirChangesATable) {
  const RunResult run = tiny_run();
  const std::string html = layouts_html({&run, 1});
  EXPECT_THAT(html, HasSubstr("1g.10gb, memory slots 0 to 0"));
  EXPECT_THAT(html, HasSubstr("3g.40gb, memory slots 4 to 7"));
  EXPECT_THAT(html, HasSubstr("aria-label=\"1 x 1g.10gb, 1 x 3g.40gb\""));
  EXPECT_THAT(html, HasSubstr("<span class=\"swatch c1\"></span> 1 x 3g.40gb"));
  EXPECT_THAT(html, HasSubstr("3 of 4"));  // instances in use at the end
  EXPECT_THAT(html, HasSubstr("1g.10gb@[0-6]</td><td class=\"\">3g.40gb@[0,4]"));
  EXPECT_THAT(html, HasSubstr("rolled-back: no answer within 5 min"));
  RunResult without = run;
  without.layouts.clear();
  without.layout_changes.clear();
  EXPECT_EQ(layouts_html({&without, 1}), "");
}

// Who starts in room that others give back takes nothing: counted, not drawn.
TEST(Receipts, WithoutVictimsAreNotDrawnAndSaidToTakeNothing) {
  RunResult run = tiny_run();
  ReceiptNote promise = run.dearest_receipts.front();
  promise.job = "lucky";
  promise.cards = 0;
  promise.price = 0;
  promise.victims.clear();
  run.dearest_receipts.push_back(promise);
  const std::string chart = receipt_charts_html({&run, 1});
  EXPECT_THAT(chart, Not(HasSubstr("lucky")));
  EXPECT_THAT(chart, HasSubstr("1 receipt, 1 more that take nothing"));
  EXPECT_THAT(chart, HasSubstr(">cards</text>"));  // what its axis counts
  EXPECT_THAT(receipts_html({&run, 1}), HasSubstr("nobody: in room that is being given back"));
  run.dearest_receipts = {promise};
  EXPECT_EQ(receipt_charts_html({&run, 1}), "");
}

TEST(Consolidations, AreMapsOfBeforeAndAfter) {
  const RunResult run = tiny_run();
  const std::string html = consolidations_html({&run, 1});
  EXPECT_THAT(html, HasSubstr("40 min 00 s: big gets its room by moving 1 job with 1 card; price "
                              "0.25, waiting on costs 12.00"));
  EXPECT_EQ(count_of(html, "class=\"map-moved\""), 2U);
  RunResult calm = run;
  calm.consolidations.clear();
  EXPECT_EQ(consolidations_html({&calm, 1}), "");
}

TEST(Receipts, TellForWhomFromWhomAndAtWhichPrice) {
  const RunResult run = tiny_run();
  const std::string charts = receipt_charts_html({&run, 1});
  EXPECT_THAT(charts,
              HasSubstr("30 min 00 s: serve takes 2 cards from train-7, price 1.50 (guarantee, "
                        "granted)"));
  EXPECT_THAT(charts, HasSubstr("the dearest 1 of 2 receipts"));
  const std::string table = receipts_html({&run, 1});
  EXPECT_THAT(table, HasSubstr("<span>train-7</span>: 2 cards, kill, 45 min 00 s of each"));
  EXPECT_THAT(table, HasSubstr("<td class=\"counts\">1.50</td><td class=\"counts\">–</td>"));
}

}  // namespace
}  // namespace berth::sim
