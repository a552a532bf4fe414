// Sessions break, nodes fail and come back.
#include "tests/agents/testing.h"

namespace berth::agents_testing {
namespace {

struct Place {
  Place(std::size_t nodes, DurationMs prepare_ms, DurationMs lost_after_ms = 10 * kSecondMs)
      : clock(wall, 60) {
    server.emplace(journal, clock, 1, server::AgentServerOptions{}, lost_after_ms);
    declare_tenants(*server);
    sim::SimAgentsInput input = nodes_for(server->address(), nodes);
    input.executor.prepare.value_ms = prepare_ms;
    agents.emplace(std::move(input), clock);
    EXPECT_TRUE(server->has_sessions(nodes));
  }
  bool node_is(const std::string& name, NodeCondition condition) {
    return server->until([&](const engine::ClusterState& state) {
      server->gateway().look();
      return state.node(state.find_node(name)).condition == condition;
    });
  }

  SteadyClock wall;
  sim::ScaledClock clock;
  journal::MemoryJournal journal;
  std::optional<Server> server;
  std::optional<sim::SimAgents> agents;
};

TEST(Wire, ABrokenSessionInTheMiddleOfPreparingGoesOn) {
  Place place(4, 12 * kSecondMs);  // 200 ms of the wall clock
  ASSERT_TRUE(place.server->execute(t::submit("gang", gang(4, kMinuteMs))));
  ASSERT_TRUE(eventually([&] { return place.agents->counts().tasks == 4; }));
  for (int n = 0; n < 4; ++n) ASSERT_TRUE(place.agents->drop("n" + std::to_string(n)));
  EXPECT_TRUE(place.server->phase_is("gang", JobPhase::kRunning));
  EXPECT_TRUE(place.server->has_ended("gang"));
  EXPECT_EQ(place.agents->counts().starts, 4U);
  EXPECT_EQ(place.server->count("lease-granted"), 4) << "nobody was granted twice";
  EXPECT_GE(place.agents->counts().welcomes, 8U);
}

TEST(Wire, OrdersForANodeThatIsAwayWaitForIt) {
  Place place(1, kSecondMs);
  ASSERT_TRUE(place.agents->cut("n0"));
  ASSERT_TRUE(place.server->has_sessions(0));
  ASSERT_TRUE(place.server->execute(t::submit("job", gang(1, kMinuteMs))));
  EXPECT_EQ(place.server->gateway().counts().orders, 1U);
  ASSERT_TRUE(place.agents->bring_back("n0"));
  EXPECT_TRUE(place.server->has_ended("job"));
  EXPECT_EQ(place.agents->counts().starts, 1U);
}

// The reports reach a server that does not commit; the session breaks before they are acknowledged.
TEST(Wire, AReportThatComesAgainIsCountedOnce) {
  Place place(2, kSecondMs);
  ASSERT_TRUE(place.server->execute(t::submit("gang", gang(2, 10 * kHourMs))));
  ASSERT_TRUE(eventually([&] { return place.agents->counts().tasks == 2; }));
  place.server->pause();
  ASSERT_TRUE(eventually([&] { return place.agents->counts().unacknowledged == 2; }));
  const std::uint64_t welcomes = place.agents->counts().welcomes;
  ASSERT_TRUE(place.agents->drop("n0"));
  ASSERT_TRUE(place.agents->drop("n1"));
  place.server->go_on();
  ASSERT_TRUE(eventually([&] { return place.agents->counts().welcomes == welcomes + 2; }));
  EXPECT_TRUE(place.server->phase_is("gang", JobPhase::kRunning));
  EXPECT_TRUE(eventually([&] { return place.agents->counts().unacknowledged == 0; }));
  EXPECT_EQ(place.server->count("lease-prepared"), 2);
  EXPECT_EQ(place.agents->counts().starts, 2U);
}

TEST(Wire, ANodeThatIsCutOffKeepsItsTasksAndIsAdopted) {
  Place place(1, kSecondMs, 300);
  ASSERT_TRUE(place.server->execute(t::submit("job", gang(1, 10 * kHourMs))));
  ASSERT_TRUE(place.server->phase_is("job", JobPhase::kRunning));
  ASSERT_TRUE(eventually([&] { return place.agents->counts().starts == 1; }));
  ASSERT_TRUE(place.agents->cut("n0"));
  EXPECT_TRUE(place.node_is("n0", NodeCondition::kLost));
  EXPECT_TRUE(place.server->phase_is("job", JobPhase::kRunning)) << "nobody gave it up";
  ASSERT_TRUE(place.agents->bring_back("n0"));
  EXPECT_TRUE(place.node_is("n0", NodeCondition::kReady));
  EXPECT_EQ(place.agents->held("n0").size(), 1U);
  EXPECT_EQ(place.agents->counts().starts, 1U);
  EXPECT_EQ(place.server->count("lease-released"), 0);
}

TEST(Wire, ANodeThatFailedTellsThatItsTaskIsGoneAndItStartsAnew) {
  Place place(1, kSecondMs, 300);
  ASSERT_TRUE(place.server->execute(t::submit("job", gang(1, 10 * kHourMs))));
  ASSERT_TRUE(place.server->phase_is("job", JobPhase::kRunning));
  ASSERT_TRUE(eventually([&] { return place.agents->counts().starts == 1; }));
  ASSERT_TRUE(place.agents->fail("n0"));
  EXPECT_TRUE(place.node_is("n0", NodeCondition::kLost));
  EXPECT_EQ(place.server->count("lease-released"), 0) << "it cannot know before the node is back";
  ASSERT_TRUE(place.agents->bring_back("n0"));
  EXPECT_TRUE(eventually([&] { return place.agents->counts().starts == 2; }));
  EXPECT_TRUE(place.server->phase_is("job", JobPhase::kRunning));
  EXPECT_EQ(place.server->count("lease-released"), 1);
}

// A gang stands still without its member and goes on when another node has taken its place.
TEST(Wire, AMemberOfAGangIsReplacedWhenItsNodeIsGivenUp) {
  Place place(3, kSecondMs, 300);
  JobSpec spec = gang(2, kMinuteMs);
  spec.at_most_once_ms = 10 * kSecondMs;
  spec.repair_within_ms = kHourMs;
  ASSERT_TRUE(place.server->execute(t::submit("gang", spec)));
  ASSERT_TRUE(place.server->phase_is("gang", JobPhase::kRunning));
  ASSERT_TRUE(eventually([&] { return place.agents->counts().starts == 2; }));
  ASSERT_TRUE(place.agents->fail("n0"));
  EXPECT_TRUE(place.node_is("n0", NodeCondition::kLost));
  EXPECT_TRUE(eventually([&] {  // the timer of a server
    EXPECT_TRUE(place.server->execute({Tick{}, {}, {}}));
    return place.agents->counts().starts == 3;
  }));
  EXPECT_TRUE(place.server->has_ended("gang"));
  EXPECT_EQ(place.agents->counts().starts, 3U);
}

}  // namespace
}  // namespace berth::agents_testing
