// Another server goes on from the journal, with a higher term.
#include "tests/agents/testing.h"

namespace berth::agents_testing {
namespace {

struct Place {
  Place() : clock(wall, 60) {
    server.emplace(journal, clock, 1);
    declare_tenants(*server);
    sim::SimAgentsInput input = nodes_for(server->address(), 4);
    input.executor.prepare.value_ms = 12 * kSecondMs;
    agents.emplace(std::move(input), clock);
    EXPECT_TRUE(server->has_sessions(4));
  }
  // The same port: the new server is where the agents look for it.
  void take_over(std::uint64_t term) {
    server::AgentServerOptions listen;
    listen.address = server->address();
    server.reset();
    server.emplace(journal, clock, term, listen);
  }

  SteadyClock wall;
  sim::ScaledClock clock;
  journal::MemoryJournal journal;
  std::optional<Server> server;
  std::optional<sim::SimAgents> agents;
};

TEST(Wire, RunningLeasesAreAdoptedByTheNextServer) {
  Place place;
  ASSERT_TRUE(place.server->execute(t::submit("gang", gang(4, 90 * kSecondMs))));
  ASSERT_TRUE(place.server->phase_is("gang", JobPhase::kRunning));
  ASSERT_TRUE(eventually([&] { return place.agents->counts().starts == 4; }));
  place.take_over(2);
  ASSERT_TRUE(place.server->has_sessions(4));
  EXPECT_TRUE(place.server->has_ended("gang"));
  EXPECT_EQ(place.agents->counts().starts, 4U) << "each task was started once";
  EXPECT_EQ(place.server->count("lease-released"), 4);
  EXPECT_EQ(place.server->count("lease-granted"), 0) << "nothing was granted anew";
}

TEST(Wire, AStartThatWasUnderWayGoesOnWithTheNextServer) {
  Place place;
  ASSERT_TRUE(place.server->execute(t::submit("gang", gang(4, kMinuteMs))));
  ASSERT_TRUE(eventually([&] { return place.agents->counts().tasks == 4; }));
  place.take_over(2);
  EXPECT_TRUE(place.server->has_ended("gang"));
  EXPECT_EQ(place.agents->counts().starts, 4U);
  EXPECT_EQ(place.server->count("lease-granted"), 0);
}

TEST(Wire, ANodeFollowsNoServerOfAnOlderTerm) {
  Place place;
  place.take_over(5);
  ASSERT_TRUE(place.server->has_sessions(4));
  server::AgentServerOptions listen;
  listen.address = place.server->address();
  place.server.reset();
  journal::MemoryJournal old;
  Server deposed(old, place.clock, 3, listen);
  declare_tenants(deposed);
  const TimeMs began = place.wall.now();
  while (place.wall.now() < began + 300) {
    ASSERT_EQ(deposed.gateway().counts().sessions, 0U);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(place.agents->counts().sessions, 0U);
}

}  // namespace
}  // namespace berth::agents_testing
