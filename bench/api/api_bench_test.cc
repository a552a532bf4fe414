#include <gtest/gtest.h>

#include "bench/api/measure.h"

namespace berth::bench::api {
namespace {

TEST(ParseLoad, TakesTheResultAndRefusesWhatIsNone) {
  const auto load = parse_load("Running 1s test\nRESULT 1000 2000000 1500 9000 10 3\n");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->submits, 990);
  EXPECT_EQ(load->refused, 10);
  EXPECT_EQ(load->broken, 3);
  EXPECT_DOUBLE_EQ(load->seconds, 2);
  EXPECT_DOUBLE_EQ(load->p50_ms, 1.5);
  EXPECT_DOUBLE_EQ(load->p99_ms, 9);
  EXPECT_FALSE(parse_load("wrk: command not found"));
  EXPECT_FALSE(parse_load("RESULT 1000 2000000"));
}

TEST(Measure, EveryAnsweredJobIsToldAndSurvivesAKill) {
  const auto outcome = measure({BackEnd::kSqlite, 8, 4, 1});
  ASSERT_TRUE(outcome) << outcome.error().to_text();
  EXPECT_GT(outcome->load.submits, 0);
  EXPECT_EQ(outcome->load.refused + outcome->load.broken, 0);
  EXPECT_EQ(outcome->streams, 8);
  EXPECT_GE(outcome->told, outcome->load.submits);
  EXPECT_GE(outcome->survived, outcome->load.submits);
}

}  // namespace
}  // namespace berth::bench::api
