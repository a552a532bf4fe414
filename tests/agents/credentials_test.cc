// The public case 068: credentials change while jobs run; an agent that cannot renew its own is
// found out, nothing new goes to its node, and its job runs on.
#include "tests/agents/testing.h"

namespace berth::agents_testing {
namespace {

constexpr std::size_t kNodes = 10;
constexpr DurationMs kLeastPause = 100;  // half of the longest back-off: of one who was refused

// Ten nodes of three cards with a job of two cards on each.
struct Place {
  Place() : clock(wall, 60) {
    server.emplace(journal, clock, 1, server::AgentServerOptions{}, 400);
    declare_tenants(*server);
    agents.emplace(nodes_for(server->address(), kNodes, 3), clock);
    EXPECT_TRUE(server->has_sessions(kNodes));
    for (std::size_t j = 0; j < kNodes; ++j) submit("old" + std::to_string(j), 2);
    EXPECT_TRUE(eventually([&] { return agents->counts().starts == kNodes; }));
  }
  void submit(const std::string& name, std::uint32_t cards) {
    JobSpec spec = t::job("q", t::whole(cards));
    spec.run_time_ms = 1000 * kHourMs;
    ASSERT_TRUE(server->execute(t::submit(name, std::move(spec))));
  }
  // As at a restart of the server; so many come back.
  void drop_all(std::size_t back) {
    const std::uint64_t before = agents->counts().welcomes;
    for (std::size_t n = 0; n < kNodes; ++n) ASSERT_TRUE(agents->drop(name(n)));
    ASSERT_TRUE(eventually([&] { return agents->counts().welcomes >= before + back; }));
    ASSERT_TRUE(server->has_sessions(back));
  }
  bool node_is(const std::string& name, NodeCondition condition) {
    return server->until([&](const engine::ClusterState& state) {
      server->gateway().look();
      return state.node(state.find_node(name)).condition == condition;
    });
  }
  std::size_t running() {
    return static_cast<std::size_t>(server->ask([](control::Controller& c) {
      int jobs = 0;
      for (const JobId id : c.state().jobs().sorted_ids()) {
        jobs += c.state().find_job(id)->phase == JobPhase::kRunning ? 1 : 0;
      }
      return jobs;
    }));
  }
  static std::string name(std::size_t node) { return "n" + std::to_string(node); }

  SteadyClock wall;
  sim::ScaledClock clock;
  journal::MemoryJournal journal;
  std::optional<Server> server;
  std::optional<sim::SimAgents> agents;
};

TEST(Case068, CredentialsChangeWithNoHandAndNoJobIsTouched) {
  Place place;
  place.server->accept({"secret", "fresh"});
  place.drop_all(kNodes);  // the old one is valid for a while
  for (std::size_t n = 0; n < kNodes; ++n)
    ASSERT_TRUE(place.agents->set_token(place.name(n), "fresh"));
  place.server->accept({"fresh"});
  place.drop_all(kNodes);
  EXPECT_EQ(place.running(), kNodes);
  EXPECT_EQ(place.agents->counts().starts, kNodes);
  EXPECT_EQ(place.server->count("lease-granted"), static_cast<int>(kNodes));
  EXPECT_EQ(place.server->count("lease-released"), 0);
}

TEST(Case068, AnAgentThatCannotRenewGetsNoNewWorkAndComesBackByItself) {
  Place place;
  for (std::size_t n = 0; n + 1 < kNodes; ++n) {
    ASSERT_TRUE(place.agents->set_token(place.name(n), "fresh"));
  }
  const std::string left = place.name(kNodes - 1);
  place.server->accept({"fresh"});
  place.drop_all(kNodes - 1);
  ASSERT_TRUE(place.node_is(left, NodeCondition::kLost));
  EXPECT_EQ(place.running(), kNodes) << "its job is untouched";

  // a card is free on each node, and that of this one is not offered
  for (std::size_t j = 0; j < kNodes; ++j) place.submit("new" + std::to_string(j), 1);
  ASSERT_TRUE(eventually([&] { return place.agents->counts().starts == 2 * kNodes - 1; }));
  EXPECT_EQ(place.running(), 2 * kNodes - 1);
  EXPECT_EQ(place.agents->held(left).size(), 1U);

  // it is not a storm of retries
  const std::uint64_t breaks = place.agents->counts().breaks;
  const TimeMs began = place.wall.now();
  ASSERT_TRUE(eventually([&] { return place.agents->counts().breaks >= breaks + 4; }));
  EXPECT_GE(place.wall.now() - began, 3 * kLeastPause);

  ASSERT_TRUE(place.agents->set_token(left, "fresh"));
  ASSERT_TRUE(place.server->has_sessions(kNodes));
  EXPECT_TRUE(place.node_is(left, NodeCondition::kReady));
  ASSERT_TRUE(eventually([&] { return place.agents->counts().starts == 2 * kNodes; }));
  EXPECT_EQ(place.agents->held(left).size(), 2U);
  EXPECT_EQ(place.server->count("lease-released"), 0);
}

}  // namespace
}  // namespace berth::agents_testing
