// A job over the wire from its grant to its end, and how it is taken back.
#include "tests/agents/testing.h"

namespace berth::agents_testing {
namespace {

struct Place {
  explicit Place(std::size_t nodes, std::int64_t speed = 60) : clock(wall, speed) {
    server.emplace(journal, clock, 1);
    declare_tenants(*server);
    input = nodes_for(server->address(), nodes);
    input.executor.prepare.value_ms = 2 * kSecondMs;
    input.executor.release_ms = kSecondMs;
  }
  void join() {
    agents.emplace(input, clock);
    ASSERT_TRUE(server->has_sessions(input.nodes.size()));
  }

  SteadyClock wall;
  sim::ScaledClock clock;
  journal::MemoryJournal journal;
  std::optional<Server> server;
  sim::SimAgentsInput input;
  std::optional<sim::SimAgents> agents;
};

TEST(Wire, AGangOfFourRunsFromItsSubmissionToItsEnd) {
  Place place(4);
  place.join();
  ASSERT_TRUE(place.server->execute(t::submit("gang", gang(4, kMinuteMs))));
  EXPECT_TRUE(place.server->phase_is("gang", JobPhase::kRunning));
  EXPECT_TRUE(place.server->has_ended("gang"));
  EXPECT_EQ(place.server->count("lease-granted"), 4);
  EXPECT_EQ(place.server->count("lease-prepared"), 4);
  EXPECT_EQ(place.server->count("lease-released"), 4);
  EXPECT_EQ(place.server->count("job-ended"), 1);
  EXPECT_TRUE(eventually([&] {
    const auto counts = place.agents->counts();
    return counts.tasks == 0 && counts.unacknowledged == 0;
  }));
  EXPECT_EQ(place.agents->counts().starts, 4U);
  EXPECT_EQ(place.server->gateway().counts().orders, 0U) << "nothing is left to be told";
}

TEST(Wire, WhatCannotBePreparedSendsTheGangBack) {
  Place place(2);
  place.input.executor.prepare_failure_ppm = kPpmOne;
  place.join();
  ASSERT_TRUE(place.server->execute(t::submit("gang", gang(2, kMinuteMs))));
  EXPECT_TRUE(place.server->until([](const engine::ClusterState& state) {
    return state.find_job("gang")->attempts > 0 && state.leases().sorted_ids().empty();
  }));
  EXPECT_EQ(place.server->count("job-started"), 0);
  EXPECT_EQ(place.agents->counts().starts, 0U);
}

TEST(Wire, ACancelledJobSavesACheckpointWithinItsGrace) {
  Place place(2);
  place.join();
  JobSpec spec = gang(2, 10 * kHourMs);
  spec.checkpoint.method = CheckpointMethod::kSignal;
  spec.checkpoint.duration_ms = 5 * kSecondMs;
  spec.checkpoint.grace_ms = 10 * kMinuteMs;
  spec.checkpoint.acknowledges = true;
  ASSERT_TRUE(place.server->execute(t::submit("job", spec)));
  ASSERT_TRUE(place.server->phase_is("job", JobPhase::kRunning));
  ASSERT_TRUE(eventually([&] { return place.agents->counts().starts == 2; }));
  const TimeMs asked = place.clock.now();
  ASSERT_TRUE(place.server->execute({CancelJob{"job"}, {}, {}}));
  EXPECT_TRUE(place.server->has_ended("job"));
  EXPECT_LT(place.clock.now() - asked, 10 * kMinuteMs) << "it went by itself, before its deadline";
  EXPECT_EQ(place.server->count("checkpoint-observed"), 2);
}

TEST(Wire, WhoDoesNotAnswerIsKilledByItsNodeAtTheDeadline) {
  Place place(1);
  place.join();
  JobSpec spec = gang(1, 10 * kHourMs);
  spec.checkpoint.method = CheckpointMethod::kSignal;
  spec.checkpoint.duration_ms = 5 * kSecondMs;
  spec.checkpoint.grace_ms = kMinuteMs;
  spec.checkpoint.acknowledges = false;
  ASSERT_TRUE(place.server->execute(t::submit("job", spec)));
  ASSERT_TRUE(place.server->phase_is("job", JobPhase::kRunning));
  ASSERT_TRUE(eventually([&] { return place.agents->counts().starts == 1; }));
  const TimeMs asked = place.clock.now();
  ASSERT_TRUE(place.server->execute({CancelJob{"job"}, {}, {}}));
  EXPECT_TRUE(place.server->has_ended("job"));
  EXPECT_GE(place.clock.now() - asked, kMinuteMs);
  EXPECT_EQ(place.server->count("lease-overdue"), 0) << "no tick of the server was needed";
}

TEST(Wire, AWrongTokenJoinsNothing) {
  Place place(1);
  place.input.token = "guessed";
  place.agents.emplace(place.input, place.clock);
  ASSERT_TRUE(eventually([&] { return place.agents->counts().breaks > 0; }));
  EXPECT_FALSE(place.server->holds(
      [](const engine::ClusterState& state) { return !state.find_node("n0").is_none(); }));
  EXPECT_EQ(place.server->gateway().counts().sessions, 0U);
}

}  // namespace
}  // namespace berth::agents_testing
