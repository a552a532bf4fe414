#include "sim/scenario/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/diff.h"
#include "sim/scenario/testing.h"

namespace berth::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kFleet =
    "fleet\nmodel Card memory=80000MiB\nqueue q\nnode n1 model=Card gpus=2\n----\nok\n\n";

Result<ScenarioOutcome> run(const std::string& text) {
  return run_scenario(text, "x.scn", ScenarioSetting{});
}

TEST(Runner, PassesWhatIsRight) {
  const auto outcome =
      run(std::string(kFleet) + "submit a gpus=2\ncycle\n----\nplace a n1:[0-1]\n");
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_TRUE(outcome->passed()) << outcome->diff << outcome->broken;
  EXPECT_EQ(outcome->commands, 6U);
  EXPECT_NE(outcome->state_hash, 0U);
}

TEST(Runner, AChangedDigitGivesADiff) {
  const std::string text = std::string(kFleet) + "submit a gpus=2\ncycle\n----\nplace a n1:[0-2]\n";
  const auto outcome = run(text);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_FALSE(outcome->passed());
  EXPECT_EQ(outcome->diff, "@@ line 11 @@\n-place a n1:[0-2]\n+place a n1:[0-1]\n");
  const auto again = run(outcome->updated);
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->passed());
}

TEST(Runner, NamesFileAndLineOfAnError) {
  const auto outcome = run(std::string(kFleet) + "cycel\n----\nok\n");
  ASSERT_FALSE(outcome.has_value());
  EXPECT_THAT(outcome.error().message, StartsWith("x.scn:8: 'cycel' is not a command; did you"));
}

TEST(Runner, WorkLeftUndoneIsADecisionOfAnIdleCycle) {
  const auto outcome = run(std::string(kFleet) + "submit a gpus=2\n----\nok\n");
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(outcome->matches);
  EXPECT_EQ(outcome->broken,
            "idle cycle 1 decides place a; a scenario ends when nothing is left to decide (end it "
            "with 'cycle')");
}

TEST(Runner, DeclarationsInReverseKeepParentsFirst) {
  const auto outcome = run(
      "fleet\nmodel Card memory=80000MiB\nqueue org\nqueue team parent=org\nqueue x parent=team\n"
      "node n2 model=Card gpus=1\nnode n1 model=Card gpus=1\n----\nok\n\n"
      "submit a queue=x gpus=1\nsubmit b queue=org gpus=1\ncycle\n----\n"
      "place a n1:0\nplace b n2:0\n");
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(outcome->passed()) << outcome->diff << outcome->broken;
}

TEST(Runner, CasesAreNeverRewritten) {
  EXPECT_TRUE(refuses_update("tests/scenarios/cases/case-001-a.scn"));
  EXPECT_FALSE(refuses_update("tests/scenarios/case-x/drain.scn"));
}

TEST(Diff, KeepsWhatBothHave) {
  EXPECT_EQ(unified_diff({"a", "b", "c"}, {"a", "x", "c", "d"}, 3),
            "@@ line 3 @@\n a\n-b\n+x\n c\n+d\n");
  EXPECT_EQ(unified_diff({"a"}, {"a"}, 1), "");
}

TEST(Session, CollapsesLinesOfConsecutiveNames) {
  testing::LineRunner runner;
  runner.run("model Card memory=80000MiB");
  runner.run("queue q");
  runner.run("node n1 model=Card gpus=1");
  runner.run("submit m[8-11] memory=100MiB");
  EXPECT_THAT(runner.run("cycle"), ElementsAre("place m[8-11] n1:0"));
  EXPECT_THAT(runner.run("finish m8 m10"), ElementsAre("release m8 n1:0", "release m10 n1:0"));
}

TEST(Session, ReportsOfAnOlderEpochAreRefused) {
  testing::LineRunner runner;
  runner.run("model Card memory=80000MiB");
  runner.run("queue q");
  runner.run("node n1 model=Card gpus=1");
  runner.run("executor manual");
  runner.run("submit a gpus=1");
  runner.run("cycle");
  runner.run("fail-prepare a");
  runner.run("advance 1s");
  runner.run("cycle");
  const LeaseId lease = runner.state().leases().sorted_ids().front();
  ASSERT_EQ(runner.state().find_lease(lease)->epoch, 2U);
  const Command stale{ReportPrepared{lease, 1}, {}, {}};
  ASSERT_TRUE(runner.session().execute(stale).has_value());
  EXPECT_THAT(runner.session().take_transcript(),
              ElementsAre(HasSubstr("refused: epoch: is 1; the lease's epoch is 2")));
}

TEST(Session, AFullNodeIsNotTakenForOneWithoutLicence) {
  testing::LineRunner runner;
  runner.run("model Card memory=80000MiB");
  runner.run("queue q");
  runner.run("node n1 model=Card gpus=1 has=licence:1");
  runner.run("submit a gpus=1 needs=licence:2");
  EXPECT_THAT(runner.run("cycle"), ElementsAre("hold a asks 2 licence, largest free 1 (n1)"));
}

}  // namespace
}  // namespace berth::sim
