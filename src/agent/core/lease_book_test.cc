#include "agent/core/lease_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/testing.h"

namespace berth::agent {
namespace {

using testing::cards;
using ::testing::ElementsAre;
using testing::grant;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::key;
using testing::order;
using testing::revoke;
using testing::text_of;

std::vector<std::string> tell(LeaseBook& book, const Order& what, TimeMs now = 0) {
  return text_of(book.order(what, now));
}

// Lease 1 on card 0, running.
LeaseBook running() {
  LeaseBook book;
  tell(book, order(PrepareOrder{grant(1, 0)}));
  book.prepared(key(1));
  tell(book, order(StartOrder{key(1)}));
  book.acknowledge(1);
  return book;
}

TEST(LeaseBook, LeadsATaskFromItsGrantToItsEnd) {
  LeaseBook book;
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(1, 0)})), ElementsAre("prepare 1"));
  EXPECT_THAT(text_of(book.prepared(key(1))), ElementsAre("report prepared 1"));
  EXPECT_THAT(tell(book, order(StartOrder{key(1)})), ElementsAre("start 1"));
  EXPECT_THAT(text_of(book.ended(key(1), EndReason::kSucceeded)),
              ElementsAre("report ended succeeded 1"));
  EXPECT_THAT(book.tasks(), IsEmpty());
  ASSERT_EQ(book.held().size(), 1U) << "its end is not acknowledged";
  EXPECT_EQ(book.held().front().state, TaskState::kEnded);
  book.acknowledge(2);
  EXPECT_THAT(book.held(), IsEmpty());
}

TEST(LeaseBook, WhatComesTwiceChangesNothing) {
  LeaseBook book = running();
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(1, 0)})), IsEmpty());
  EXPECT_THAT(tell(book, order(StartOrder{key(1)})), IsEmpty());
  EXPECT_THAT(text_of(book.prepared(key(1))), IsEmpty());
  EXPECT_THAT(tell(book, revoke(1, ReclaimGrade::kCheckpointEvict, 1000)),
              ElementsAre("checkpoint 1"));
  EXPECT_THAT(tell(book, revoke(1, ReclaimGrade::kCheckpointEvict, 1000)), IsEmpty());
}

TEST(LeaseBook, AStartThatWasNotPreparedIsRefused) {
  LeaseBook book;
  tell(book, order(PrepareOrder{grant(1, 0)}));
  EXPECT_THAT(tell(book, order(StartOrder{key(1)})), ElementsAre("report refused 1"));
  EXPECT_THAT(tell(book, order(StartOrder{key(2)})), ElementsAre("report ended lost 2"))
      << "what it does not have is lost";
}

TEST(LeaseBook, AnOlderTermIsRefused) {
  LeaseBook book = running();
  tell(book, order(StartOrder{key(1)}, 7));
  const Outcome refused = book.order(revoke(1, ReclaimGrade::kKill, 0), 0);
  EXPECT_THAT(text_of(refused), ElementsAre("report refused 1"));
  EXPECT_EQ(refused.reports.front().number, 0U) << "it is not kept";
  EXPECT_EQ(book.find(LeaseId(1))->state, TaskState::kRunning);
  EXPECT_FALSE(book.welcome({6, 1, 1}));
  EXPECT_TRUE(book.welcome({7, 1, 1}));
}

TEST(LeaseBook, AnOlderEpochIsRefusedAndANewerOneWaitsUntilTheOldIsGone) {
  LeaseBook book;
  tell(book, order(PrepareOrder{grant(1, 0, 3)}));
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(1, 0, 2)})), ElementsAre("report refused 1"));
  EXPECT_THAT(tell(book, order(StartOrder{key(1, 2)})), ElementsAre("report refused 1"));
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(1, 0, 4)})),
              ElementsAre("kill 1", "report prepare failed 1"));
  EXPECT_THAT(text_of(book.released(key(1, 3), "")), ElementsAre("report released 1"));
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(1, 0, 5)})), ElementsAre("prepare 1"));
}

