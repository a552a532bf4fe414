#include "sim/scenario/verbs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/file.h"

namespace berth::sim {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& line) {
  const auto step = parse_step(line);
  return step ? "accepted" : step.error().to_text();
}

TEST(Verbs, NameTheNearestRightWord) {
  EXPECT_THAT(refusal("submitt a gpus=1"), HasSubstr("did you mean 'submit'?"));
  EXPECT_THAT(refusal("submit a gpuss=1"), HasSubstr("did you mean 'gpus'?"));
  EXPECT_THAT(refusal("submit a gpus=1 class=trainign"), HasSubstr("did you mean 'training'?"));
  EXPECT_THAT(refusal("submit a gpus=1 elastik"), HasSubstr("did you mean 'elastic'?"));
  EXPECT_THAT(refusal("node n1 mig=dinamic"), HasSubstr("did you mean 'dynamic'?"));
  EXPECT_THAT(refusal("show card"), HasSubstr("did you mean 'cards'?"));
  EXPECT_THAT(refusal("submit a gpus=1 share=1/4"), HasSubstr("are two requests"));
  EXPECT_THAT(refusal("submit a model=H100-80G"), HasSubstr("names a model of no card"));
  EXPECT_THAT(refusal("policy reluctanze=2"), HasSubstr("reluctance"));
}

TEST(Verbs, SayWhatIsWrongInOneLineAndWhereTheUsageIs) {
  EXPECT_EQ(refusal("queue a lmit=3"),
            "'lmit' is not an option of queue; did you mean 'limit'? (see 'berth scenario verbs "
            "queue')");
  EXPECT_THAT(refusal("queue a limit=-3"),
              HasSubstr("limit: is '-3'; from 0 to 1000000 cards is accepted"));
  EXPECT_THAT(refusal("submit j run_time=-10m"),
              HasSubstr("run_time: is '-10m'; a duration such as 10m, not negative, is accepted"));
  EXPECT_THAT(refusal("submit j run_time=20000d"), HasSubstr("10m, at most 11574d, is accepted"));
  EXPECT_THAT(refusal("submit j cpu=-2"), HasSubstr("CPUs such as 4 or 500m, not negative,"));
  EXPECT_THAT(refusal("submit j memory=-1GiB"), HasSubstr("such as 80GiB, not negative,"));
  EXPECT_THAT(refusal("submit j share=1/0"), HasSubstr("such as 25%, 0.25 or 1/4, in whole"));
  EXPECT_THAT(refusal("queue a model=A30"), HasSubstr("model: names a quota without an amount"));
  EXPECT_THAT(refusal("queue a + class training"), HasSubstr("limit: is missing"));
  EXPECT_THAT(refusal("submit j queue="), HasSubstr("queue: is empty; a value is needed"));
  EXPECT_EQ(refusal("queue a limit=none lend=none"), "accepted");
  EXPECT_THAT(refusal("queue a limit=2 + quota limit=3"),
              HasSubstr("the quota of any model is said twice; one is accepted"));
  EXPECT_THAT(refusal("queue a + class training limit=1 + class training limit=2"),
              HasSubstr("the limit of class training is said twice"));
}

TEST(Verbs, RefuseNumbersThatMeanNothing) {
  const char* const kLines[] = {"submit a gpus=-1",
                                "submit a gpus=1.5",
                                "submit a gpus=nan",
                                "submit a gpus=99999999999999999999",
                                "submit a share=nan",
                                "submit a share=-0.5",
                                "submit a share=1.5",
                                "submit a share=1/0",
                                "submit a memory=-2GiB",
                                "submit a memory=9223372036854775807TiB",
                                "submit a memory=0.3MiB",
                                "submit a compute=1e400",
                                "submit a cpu=-1",
                                "submit a tasks=0",
                                "submit a tasks=1000000",
                                "submit m[1-99999]",
                                "submit m[9-1]",
                                "submit m[1",
                                "advance -5m",
                                "advance 5",
                                "advance 99999999999999999d",
                                "node n1 gpus=65",
                                "node n1 gpus=4 islands=3",
                                "node n1 gpus=1 layout=3g.40gb",
                                "node n1 has=disk:-1",
                                "node n1 has=disk",
                                "queue q guarantee=-4",
                                "queue q guarantee=inf",
                                "fail card n1",
                                "fail card n1:-1",
                                "fail card n1:99999",
                                "policy learn_mix=7"};
  for (const char* line : kLines) EXPECT_NE(refusal(line), "accepted") << line;
}

TEST(Verbs, RefuseContradictionsAndLeftovers) {
  EXPECT_THAT(refusal("submit a gpus=1 gpus=2"), HasSubstr("twice"));
  EXPECT_THAT(refusal("submit a gpus=1 profile=1g.10gb"), HasSubstr("two requests"));
  EXPECT_THAT(refusal("cycle now"), HasSubstr("too much"));
  EXPECT_THAT(refusal("submit"), HasSubstr("needs a name"));
  EXPECT_THAT(refusal("submit a reason=\"open"), HasSubstr("quote"));
  EXPECT_THAT(refusal("fail n1"), HasSubstr("needs 'node NAME'"));
}

TEST(Verbs, TakeExactQuantities) {
  for (const char* line :
       {"submit a share=1/64", "submit a share=12.5%", "submit a share=0.25 count=8",
        "submit a compute=30% memory=1.5GiB", "submit m[01-24] memory=2000MiB", "advance 1h30m",
        "node n1 model=X gpus=16 islands=2 has=licence:2,disk:10", "policy backoff_first=10s"}) {
    EXPECT_EQ(refusal(line), "accepted") << line;
  }
}

// The page that operators read names every command as the table does.
TEST(Verbs, AreDocumented) {
  const auto page = codec::read_file(std::string(BERTH_SOURCE_DIR) + "/docs/scenarios.md");
  ASSERT_TRUE(page.has_value());
  for (const auto part : {fleet_verbs(), job_verbs(), work_verbs(), show_verbs()}) {
    for (const Verb& verb : part) {
      EXPECT_THAT(*page, HasSubstr("    " + std::string(verb.usage) + "\n"));
    }
  }
}

TEST(Names, ExpandKeepsLeadingZeros) {
  const auto names = expand_names("n-[08-10].rack");
  ASSERT_TRUE(names.has_value());
  EXPECT_THAT(*names, ::testing::ElementsAre("n-08.rack", "n-09.rack", "n-10.rack"));
}

}  // namespace
}  // namespace berth::sim
