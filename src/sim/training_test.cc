// Running jobs through the product's own controller: failures, interruptions, what is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/testing.h"

namespace berth::sim {
namespace {

using testing::checkpoint;
using ::testing::HasSubstr;
using testing::play;
using testing::Played;
using testing::quiet_input;
using testing::train;

// Only cards or only nodes, so many in an hour in all.
FailureSpec failures(double cards, double nodes) {
  FailureSpec spec;
  spec.card_per_hour = cards;
  spec.node_per_hour = nodes;
  spec.correlated_ppm = 0;
  return spec;
}

std::size_t count_of(const std::vector<Event>& events, NodeCondition condition) {
  return static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [&](const Event& e) {
    const auto* changed = std::get_if<NodeConditionChanged>(&e.body);
    return changed != nullptr && changed->condition == condition;
  }));
}

double hours(const WorkHours& work, Spending spending) {
  return work.spent[static_cast<std::size_t>(spending)];
}
double redone(const WorkHours& work, Interruption cause) {
  return work.recomputed[static_cast<std::size_t>(cause)];
}

TEST(Training, NothingFailsWithoutTheSection) {
  const Played played = play(
      quiet_input(2, {train("a", 4, 2, 10 * kHourMs, checkpoint(kHourMs, kMinuteMs, kMinuteMs))}));
  EXPECT_EQ(played.result.jobs.finished, 1);
  EXPECT_EQ(count_of(played.events, NodeCondition::kLost), 0U);
  EXPECT_NEAR(played.result.work.useful(), 80, 1e-9);
  EXPECT_NEAR(hours(played.result.work, Spending::kCheckpoint), 9 * 8 / 60.0, 1e-9);
  EXPECT_NEAR(played.result.work.lost(), 9 * 8 / 60.0, 1e-9);
  EXPECT_TRUE(played.result.hit_jobs.empty());
}

// A node fails every few hours; the job has one task on each of two of three nodes.
TEST(Training, ANodeFailureCostsTheWorkSinceTheCheckpoint) {
  SimInput input = quiet_input(
      3, {train("a", 4, 2, 40 * kHourMs, checkpoint(kHourMs, kMinuteMs, 2 * kMinuteMs))});
  input.settings.failures = failures(0, 0.02);
  const Played played = play(std::move(input));
  EXPECT_EQ(played.result.jobs.finished, 1);
  EXPECT_GT(count_of(played.events, NodeCondition::kLost), 2U);
  const auto hits =
      played.result.interruptions[static_cast<std::size_t>(Interruption::kNodeFailure)];
  EXPECT_GT(hits, 0);
  EXPECT_NEAR(played.result.work.useful(), 320, 1e-9) << "each hour of work counts once";
  const double lost = redone(played.result.work, Interruption::kNodeFailure);
  EXPECT_GT(lost, 0);
  EXPECT_LE(lost, 8.0 * static_cast<double>(hits)) << "never more than an interval";
  EXPECT_GT(hours(played.result.work, Spending::kRestart), 0);
  ASSERT_EQ(played.result.hit_jobs.size(), 1U);
  EXPECT_EQ(played.result.hit_jobs[0].name, "a");
  EXPECT_EQ(played.result.hit_jobs[0].interruptions, hits);
}

TEST(Training, WithoutCheckpointsItStartsFromTheBeginning) {
  SimInput input = quiet_input(1, {train("a", 1, 1, 5 * kHourMs, {})});
  input.settings.failures = failures(0, 0.1);
  const Played played = play(std::move(input));
  EXPECT_EQ(played.result.jobs.finished, 1);
  EXPECT_NEAR(played.result.work.useful(), 5, 1e-9);
  EXPECT_GT(redone(played.result.work, Interruption::kNodeFailure), 0);
  EXPECT_EQ(hours(played.result.work, Spending::kRestart), 0);  // nothing to read, no start-up
}

TEST(Training, ACardFailureTakesItsTasksAndHeals) {
  SimInput input =
      quiet_input(2, {train("a", 1, 4, 60 * kHourMs, checkpoint(kHourMs, 0, kMinuteMs))});
  input.settings.failures = failures(0.02, 0);
  const Played played = play(std::move(input));
  EXPECT_EQ(played.result.jobs.finished, 1);
  EXPECT_EQ(count_of(played.events, NodeCondition::kLost), 0U);
  EXPECT_NEAR(played.result.work.useful(), 240, 1e-9);
  EXPECT_GT(redone(played.result.work, Interruption::kCardFailure), 0);
  int failed = 0;
  int healed = 0;
  for (const Event& event : played.events) {
    const auto* changed = std::get_if<CardHealthChanged>(&event.body);
    if (changed == nullptr) continue;
    ++(changed->health == CardHealth::kFailed ? failed : healed);
  }
  EXPECT_GT(failed, 2);
  EXPECT_GT(healed, 0);
  EXPECT_LE(healed, failed);
}