TEST(LeaseBook, TwoLeasesNeverHoldOnePartOfACard) {
  LeaseBook book = running();
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(2, 0)})), ElementsAre("report prepare failed 2"));
  Grant half = grant(3, 1);
  half.cards = cards(1, kCard / 2);
  Grant other = grant(4, 1);
  other.cards = cards(1, kCard / 2);
  Grant third = grant(5, 1);
  third.cards = cards(1, kCard / 4);
  EXPECT_THAT(tell(book, order(PrepareOrder{half})), ElementsAre("prepare 3"));
  EXPECT_THAT(tell(book, order(PrepareOrder{other})), ElementsAre("prepare 4"));
  EXPECT_THAT(tell(book, order(PrepareOrder{third})), ElementsAre("report prepare failed 5"));
}

TEST(LeaseBook, AnEndedGrantIsNotStartedAgain) {
  LeaseBook book = running();
  book.ended(key(1), EndReason::kFailed);
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(1, 0)})), IsEmpty()) << "its end is on its way";
  book.acknowledge(2);
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(1, 0)})), ElementsAre("report prepare failed 1"));
  EXPECT_THAT(book.tasks(), IsEmpty());
}

TEST(LeaseBook, APassedDeadlineKills) {
  LeaseBook book = running();
  tell(book, revoke(1, ReclaimGrade::kCheckpointEvict, 1000), 500);
  EXPECT_EQ(book.next_due(), 1500);
  EXPECT_THAT(text_of(book.tick(1499)), IsEmpty());
  EXPECT_THAT(text_of(book.tick(1500)), ElementsAre("kill 1"));
  EXPECT_THAT(text_of(book.tick(1501)), IsEmpty());
  EXPECT_THAT(text_of(book.released(key(1), "")), ElementsAre("report released 1"));
}

TEST(LeaseBook, ARevokeIsFollowedByItsGradeAndItsState) {
  LeaseBook book;
  tell(book, order(PrepareOrder{grant(1, 0)}));
  EXPECT_THAT(tell(book, revoke(1, ReclaimGrade::kCheckpointEvict, 1000)), ElementsAre("stop 1"))
      << "it has nothing to save yet";
  EXPECT_THAT(tell(book, revoke(1, ReclaimGrade::kKill, 0)), ElementsAre("kill 1"));
  EXPECT_THAT(text_of(book.prepare_failed(key(1), "killed")), ElementsAre("report released 1"));
  EXPECT_THAT(tell(book, revoke(9, ReclaimGrade::kKill, 0)), ElementsAre("report released 9"))
      << "what it never had is free";
}

TEST(LeaseBook, ASuspendedTaskHoldsNoCardAndGoesOnElsewhere) {
  LeaseBook book = running();
  EXPECT_THAT(tell(book, revoke(1, ReclaimGrade::kSuspend, 5000)), ElementsAre("suspend 1"));
  EXPECT_THAT(text_of(book.suspended(key(1))), ElementsAre("report suspended 1"));
  EXPECT_EQ(book.next_due(), kNever);
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(2, 0)})), ElementsAre("prepare 2"));
  EXPECT_THAT(tell(book, order(ResumeOrder{key(1), cards(0)})), ElementsAre("report refused 1"));
  EXPECT_THAT(tell(book, order(ResumeOrder{key(1), cards(1)})), ElementsAre("resume 1"));
  EXPECT_THAT(tell(book, order(ResumeOrder{key(1), cards(1)})), IsEmpty());
}

