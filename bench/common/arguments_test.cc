#include "bench/common/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Program program() {
  return {"fill", "Fills a fleet.", 10, true, {{"--nodes", "FILE", "the fleet"}}};
}

TEST(Arguments, DefaultsToTheProtocolsSeedsAndTheBuiltInTraces) {
  const auto read = parse_arguments(program(), {});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->seeds, 10U);
  EXPECT_TRUE(read->traces.empty());
  EXPECT_TRUE(read->json_file.empty());
}

TEST(Arguments, ReadsEachOptionInBothForms) {
  const auto read = parse_arguments(program(), {"--json", "out.json", "--seeds=3", "--trace",
                                                "a.csv", "--trace=b.csv", "--nodes", "fleet.csv"});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->json_file, "out.json");
  EXPECT_EQ(read->seeds, 3U);
  EXPECT_THAT(read->traces, ElementsAre("a.csv", "b.csv"));
  EXPECT_EQ(read->extra("--nodes", ""), "fleet.csv");
  EXPECT_EQ(read->extra("--other", "none"), "none");
}

TEST(Arguments, RefusesUnknownOptionsWithTheNearestKnownOne) {
  const auto read = parse_arguments(program(), {"--sedes", "3"});
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().to_text(), HasSubstr("--seeds"));
}

TEST(Arguments, RefusesBadSeedsAndMissingValues) {
  for (const char* bad : {"0", "-1", "ten", "3x", "10001"}) {
    EXPECT_FALSE(parse_arguments(program(), {"--seeds", bad}).has_value()) << bad;
  }
  EXPECT_FALSE(parse_arguments(program(), {"--json"}).has_value());
  EXPECT_FALSE(parse_arguments(program(), {"--json="}).has_value());
}

TEST(Arguments, TakesNoTracesWhereAProgramReadsNone) {
  Program timing = program();
  timing.reads_traces = false;
  EXPECT_FALSE(parse_arguments(timing, {"--trace", "a.csv"}).has_value());
}

TEST(Arguments, HelpNamesEveryOption) {
  EXPECT_TRUE(parse_arguments(program(), {"--help"})->help);
  const std::string help = help_text(program());
  for (const char* option : {"--json", "--seeds", "--trace", "--nodes", "BERTH_TRACES"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
}

}  // namespace
}  // namespace berth::bench
