// A fleet joins.
#include "tests/agents/testing.h"

namespace berth::agents_testing {
namespace {

constexpr std::size_t kNodes = 1000;

TEST(Wire, AThousandNodesJoinWithinSeconds) {
  SteadyClock wall;
  sim::ScaledClock clock(wall, 60);
  journal::MemoryJournal journal;
  Server server(journal, clock, 1);
  declare_tenants(server);
  const TimeMs began = wall.now();
  sim::SimAgents agents(nodes_for(server.address(), kNodes, 8), clock);
  ASSERT_TRUE(server.has_sessions(kNodes));
  const DurationMs took = wall.now() - began;
  RecordProperty("join_ms", static_cast<int>(took));
  EXPECT_LT(took, 8 * kSecondMs);
  EXPECT_TRUE(server.holds(
      [](const engine::ClusterState& state) { return state.nodes().size() == kNodes; }));

  // one job on all of them
  ASSERT_TRUE(server.execute(t::submit("wide", gang(kNodes, kMinuteMs))));
  EXPECT_TRUE(server.phase_is("wide", JobPhase::kRunning));
  EXPECT_TRUE(server.has_ended("wide"));
  EXPECT_EQ(agents.counts().starts, kNodes);
  RecordProperty("all_ms", static_cast<int>(wall.now() - began));
}

}  // namespace
}  // namespace berth::agents_testing