TEST(LeaseBook, AMoveKeepsTheEpoch) {
  LeaseBook book = running();
  EXPECT_THAT(tell(book, order(MoveOrder{grant(1, 3), ""})), ElementsAre("move 1"));
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(2, 0)})), ElementsAre("prepare 2"));
  EXPECT_THAT(tell(book, order(MoveOrder{grant(8, 5), ""})), ElementsAre("report ended lost 8"));
  EXPECT_THAT(tell(book, order(MoveOrder{grant(9, 5), "n7"})), ElementsAre("move 9"));
  EXPECT_EQ(book.find(LeaseId(9))->state, TaskState::kRunning);
  EXPECT_THAT(tell(book, order(LeaveOrder{key(9)})), ElementsAre("let go 9"));
  EXPECT_EQ(book.find(LeaseId(9)), nullptr);
}

TEST(LeaseBook, ATaskThatMustNotOutliveTheContactIsGivenUp) {
  LeaseBook book;
  Grant once = grant(1, 0);
  once.spec.at_most_once_ms = 1000;
  tell(book, order(PrepareOrder{once}));
  tell(book, order(PrepareOrder{grant(2, 1)}));
  book.contact(100);
  book.contact(50);  // an answer that was slow
  EXPECT_EQ(book.next_due(), 1100);
  EXPECT_THAT(text_of(book.tick(1100)), ElementsAre("kill 1"));
  EXPECT_THAT(text_of(book.released(key(1), "")), ElementsAre("report ended lost 1"));
  EXPECT_EQ(book.tasks().size(), 1U) << "others run on";
}

TEST(LeaseBook, OfCheckpointsOnlyTheLastWaits) {
  LeaseBook book = running();
  book.checkpoint(key(1), "a");
  book.activity(key(1), 10);
  book.checkpoint(key(1), "b");
  book.activity(key(1), 20);
  const auto waiting = book.unacknowledged();
  ASSERT_EQ(waiting.size(), 2U);
  EXPECT_EQ(std::get<ReportCheckpoint>(waiting[0].body).checkpoint, "b");
  EXPECT_EQ(std::get<ReportActivity>(waiting[1].body).busy_ppm, 20);
}

TEST(LeaseBook, ALayoutIsMadeOnceForEachNumber) {
  LeaseBook book;
  const LayoutOrder ask{4, 2, {{"1g.10gb", 0, ""}}, {}};
  EXPECT_THAT(tell(book, order(ask)), ElementsAre("layout 4"));
  EXPECT_THAT(tell(book, order(ask)), IsEmpty());
  EXPECT_THAT(text_of(book.layout_read({{}, 2, 3, {}, ""})), IsEmpty()) << "of an ask before it";
  EXPECT_THAT(text_of(book.layout_read({{}, 2, 4, ask.wanted, ""})), ElementsAre("report layout"));
  EXPECT_THAT(tell(book, order(ask)), ElementsAre("report layout")) << "what is done stays done";
}

TEST(LeaseBook, GoesOnFromItsSavedForm) {
  LeaseBook book = running();
  book.contact(77);
  tell(book, order(PrepareOrder{grant(2, 1)}, 5));
  book.checkpoint(key(1), "c1");
  book.ended(key(2), EndReason::kFailed);
  book.layout_read({{}, 0, 1, {}, "none was asked for"});
  tell(book, order(LayoutOrder{9, 3, {{"1g.10gb", 0, ""}}, {}}, 5));
  const std::string bytes = book.save();
  auto loaded = LeaseBook::load(bytes);
  ASSERT_TRUE(loaded) << loaded.error().to_text();
  EXPECT_EQ(loaded->save(), bytes);
  EXPECT_EQ(loaded->term(), 5U);
  EXPECT_EQ(loaded->held(), book.held());
  EXPECT_THAT(tell(*loaded, order(PrepareOrder{grant(2, 1)}, 5)), IsEmpty());
  EXPECT_THAT(text_of(loaded->activity(key(1), 5)), ElementsAre("report activity 1"));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(LeaseBook::load(bytes.substr(0, cut))) << cut;
  }
}

}  // namespace
}  // namespace berth::agent
