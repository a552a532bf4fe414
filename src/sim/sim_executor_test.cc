// The executor alone: tests hold the leases and pop its events.
#include "sim/sim_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/executor_rig.h"

namespace berth::sim {
namespace {

using ::testing::ElementsAre;

using testing::kJob;
using testing::Rig;

// A minute of work, five seconds to write, seven to restart.
CheckpointSpec saves() {
  CheckpointSpec spec;
  spec.method = CheckpointMethod::kSignal;
  spec.interval_ms = kMinuteMs;
  spec.duration_ms = 5 * kSecondMs;
  spec.restart_ms = 7 * kSecondMs;
  spec.acknowledges = true;
  return spec;
}

CheckpointSpec silent() {
  CheckpointSpec spec = saves();
  spec.acknowledges = false;
  return spec;
}

ExecutorSpec starts_in(DurationMs start_up_ms) {
  ExecutorSpec spec;
  spec.start_up.value_ms = start_up_ms;
  spec.release_ms = kSecondMs;
  return spec;
}

TEST(SimExecutor, WritesACheckpointAfterEachInterval) {
  Rig rig(starts_in(10 * kSecondMs));
  rig.begin(150 * kSecondMs, saves(), 2);
  EXPECT_THAT(
      rig.until(1000 * kSecondMs),
      ElementsAre("75 checkpoint 1 of 1", "140 checkpoint 2 of 1", "170 ended 1", "170 ended 2"));
  EXPECT_EQ(rig.spent(Spending::kStartUp), 20);
  EXPECT_EQ(rig.spent(Spending::kUseful), 300);
  EXPECT_EQ(rig.spent(Spending::kCheckpoint), 20);
  EXPECT_EQ(rig.all(), 340);
}

TEST(SimExecutor, AGangThatAcknowledgesSavesTogetherAndGoesOnFromThere) {
  Rig rig(starts_in(0));
  rig.begin(100 * kSecondMs, saves(), 2);
  EXPECT_THAT(rig.until(40 * kSecondMs), ElementsAre());
  rig.revoke(1, ReclaimGrade::kCheckpointEvict, kMinuteMs);
  rig.revoke(2, ReclaimGrade::kCheckpointEvict, kMinuteMs);
  EXPECT_THAT(rig.until(100 * kSecondMs),
              ElementsAre("46 released 1 with 1", "46 released 2 with 1"));
  EXPECT_EQ(rig.spent(Spending::kCheckpointAsked), 10);
  EXPECT_EQ(rig.spent(Spending::kDraining), 2);
  EXPECT_EQ(rig.recomputed(Interruption::kEviction), 0);
  rig.grant(2);
  // restart of 7 s, then the other 60 s of work; that is just before a checkpoint is due
  EXPECT_THAT(rig.until(300 * kSecondMs), ElementsAre("167 ended 3", "167 ended 4"));
  EXPECT_EQ(rig.spent(Spending::kRestart), 14);
  EXPECT_EQ(rig.spent(Spending::kUseful), 200);
}

TEST(SimExecutor, ACheckpointThatDoesNotFitIsNoneAndTheControllerLooksAtTheDeadline) {
  Rig rig(starts_in(0));
  rig.begin(100 * kSecondMs, saves(), 1);
  rig.until(40 * kSecondMs);
  rig.revoke(1, ReclaimGrade::kCheckpointEvict, 5 * kSecondMs);
  EXPECT_THAT(rig.until(45 * kSecondMs), ElementsAre("45 tick"));
  rig.revoke(1, ReclaimGrade::kKill, 30 * kSecondMs);
  EXPECT_THAT(rig.until(60 * kSecondMs), ElementsAre("46 released 1"));
  EXPECT_EQ(rig.spent(Spending::kDraining), 6);
  EXPECT_EQ(rig.recomputed(Interruption::kEviction), 40);
  rig.grant(1);
  EXPECT_THAT(rig.until(300 * kSecondMs), ElementsAre("125 checkpoint 1 of 2", "165 ended 2"));
  EXPECT_EQ(rig.spent(Spending::kRestart), 0);  // it had nothing to read back
}

TEST(SimExecutor, WhoDoesNotAcknowledgeWorksOnUntilItIsKilled) {
  Rig rig(starts_in(0));
  rig.begin(300 * kSecondMs, silent(), 1);
  rig.until(40 * kSecondMs);
  rig.revoke(1, ReclaimGrade::kCheckpointEvict, kMinuteMs);
  EXPECT_THAT(rig.until(100 * kSecondMs), ElementsAre("65 checkpoint 1 of 1", "100 tick"));
  rig.revoke(1, ReclaimGrade::kKill, 30 * kSecondMs);
  EXPECT_THAT(rig.until(120 * kSecondMs), ElementsAre("101 released 1"));
  EXPECT_EQ(rig.spent(Spending::kUseful), 60);
  EXPECT_EQ(rig.recomputed(Interruption::kEviction), 35);
}

TEST(SimExecutor, ACheckpointUnderWayIsTheOneThatIsAskedFor) {
  Rig rig(starts_in(0));
  rig.begin(300 * kSecondMs, saves(), 1);
  rig.until(62 * kSecondMs);
  rig.revoke(1, ReclaimGrade::kCheckpointEvict, kMinuteMs);
  EXPECT_THAT(rig.until(100 * kSecondMs), ElementsAre("66 released 1 with 1"));
  EXPECT_EQ(rig.spent(Spending::kCheckpoint), 2);
  EXPECT_EQ(rig.spent(Spending::kCheckpointAsked), 3);
}

TEST(SimExecutor, SuspendingMovesTheImageAtTheModelsRatesAndLosesNothing) {
  Rig rig(starts_in(0));
  rig.begin(100 * kSecondMs, {}, 1);
  rig.until(40 * kSecondMs);
  rig.revoke(1, ReclaimGrade::kSuspend, kMinuteMs, 20'000);
  EXPECT_THAT(rig.until(200 * kSecondMs), ElementsAre("50 suspended 1"));
  rig.resume(1);
  EXPECT_THAT(rig.until(300 * kSecondMs), ElementsAre("264 ended 1"));
  EXPECT_EQ(rig.spent(Spending::kSuspend), 14);
  EXPECT_EQ(rig.spent(Spending::kUseful), 100);
  EXPECT_EQ(rig.all(), 114);  // nothing while it is off its card
}

TEST(SimExecutor, ASuspensionThatTakesTooLongIsLookedAt) {
  Rig rig(starts_in(0));
  rig.begin(100 * kSecondMs, {}, 1);
  rig.until(40 * kSecondMs);
  rig.revoke(1, ReclaimGrade::kSuspend, 5 * kSecondMs, 20'000);
  EXPECT_THAT(rig.until(45 * kSecondMs), ElementsAre("45 tick"));
  rig.revoke(1, ReclaimGrade::kKill, 30 * kSecondMs);
  EXPECT_THAT(rig.until(60 * kSecondMs), ElementsAre("46 released 1"));
  EXPECT_EQ(rig.recomputed(Interruption::kEviction), 40);
}

TEST(SimExecutor, ASuspendedTaskThatIsKilledLosesWhatIsInItsImage) {
  Rig rig(starts_in(0));
  rig.begin(100 * kSecondMs, saves(), 1);
  rig.until(40 * kSecondMs);
  rig.revoke(1, ReclaimGrade::kSuspend, kMinuteMs, 20'000);
  rig.until(100 * kSecondMs);
  rig.revoke(1, ReclaimGrade::kKill, 30 * kSecondMs);
  EXPECT_THAT(rig.until(110 * kSecondMs), ElementsAre("101 released 1"));
  EXPECT_EQ(rig.recomputed(Interruption::kEviction), 40);
  EXPECT_EQ(rig.spent(Spending::kDraining), 0) << "it held no card any more";
}

TEST(SimExecutor, AShrunkGangWorksOn) {
  Rig rig(starts_in(0));
  rig.begin(100 * kSecondMs, saves(), 3);
  rig.until(40 * kSecondMs);
  rig.executor().revoking({LeaseId(3), ReclaimGrade::kShrink, kNever, EndReason::kShrunk, {}});
  rig.revoke(3, ReclaimGrade::kShrink, kMinuteMs);
  EXPECT_THAT(rig.until(200 * kSecondMs),
              ElementsAre("41 released 3", "65 checkpoint 1 of 1", "105 ended 1", "105 ended 2"));
  EXPECT_EQ(rig.spent(Spending::kUseful), 240);
  EXPECT_EQ(rig.spent(Spending::kDraining), 1);
}

TEST(SimExecutor, AStragglerSurvivesItsKillForAWhile) {
  ExecutorSpec spec = starts_in(0);
  spec.straggler_ppm = kPpmOne;
  spec.straggle.value_ms = 90 * kSecondMs;
  Rig rig(spec);
  rig.begin(kHourMs, saves(), 1);
  rig.until(10 * kSecondMs);
  rig.revoke(1, ReclaimGrade::kKill, 30 * kSecondMs);
  EXPECT_THAT(rig.until(300 * kSecondMs), ElementsAre("40 tick", "101 released 1"));
  EXPECT_EQ(rig.spent(Spending::kDraining), 91);
}

TEST(SimExecutor, AGangThatLosesAMemberWaitsAndStartsAgainFromItsCheckpoint) {
  Rig rig(starts_in(0));
  rig.begin(200 * kSecondMs, saves(), 2);
  rig.until(85 * kSecondMs);  // 80 s of work, 60 of them saved
  rig.executor().lost(rig.lease(2), Interruption::kNodeFailure, 0);
  EXPECT_TRUE(rig.executor().is_dead(rig.lease(2)));
  EXPECT_THAT(rig.until(100 * kSecondMs), ElementsAre());
  rig.executor().gone(LeaseId(2));
  rig.executor().repairing(kJob);
  EXPECT_THAT(rig.until(120 * kSecondMs), ElementsAre());
  rig.executor().repaired(kJob);
  rig.grant(1);
  EXPECT_THAT(
      rig.until(400 * kSecondMs),
      ElementsAre("192 checkpoint 2 of 1", "257 checkpoint 3 of 1", "277 ended 1", "277 ended 3"));
  EXPECT_EQ(rig.recomputed(Interruption::kNodeFailure), 40);
  EXPECT_EQ(rig.spent(Spending::kStalled), 15 + 35);
  EXPECT_EQ(rig.spent(Spending::kRestart), 14);
  EXPECT_EQ(rig.spent(Spending::kUseful), 400);
}

TEST(SimExecutor, AMemberLostWhileTheGangSavesLeavesItToBeKilled) {
  Rig rig(starts_in(0));
  rig.begin(200 * kSecondMs, saves(), 2);
  rig.until(40 * kSecondMs);
  rig.revoke(1, ReclaimGrade::kCheckpointEvict, kMinuteMs);
  rig.revoke(2, ReclaimGrade::kCheckpointEvict, kMinuteMs);
  rig.until(42 * kSecondMs);
  rig.executor().lost(rig.lease(2), Interruption::kCardFailure, 0);
  EXPECT_THAT(rig.until(100 * kSecondMs), ElementsAre("100 tick"));
  EXPECT_EQ(rig.recomputed(Interruption::kCardFailure), 80);
}

}  // namespace
}  // namespace berth::sim
