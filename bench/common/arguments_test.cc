#include "bench/common/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Program program() {
  return {"fill", "Fills a fleet.", 10, Traces::kAny, {{"--nodes", "FILE", "the fleet"}}};
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
  timing.traces = Traces::kBuiltIn;
  EXPECT_FALSE(parse_arguments(timing, {"--trace", "a.csv"}).has_value());
}

TEST(Arguments, TakesNoSeedsWhereAProgramDrawsNothing) {
  Program timing = program();
  timing.seeds = 0;
  EXPECT_FALSE(parse_arguments(timing, {"--seeds", "3"}).has_value());
  EXPECT_THAT(help_text(timing), Not(HasSubstr("--seeds")));
}

TEST(Arguments, ExtraOptionsTakeWhatTheyDeclare) {
  using Takes = ExtraOption::Takes;
  Program choosy = program();
  choosy.extras = {{"--repeat", "N", "runs", Takes::kCount},
                   {"--scale", "quick|full", "size", Takes::kOneOf, {"quick", "full"}},
                   {"--cases", "A,B", "only these", Takes::kSomeOf, {"fill", "churn"}}};
  const auto read = parse_arguments(choosy, {"--repeat", "2", "--scale=full", "--cases", "churn"});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->extra("--repeat", ""), "2");
  EXPECT_TRUE(read->chosen("--cases", "churn"));
  EXPECT_FALSE(read->chosen("--cases", "fill"));
  EXPECT_TRUE(parse_arguments(choosy, {})->chosen("--cases", "fill")) << "absent means all";
  for (const auto& [words, text] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--repeat", "abc"}, "--repeat: is 'abc'; a whole number from 1 to 10000 is accepted"},
           {{"--repeat", "nan"}, "--repeat: is 'nan'; a whole number from 1 to 10000 is accepted"},
           {{"--scale", "quik"}, "--scale: 'quik' is not accepted; did you mean 'quick'?"},
           {{"--cases", "fill,"}, "--cases: '' is not accepted; accepted: fill, churn"},
           {{"--cases", "fill,chrun"},
            "--cases: 'chrun' is not accepted; did you mean 'churn'?"}}) {
    const auto refused = parse_arguments(choosy, words);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().to_text(), text);
  }
}

TEST(Arguments, HelpIsAlignedAndNamesTheChoices) {
  Program choosy = program();
  choosy.traces = Traces::kNone;
  choosy.extras = {
      {"--cases", "A,B", "only these", ExtraOption::Takes::kSomeOf, {"fill", "churn"}}};
  EXPECT_EQ(help_text(choosy),
            "Fills a fleet.\n\nUse: fill [options]\n\n"
            "  --json FILE  write all rows to FILE as JSON\n"
            "  --seeds N    runs of each policy; default 10\n"
            "  --cases A,B  only these: fill, churn\n"
            "  --help       this text\n");
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
