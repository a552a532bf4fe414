#include "wire/proto.h"

#include <gtest/gtest.h>

#include "model/testing.h"

namespace berth::wire {
namespace {

namespace v1 = ::berth::agent::v1;
namespace t = berth::testing;

agent::Grant some_grant() {
  agent::Grant grant;
  grant.key = {LeaseId(7), 3};
  grant.term = 9;
  grant.job = JobId(5);
  grant.role = 1;
  grant.task = 4;
  grant.node = "n1";
  grant.cards.push_back({2, CardMode::kMig, 6, kCard / 7, 8});
  grant.spec.role = "worker";
  grant.spec.job_class = JobClass::kInference;
  grant.spec.tasks = 8;
  grant.spec.min_tasks = 6;
  Container container;
  container.name = "main";
  container.role = ContainerRole::kSidecar;
  container.cpu_milli = 4000;
  container.memory_mib = 100;
  container.resources = {{"disk_gib", 5}};
  container.devices.count = 1;
  container.image = "registry/train:1";
  container.command = {"python", "train.py"};
  container.environment = {{"A", "1"}};
  grant.spec.containers = {container};
  grant.spec.checkpoint = {CheckpointMethod::kHttp, 1, 2, 3, 4, 5, true};
  grant.spec.run_time_ms = 1000;
  grant.spec.start_timeout_ms = 2000;
  grant.spec.at_most_once_ms = 3000;
  return grant;
}

NodeSpec some_node() {
  NodeSpec node = t::mig_node("n1", "grid", 2);
  node.partition = "p";
  node.card_memory_mib = 81'000;
  node.card_reserve_mib = 100;
  node.resources = {{"licence", 3}};
  node.domains = {{"leaf", "l1"}};
  node.labels = {{"zone", "a"}};
  node.cards[0].uuid = "GPU-1";
  node.cards[0].island = 1;
  node.cards[0].mig = MigRegime::kStatic;
  node.cards[0].layout = {{"1g.10gb", 3, "serving"}};
  node.cards[1].mig = MigRegime::kOff;
  node.cards[1].health = CardHealth::kFailed;
  node.cards[1].timeslice_replicas = 4;
  node.cards[1].partition = "q";
  return node;
}

TEST(Wire, WhatAServerSaysComesBackAsItWas) {
  const agent::LeaseKey key{LeaseId(7), 3};
  const std::vector<agent::FromServer> messages = {
      agent::Welcome{4, 3000, 10'000},
      agent::Acknowledged{12},
      agent::Heartbeat{13},
      agent::Order{4, agent::PrepareOrder{some_grant()}},
      agent::Order{4, agent::StartOrder{key}},
      agent::Order{4, agent::ResumeOrder{key, some_grant().cards}},
      agent::Order{4, agent::MoveOrder{some_grant(), "n2"}},
      agent::Order{4, agent::LeaveOrder{key}},
      agent::Order{4, agent::RevokeOrder{key, ReclaimGrade::kSuspend, 500, 30, ReceiptId(2)}},
      agent::Order{4, agent::RevokeOrder{key, ReclaimGrade::kKill, std::nullopt, 0, {}}},
      agent::Order{4, agent::LayoutOrder{5, 1, {{"1g.10gb", 2, ""}}, {{"7g.80gb", 0, "x"}}}}};
  for (const agent::FromServer& message : messages) {
    const auto read = from_proto(to_proto(message));
    ASSERT_TRUE(read) << read.error().to_text();
    EXPECT_EQ(*read, message) << message.index();
  }
}

TEST(Wire, AJoinComesBackAsItWas) {
  agent::Join join;
  join.token = "secret";
  join.instance = "i";
  join.term = 3;
  join.node = some_node();
  join.leases = {{{LeaseId(1), 2}, 3, agent::TaskState::kSuspended},
                 {{LeaseId(4), 1}, 3, agent::TaskState::kEnded}};
  const auto read = from_proto(to_proto(agent::FromAgent(join)));
  ASSERT_TRUE(read) << read.error().to_text();
  EXPECT_EQ(std::get<agent::Join>(*read), join);
}

template <typename Body>
Body back(Body body) {
  const auto read = from_proto(to_proto(agent::FromAgent(agent::Report{3, std::move(body)})));
  EXPECT_TRUE(read) << read.error().to_text();
  const auto& report = std::get<agent::Report>(*read);
  EXPECT_EQ(report.number, 3U);
  return std::get<Body>(report.body);
}

TEST(Wire, ReportsComeBackAsTheyWere) {
  const LeaseId lease(8);
  EXPECT_EQ(back(ReportPrepared{lease, 2}).epoch, 2U);
  EXPECT_EQ(back(ReportPrepareFailed{lease, 2, "why"}).reason, "why");
  EXPECT_EQ(back(ReportEnded{lease, 2, EndReason::kDrained}).reason, EndReason::kDrained);
  EXPECT_EQ(back(ReportReleased{lease, 2, "c"}).checkpoint, "c");
  EXPECT_EQ(back(ReportSuspended{lease, 2}).lease, lease);
  EXPECT_EQ(back(ReportCheckpoint{lease, 2, "c"}).checkpoint, "c");
  EXPECT_EQ(back(ReportActivity{lease, 2, 77}).busy_ppm, 77);
  const ReportLayout layout = back(ReportLayout{{}, 3, 9, {{"1g.10gb", 1, ""}}, "busy"});
  EXPECT_EQ(layout.card, 3);
  EXPECT_EQ(layout.ask, 9U);
  EXPECT_EQ(layout.layout.size(), 1U);
  EXPECT_EQ(layout.error, "busy");
  EXPECT_EQ(back(agent::OrderRefused{{lease, 2}, "old"}).reason, "old");
}

TEST(Wire, WhatIsBeyondTheLimitsIsRefusedByName) {
  v1::FromAgent message;
  EXPECT_FALSE(from_proto(message)) << "a message without a body";
  message.mutable_join()->mutable_inventory()->set_name(std::string(200, 'n'));
  auto read = from_proto(message);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().field, "name");
  EXPECT_EQ(read.error().code, ErrorCode::kLimitExceeded);

  v1::FromServer order;
  order.mutable_order()->mutable_revoke()->set_grade(v1::RECLAIM_GRADE_UNSPECIFIED);
  auto refused = from_proto(order);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_text(), "revoke.grade: is 0; 1 to 8 is accepted");

  order.mutable_order()->mutable_prepare()->add_cards()->set_card(64);
  EXPECT_FALSE(from_proto(order));
}

TEST(Wire, ALeaseThatNoneCanHaveIsRefused) {
  v1::FromServer message;
  message.mutable_order()->mutable_start()->set_lease(LeaseId::kNoneValue);
  EXPECT_FALSE(from_proto(message));
}

}  // namespace
}  // namespace berth::wire
