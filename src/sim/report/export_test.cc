// JSON and CSV: golden parts, stability, and names that would break the form.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/json_reader.h"
#include "sim/report/csv.h"
#include "sim/report/json.h"
#include "sim/report/testing.h"

namespace berth::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(RunJson, OneMemberOrItemPerLine) {
  const std::string json = run_json(tiny_run());
  EXPECT_THAT(json, StartsWith("{\n  \"format\": \"berth-run/5\",\n  \"name\": \"tiny\",\n"));
  EXPECT_THAT(json, HasSubstr("  \"seed\": \"3\",\n  \"state_hash\": \"0x0000000000c0ffee\",\n"));
  EXPECT_THAT(json, HasSubstr("  \"allocated_share\": 0.6875,\n"));
  EXPECT_THAT(json, HasSubstr("  \"wait_cdf\": [\n    {\"wait_ms\":0,\"jobs\":5},\n"));
  EXPECT_THAT(json, HasSubstr("{\"at_ms\":3600000,\"allocated_cards\":[1.5,1.0],"
                              "\"waiting_cards\":0.5,\"running_jobs\":4,\"pending_jobs\":1,"
                              "\"unschedulable_cards\":{\"card\":0.25,\"mig\":0.125,\"node\":0.0,"
                              "\"mode\":0.0625,\"topology\":0.0,\"health\":0.0},"
                              "\"queue_cards\":[2.25,0.25],\"queue_fair_cards\":[1.5,0.5],"
                              "\"kept_cards\":1.0,\"deferring_jobs\":1}"));
  EXPECT_THAT(json, HasSubstr("{\"name\":\"lab\",\"guarantee_cards\":2.0,"
                              "\"fair_cards\":1.5,\"held_cards\":2.25}"));
  EXPECT_THAT(json, HasSubstr("{\"name\":\"2-3 nodes\",\"gangs\":4,\"in_one\":3,"
                              "\"domains\":1.25,\"least\":1.0}"));
  EXPECT_THAT(json, HasSubstr("{\"mode\":\"empty\",\"health\":\"failed\","
                              "\"allocated_share\":0.0,\"tasks\":0}"));
}

TEST(RunJson, HoldsWhatLeasesWereSpentOn) {
  const std::string json = run_json(tiny_run());
  const std::string work =
      "{\"spent\":{\"useful\":3.0,\"prepare\":0.125,\"start-up\":0.25,\"checkpoint\":0.5,"
      "\"checkpoint-asked\":0.0625,\"suspend\":0.03125,\"restart\":0.375,\"draining\":0.015625,"
      "\"stalled\":0.75},\"recomputed\":{\"eviction\":0.2,\"node-failure\":0.1,"
      "\"card-failure\":0.05,\"spot-interruption\":0.025,\"crash\":0.0125}}";
  EXPECT_THAT(json, HasSubstr("\n  \"work\": " + work + ",\n"));
  EXPECT_THAT(json, HasSubstr("  \"evictions\": {\"idle\":0,\"lent-idle\":0,\"pause\":1,"));
  EXPECT_THAT(json, HasSubstr("{\"name\":\"lab\",\"work\":" + work + "}"));
  EXPECT_THAT(json, HasSubstr("{\"name\":\"train-7\",\"interruptions\":4,\"evictions\":2,"));
}

TEST(RunJson, WallTimeIsNotInIt) {
  RunResult slow = tiny_run();
  slow.wall_s = 99;
  EXPECT_EQ(run_json(slow), run_json(tiny_run()));
}

TEST(RunJson, IsReadBack) {
  RunResult run = tiny_run();
  run.name = "a \"b\"\n</script> \\ é";
  const auto document = codec::read_json(run_json(run));
  ASSERT_TRUE(document.has_value()) << document.error().to_text();
  EXPECT_EQ(document->find("name")->as_string(), run.name);
}

TEST(ComparisonJson, HoldsHeadlineAndRuns) {
  const RunResult runs[] = {tiny_run(), tiny_run()};
  const std::string json = comparison_json(runs);
  EXPECT_THAT(json, StartsWith("{\n  \"format\": \"berth-comparison/1\",\n  \"headline\": [\n"
                               "    {\"name\":\"allocated_share\",\"values\":[0.6875,0.6875]},\n"));
  const auto document = codec::read_json(json);
  ASSERT_TRUE(document.has_value()) << document.error().to_text();
  EXPECT_EQ(document->find("runs")->items().size(), 2U);
}

TEST(SeriesCsv, OneRowPerSample) {
  const RunResult run = tiny_run();
  const std::string csv = series_csv({&run, 1});
  EXPECT_THAT(csv, StartsWith("policy,seed,at_s,allocated_share,allocated_cards,"
                              "allocated_cards_A30,allocated_cards_T4,waiting_cards,running_jobs,"
                              "pending_jobs,unschedulable_cards_card,"));
  EXPECT_THAT(csv, HasSubstr("\nberth,3,3600,0.625,2.5,1.5,1,0.5,4,1,0.25,0.125,0,0.0625,0,0\n"));
  EXPECT_EQ(lines_of(csv), 4U);
}

TEST(SeriesCsv, AModelThatARunLacksStaysEmpty) {
  RunResult runs[] = {tiny_run(), tiny_run()};
  runs[1].fleet.models[1].model = "L4";
  EXPECT_THAT(series_csv(runs), HasSubstr("\nberth,3,0,0,0,0,0,,3,0,2,"));
  EXPECT_THAT(series_csv(runs), HasSubstr("\nberth,3,0,0,0,0,,0,3,0,2,"));
}

TEST(SummaryCsv, EveryRowHasTheHeadersColumns) {
  const RunResult run = tiny_run();
  const std::string csv = summary_csv({&run, 1});
  EXPECT_THAT(csv, HasSubstr("\nberth,3,all,tiny,12,1,8,2,1,61.5,1,200,400,400,5.5,8,0.6875\n"));
  EXPECT_THAT(csv, HasSubstr("\nberth,3,model,A30,,,,,,,,,,,3.5,4,0.875\n"));
  std::size_t line_start = 0;
  while (line_start < csv.size()) {
    const std::size_t end = csv.find('\n', line_start);
    const std::string line = csv.substr(line_start, end - line_start);
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 16) << line;
    line_start = end + 1;
  }
}

TEST(SummaryCsv, SaysWhatLeasesWereSpentOnWhereSomethingWasLost) {
  RunResult run = tiny_run();
  EXPECT_THAT(summary_csv({&run, 1}), HasSubstr("\nberth,3,work,restart,,,,,,,,,,,0.375,,\n"));
  EXPECT_THAT(summary_csv({&run, 1}),
              HasSubstr("\nberth,3,work,redone-after-node-failure,,,,,,,,,,,0.1,,\n"));
  run.work = {{3, 0.125, 0.25}, {}};
  EXPECT_THAT(summary_csv({&run, 1}), Not(HasSubstr(",work,")));
}

TEST(SummaryCsv, NamesAreQuotedAndNeverFormulas) {
  RunResult run = tiny_run();
  run.teams[0].name = "a,\"b\"";
  run.sizes[0].name = "=1+1";
  const std::string csv = summary_csv({&run, 1});
  EXPECT_THAT(csv, HasSubstr(",team,\"a,\"\"b\"\"\","));
  EXPECT_THAT(csv, HasSubstr(",size,'=1+1,"));
  EXPECT_THAT(csv, Not(HasSubstr(",=1+1")));
}

}  // namespace
}  // namespace berth::sim