TEST(Training, ACorrelatedFailureTakesAllNodesOfTheLeaf) {
  SimInput input = quiet_input(4, {train("a", 4, 4, 20 * kHourMs, checkpoint(kHourMs, 0, 0))});
  input.settings.failures = failures(0, 0.02);
  input.settings.failures->correlated_ppm = kPpmOne;
  const Played played = play(std::move(input));
  EXPECT_EQ(played.result.jobs.finished, 1);
  std::map<TimeMs, std::set<std::uint32_t>> lost;
  for (const Event& event : played.events) {
    const auto* changed = std::get_if<NodeConditionChanged>(&event.body);
    if (changed == nullptr || changed->condition != NodeCondition::kLost) continue;
    lost[event.at].insert(changed->node.value() / 2);
  }
  ASSERT_FALSE(lost.empty());
  for (const auto& [at, leaves] : lost) EXPECT_EQ(leaves.size(), 1U) << at;
  EXPECT_EQ(count_of(played.events, NodeCondition::kLost), 2 * lost.size());
}

TEST(Training, ASpotNodeIsNoticedThenTakenAndComesBack) {
  CheckpointSpec saves = checkpoint(30 * kMinuteMs, 0, kMinuteMs);
  SimJob job = train("a", 4, 1, 30 * kHourMs, saves);
  auto spec = std::make_shared<JobSpec>(*job.spec);
  spec->spot = true;
  spec->partition = "cheap";
  job.spec = spec;
  SimInput input = quiet_input(2, {job});
  PartitionSpec cheap;
  cheap.name = "cheap";
  cheap.kind = PartitionKind::kSpot;
  input.partitions = {cheap};
  for (NodeSpec& node : input.nodes) node.partition = "cheap";
  input.settings.failures = failures(0, 0);
  input.settings.failures->spot_per_hour = 0.1;
  const Played played = play(std::move(input));
  EXPECT_EQ(played.result.jobs.finished, 1);
  std::map<std::uint32_t, TimeMs> deadlines;
  std::size_t taken = 0;
  for (const Event& event : played.events) {
    if (const auto* noticed = std::get_if<InterruptionNoticed>(&event.body)) {
      EXPECT_EQ(noticed->deadline, event.at + 2 * kMinuteMs);
      deadlines[noticed->node.value()] = noticed->deadline;
    }
    const auto* changed = std::get_if<NodeConditionChanged>(&event.body);
    if (changed == nullptr || changed->condition != NodeCondition::kLost) continue;
    EXPECT_EQ(deadlines.at(changed->node.value()), event.at);
    ++taken;
  }
  EXPECT_GT(taken, 0U);
  // it was told in time, saved its work and left
  EXPECT_EQ(redone(played.result.work, Interruption::kSpotInterruption), 0);
  EXPECT_GT(played.result.interruptions[static_cast<std::size_t>(Interruption::kSpotInterruption)],
            0);
  EXPECT_EQ(redone(played.result.work, Interruption::kNodeFailure), 0);
  EXPECT_NEAR(played.result.work.useful(), 120, 1e-9);
}

TEST(Training, AJobThatCrashesEndsAndItsUnsavedWorkIsCounted) {
  SimInput input = quiet_input(2, {train("a", 4, 2, 500 * kHourMs, checkpoint(kHourMs, 0, 0))});
  input.settings.failures = failures(0, 0);
  input.settings.failures->crash_per_hour = 0.1;
  const Played played = play(std::move(input));
  EXPECT_EQ(played.result.jobs.finished, 1);
  EXPECT_LT(played.result.duration_ms, 500 * kHourMs);
  EXPECT_EQ(played.result.interruptions[static_cast<std::size_t>(Interruption::kCrash)], 1);
  EXPECT_GT(redone(played.result.work, Interruption::kCrash), 0);
  EXPECT_LE(redone(played.result.work, Interruption::kCrash), 8);
}

// A level that the fleet lacks must not pass as one where nothing fails together.
TEST(Training, FailuresOfAnUnknownLevelAreRefused) {
  SimInput input = quiet_input(2, {});
  input.settings.failures = failures(0, 1);
  input.settings.failures->domain = "rack";
  journal::MemoryJournal journal;
  control::FitLearner learner;
  Simulation simulation(std::move(input), {journal, learner});
  const Status begun = simulation.begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().to_text(),
            "failures.domain: 'rack' is not a level above the node; leaf are accepted");
}

}  // namespace
}  // namespace berth::sim
