#include "server/agents/order_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/agents/report_intake.h"

namespace berth::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

agent::LeaseKey key(std::uint64_t lease, std::uint64_t epoch = 1) {
  return {LeaseId(lease), epoch};
}
agent::Grant grant(std::uint64_t lease) {
  agent::Grant made;
  made.key = key(lease);
  return made;
}

// "prepare", "start", ... in the order in which they leave.
std::vector<std::string> sent(OrderTable& table) {
  static const char* const kNames[] = {"prepare", "start",  "resume", "move",
                                       "leave",   "revoke", "layout"};
  std::vector<std::string> names;
  while (const auto body = table.next(0)) names.emplace_back(kNames[body->index()]);
  return names;
}

TEST(OrderTable, KeepsTheLatestOfALeaseUntilItIsOver) {
  OrderTable table;
  table.prepare(grant(1));
  table.start(key(1));
  EXPECT_THAT(sent(table), ElementsAre("start"));
  EXPECT_THAT(sent(table), IsEmpty());
  table.send_all_again();
  EXPECT_THAT(sent(table), ElementsAre("start"));
  table.settle(key(1, 0));
  EXPECT_TRUE(table.has(LeaseId(1))) << "an end of an older epoch";
  table.settle(key(1));
  EXPECT_EQ(table.size(), 0U);
}

TEST(OrderTable, WhatFollowsAStartComesAfterIt) {
  OrderTable table;
  table.start(key(1));
  table.resume(key(1), {});
  table.move(grant(1), "");
  table.move(grant(1), "");
  EXPECT_THAT(sent(table), ElementsAre("start", "resume", "move"));
  table.revoke({key(1), ReclaimGrade::kSuspend, std::nullopt, 0, {}}, kNever);
  table.send_all_again();
  EXPECT_THAT(sent(table), ElementsAre("revoke"));
  table.resume(key(1), {});
  table.send_all_again();
  EXPECT_THAT(sent(table), ElementsAre("resume"));
}

TEST(OrderTable, OrdersLeaveInTheOrderInWhichTheyWereGiven) {
  OrderTable table;
  table.start(key(1));
  table.prepare(grant(2));
  table.layout({1, 0, {}, {}});
  table.revoke({key(1), ReclaimGrade::kKill, std::nullopt, 0, {}}, kNever);
  EXPECT_THAT(sent(table), ElementsAre("prepare", "layout", "revoke"));
}

TEST(OrderTable, ARevokeSaysWhatIsLeftOfItsGrace) {
  OrderTable table;
  table.revoke({key(1), ReclaimGrade::kCheckpointEvict, std::nullopt, 0, {}}, 5000);
  EXPECT_EQ(std::get<agent::RevokeOrder>(*table.next(2000)).grace_ms, 3000);
  table.send_all_again();
  EXPECT_EQ(std::get<agent::RevokeOrder>(*table.next(9000)).grace_ms, 0);
}

TEST(OrderTable, ALayoutIsSettledByItsOwnNumber) {
  OrderTable table;
  table.layout({1, 0, {}, {}});
  table.layout({2, 0, {}, {}});
  EXPECT_EQ(table.size(), 1U);
  table.settle_layout(0, 1);
  EXPECT_EQ(table.size(), 1U);
  table.settle_layout(0, 2);
  EXPECT_EQ(table.size(), 0U);
}

TEST(OrderTable, AnArrivalIsOneUntilASessionWasTold) {
  OrderTable table;
  table.move(grant(1), "n2");
  EXPECT_TRUE(table.awaits_arrival(LeaseId(1)));
  EXPECT_THAT(sent(table), ElementsAre("move"));
  EXPECT_FALSE(table.awaits_arrival(LeaseId(1)));
}

TEST(ReportIntake, AcknowledgesWhatIsSettledWithoutAGap) {
  ReportIntake intake;
  intake.begin("a");
  EXPECT_EQ(intake.take(3), Arrival::kNew);
  EXPECT_EQ(intake.take(5), Arrival::kNew);
  intake.settle(5);
  EXPECT_EQ(intake.settled(), 2U) << "3 is under way";
  EXPECT_EQ(intake.take(3), Arrival::kRepeated);
  intake.settle(3);
  EXPECT_EQ(intake.settled(), 5U);
  EXPECT_EQ(intake.take(4), Arrival::kRepeated);
}

TEST(ReportIntake, WhatCouldNotBeCommittedComesAgain) {
  ReportIntake intake;
  intake.begin("a");
  intake.take(1);
  intake.give_back(1);
  EXPECT_EQ(intake.settled(), 0U);
  intake.begin("a");
  EXPECT_EQ(intake.take(1), Arrival::kNew);
}

TEST(ReportIntake, AnotherInstanceCountsAnew) {
  ReportIntake intake;
  intake.begin("a");
  intake.take(9);
  intake.begin("a");
  EXPECT_EQ(intake.take(9), Arrival::kRepeated);
  intake.begin("b");
  EXPECT_EQ(intake.take(1), Arrival::kNew);
}

}  // namespace
}  // namespace berth::server
