// The gateway alone: sessions are played by the test, commands are answered by it.
#include "server/agents/gateway.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/testing.h"
#include "model/testing.h"

namespace berth::server {
namespace {

namespace t = berth::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Link final : public SessionLink {
 public:
  void wake() override { ++wakes; }
  void end(const Error& why) override { ended = why; }
  int wakes = 0;
  std::optional<Error> ended;
};

struct Desk {
  Desk()
      : gateway({[this](Command command, CommandDone done) {
                   commands.emplace_back(std::move(command.body), std::move(done));
                 },
                 [this](const std::string& /*node*/, std::function<void(KnownNode)> answer) {
                   answer(known);
                 },
                 [](NodeIndex node) { return "n" + std::to_string(node.value()); },
                 [](const std::string& /*node*/, const std::string& token) -> Status {
                   if (token == "secret") return {};
                   return invalid("is not known", "token");
                 },
                 [this](const std::string& line) { lines.push_back(line); }, state_clock, wall},
                {7, 1000, 5000}) {}

  std::shared_ptr<Link> join(std::vector<agent::HeldLease> held = {},
                             const std::string& instance = "i") {
    auto link = std::make_shared<Link>();
    agent::Join join;
    join.token = "secret";
    join.instance = instance;
    join.node = t::node("n0", "plain", 2);
    join.leases = std::move(held);
    gateway.joined(link, join);
    return link;
  }
  // The node is known to the state, with these leases.
  void has_joined(std::vector<KnownLease> leases = {}) {
    known.spec = std::make_shared<const NodeSpec>(t::node("n0", "plain", 2));
    known.leases = std::move(leases);
  }
  // And it is to prepare lease 1.
  void is_granted() {
    has_joined({{{LeaseId(1), 1}, LeaseState::kGranted}});
    gateway.prepare(lease(1), spec);
  }
  void answer_all(const Result<control::Reply>& reply = control::Reply{}) {
    for (auto& [body, done] : std::exchange(commands, {})) done(reply);
  }
  // The kinds of what the session is to send; an order as its own kind.
  std::vector<std::string> sent(const std::shared_ptr<Link>& link) {
    static const char* const kKinds[] = {"welcome", "order", "acknowledged", "heartbeat"};
    static const char* const kOrders[] = {"prepare", "start",  "resume", "move",
                                          "leave",   "revoke", "layout"};
    std::vector<std::string> names;
    while (const auto message = gateway.next(link)) {
      const auto* order = std::get_if<agent::Order>(&*message);
      names.emplace_back(order != nullptr ? kOrders[order->body.index()]
                                          : kKinds[message->index()]);
    }
    return names;
  }
  Lease lease(std::uint64_t id) {
    Lease made;
    made.id = LeaseId(id);
    made.job = JobId(id);
    made.placement.node = NodeIndex(0);
    return made;
  }

  control::testing::ManualClock state_clock;
  control::testing::ManualClock wall;
  std::vector<std::pair<CommandBody, CommandDone>> commands;
  std::vector<std::string> lines;
  KnownNode known;
  JobSpec spec = t::job("q", t::whole(1));
  AgentGateway gateway;
};

TEST(Gateway, ANewNodeIsWelcomeOnceItHasJoined) {
  Desk desk;
  const auto link = desk.join();
  ASSERT_EQ(desk.commands.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<JoinNode>(desk.commands[0].first));
  EXPECT_THAT(desk.sent(link), IsEmpty());
  desk.answer_all();
  EXPECT_EQ(link->wakes, 1);
  EXPECT_THAT(desk.sent(link), ElementsAre("welcome"));
}

TEST(Gateway, ARefusedInventoryEndsTheSession) {
  Desk desk;
  const auto link = desk.join();
  desk.answer_all(invalid("is not known", "model"));
  ASSERT_TRUE(link->ended);
  EXPECT_EQ(link->ended->field, "model");
  EXPECT_EQ(desk.gateway.counts().sessions, 0U);
}

TEST(Gateway, OtherCardsThanBeforeAreRefused) {
  Desk desk;
  desk.has_joined();
  desk.known.spec = std::make_shared<const NodeSpec>(t::node("n0", "plain", 4));
  const auto link = desk.join();
  ASSERT_TRUE(link->ended);
  EXPECT_EQ(link->ended->field, "inventory.cards");
}

TEST(Gateway, AReportIsAcknowledgedOnceItIsCommitted) {
  Desk desk;
  desk.is_granted();
  const auto link = desk.join();
  EXPECT_THAT(desk.sent(link), ElementsAre("welcome", "prepare"));
  desk.gateway.heard(link, agent::Report{1, ReportPrepared{LeaseId(1), 1}});
  EXPECT_THAT(desk.sent(link), IsEmpty());
  desk.gateway.heard(link, agent::Report{1, ReportPrepared{LeaseId(1), 1}});
  EXPECT_EQ(desk.commands.size(), 1U) << "counted once";
  desk.answer_all();
  EXPECT_THAT(desk.sent(link), ElementsAre("acknowledged"));
}

TEST(Gateway, ALateReportIsAcknowledgedToo) {
  Desk desk;
  desk.is_granted();
  const auto link = desk.join();
  desk.sent(link);
  desk.gateway.heard(link, agent::Report{1, ReportEnded{LeaseId(1), 1, EndReason::kFailed}});
  desk.answer_all(fail(ErrorCode::kConflict, "lease 1 has ended", "lease"));
  EXPECT_THAT(desk.sent(link), ElementsAre("acknowledged"));
}

TEST(Gateway, AReportThatCannotBeCommittedEndsTheSession) {
  Desk desk;
  desk.is_granted();
  auto link = desk.join();
  desk.sent(link);
  desk.gateway.heard(link, agent::Report{1, ReportPrepared{LeaseId(1), 1}});
  desk.answer_all(fail(ErrorCode::kUnavailable, "the disk is full"));
  ASSERT_TRUE(link->ended);
  desk.gateway.broken(link);
  link = desk.join();
  EXPECT_THAT(desk.sent(link), ElementsAre("welcome", "prepare"));
  desk.gateway.heard(link, agent::Report{1, ReportPrepared{LeaseId(1), 1}});
  EXPECT_EQ(desk.commands.size(), 1U) << "it comes again";
}

TEST(Gateway, OrdersWaitForTheSessionAndComeAgainOnTheNext) {
  Desk desk;
  desk.has_joined({{{LeaseId(1), 1}, LeaseState::kGranted}});
  desk.gateway.prepare(desk.lease(1), desk.spec);
  auto link = desk.join();
  EXPECT_THAT(desk.sent(link), ElementsAre("welcome", "prepare"));
  desk.gateway.broken(link);
  link = desk.join();
  EXPECT_THAT(desk.sent(link), ElementsAre("welcome", "prepare"));
  EXPECT_THAT(desk.commands, IsEmpty());
}

TEST(Gateway, WhatTheStateDoesNotKnowIsTakenBack) {
  Desk desk;
  desk.has_joined();
  const auto link = desk.join({{{LeaseId(9), 2}, 1, agent::TaskState::kRunning},
                               {{LeaseId(8), 1}, 1, agent::TaskState::kEnded}});
  EXPECT_THAT(desk.sent(link), ElementsAre("welcome", "revoke"));
  desk.gateway.heard(link, agent::Report{1, ReportReleased{LeaseId(9), 2, ""}});
  desk.answer_all(fail(ErrorCode::kConflict, "lease 9 has ended", "lease"));
  EXPECT_EQ(desk.gateway.counts().orders, 0U);
}

TEST(Gateway, WhatTheNodeNoLongerHasIsLost) {
  Desk desk;
  desk.has_joined({{{LeaseId(1), 1}, LeaseState::kRunning},
                   {{LeaseId(2), 1}, LeaseState::kRunning},
                   {{LeaseId(3), 1}, LeaseState::kRevoking}});
  desk.gateway.start(desk.lease(1), desk.spec);
  desk.gateway.start(desk.lease(2), desk.spec);
  desk.gateway.revoke(desk.lease(3), ReclaimGrade::kKill);
  const auto link = desk.join({{{LeaseId(2), 1}, 1, agent::TaskState::kRunning}});
  ASSERT_EQ(desk.commands.size(), 1U);
  const auto& lost = std::get<ReportEnded>(desk.commands[0].first);
  EXPECT_EQ(lost.lease, LeaseId(1));
  EXPECT_EQ(lost.reason, EndReason::kLost);
  desk.answer_all();
  EXPECT_THAT(desk.sent(link), ElementsAre("welcome", "start", "revoke"))
      << "the agent answers itself for what it is to release";
}

TEST(Gateway, ASilentNodeIsLostAndComesBack) {
  Desk desk;
  desk.has_joined();
  auto link = desk.join();
  desk.sent(link);
  desk.wall.set(4000);
  desk.gateway.heard(link, agent::Heartbeat{1});
  EXPECT_THAT(desk.sent(link), ElementsAre("heartbeat"));
  desk.wall.set(8999);
  desk.gateway.look();
  EXPECT_THAT(desk.commands, IsEmpty());
  desk.wall.set(9000);
  desk.gateway.look();
  desk.gateway.look();
  EXPECT_TRUE(link->ended) << "its stream may look open for long";
  ASSERT_EQ(desk.commands.size(), 1U);
  EXPECT_EQ(std::get<SetNodeCondition>(desk.commands[0].first).condition, NodeCondition::kLost);
  desk.answer_all();
  desk.known.condition = NodeCondition::kLost;
  link = desk.join();
  ASSERT_EQ(desk.commands.size(), 1U);
  EXPECT_EQ(std::get<ReportNodeBack>(desk.commands[0].first).node, "n0");
}

TEST(Gateway, ALossThatIsNotCommittedIsFoundAgain) {
  Desk desk;
  desk.has_joined();
  desk.gateway.expect({"n0"});
  desk.wall.set(5000);
  desk.gateway.look();
  desk.gateway.look();
  ASSERT_EQ(desk.commands.size(), 1U);
  desk.answer_all(fail(ErrorCode::kUnavailable, "the disk is full"));
  desk.gateway.look();
  EXPECT_EQ(desk.commands.size(), 1U);
}

// What is late, or of another node, changes nothing and does not come again.
TEST(Gateway, ANodeSpeaksOfItsOwnLeasesOnly) {
  Desk desk;
  desk.is_granted();
  const auto link = desk.join();
  desk.sent(link);
  desk.gateway.heard(link, agent::Report{1, ReportEnded{LeaseId(7), 1, EndReason::kFailed}});
  EXPECT_THAT(desk.commands, IsEmpty());
  EXPECT_THAT(desk.sent(link), ElementsAre("acknowledged"));
  desk.gateway.heard(link, agent::Report{2, ReportEnded{LeaseId(1), 1, EndReason::kFailed}});
  EXPECT_EQ(desk.commands.size(), 1U);
}

TEST(Gateway, AnExpectedNodeThatNeverJoinsIsLost) {
  Desk desk;
  desk.has_joined();
  desk.gateway.expect({"n0"});
  desk.wall.set(5000);
  desk.gateway.look();
  EXPECT_EQ(desk.commands.size(), 1U);
}

TEST(Gateway, TheNewerSessionOfANodeCounts) {
  Desk desk;
  desk.has_joined();
  const auto first = desk.join();
  const auto second = desk.join();
  EXPECT_TRUE(first->ended);
  desk.gateway.broken(first);
  EXPECT_THAT(desk.sent(second), ElementsAre("welcome"));
  EXPECT_THAT(desk.sent(first), IsEmpty());
}

TEST(Gateway, AnAgentThatHasFollowedALaterTermIsNotWelcome) {
  Desk desk;
  auto link = std::make_shared<Link>();
  agent::Join join;
  join.token = "secret";
  join.node = t::node("n0", "plain", 2);
  join.term = 8;
  desk.gateway.joined(link, join);
  ASSERT_TRUE(link->ended);
  EXPECT_EQ(link->ended->field, "term");
  ASSERT_EQ(desk.lines.size(), 1U);
  EXPECT_EQ(
      desk.lines[0],
      "node 'n0' may not join: term: the agent has followed term 8; this server leads term 7");

  desk.gateway.joined(std::make_shared<Link>(), join);
  EXPECT_EQ(desk.lines.size(), 1U) << "those who come again do not fill the log";
  desk.wall.set(desk.wall.now() + 10 * kSecondMs);
  desk.gateway.joined(std::make_shared<Link>(), join);
  EXPECT_EQ(desk.lines.size(), 2U);
  EXPECT_EQ(desk.gateway.counts().turned_away, 3U);
}

TEST(Gateway, ANodeThatTheStateRefusesIsTurnedAway) {
  Desk desk;
  const auto link = desk.join();
  desk.answer_all(invalid("names no level of the topology", "node.domains"));
  ASSERT_TRUE(link->ended);
  ASSERT_EQ(desk.lines.size(), 1U);
  EXPECT_EQ(desk.lines[0], "node 'n0' may not join: node.domains: names no level of the topology");
}

TEST(Gateway, AMoveToAnotherNodeIsTwoOrders) {
  Desk desk;
  desk.gateway.start(desk.lease(1), desk.spec);
  Lease moved = desk.lease(1);
  moved.placement.node = NodeIndex(1);
  desk.gateway.move(moved, desk.spec);
  desk.has_joined();
  const auto link = desk.join({{{LeaseId(1), 1}, 1, agent::TaskState::kRunning}});
  EXPECT_THAT(desk.sent(link), ElementsAre("welcome", "leave"));
  EXPECT_EQ(desk.gateway.counts().orders, 2U);
}

TEST(Gateway, ARefusedOrderIsNoted) {
  Desk desk;
  desk.has_joined();
  const auto link = desk.join();
  desk.sent(link);
  desk.gateway.heard(link, agent::Report{0, agent::OrderRefused{{LeaseId(1), 1}, "old term"}});
  EXPECT_THAT(desk.commands, IsEmpty());
  ASSERT_EQ(desk.lines.size(), 1U);
  EXPECT_EQ(desk.lines[0], "node 'n0' refused an order for lease 1: old term");
}

}  // namespace
}  // namespace berth::server
