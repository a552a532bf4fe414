// The public cases 066 and 069: leaders that stall and come back, reports that arrive at who leads
// no more, and binds that are lost, late and doubled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/testing.h"
#include "server/agents/cluster_testing.h"

namespace berth::server {
namespace {

namespace t = berth::testing;
using testing::Agent;
using testing::Cluster;
using ::testing::Contains;
using testing::declare;
using ::testing::IsEmpty;
using testing::Leader;
using testing::nodes;
using testing::phase_of;
using testing::Runner;
using testing::submit;

// Case 066. A leads in term 1 and begins to register the node, then stalls; B leads in term 2 and
// gives the GPU to J2; A leads again in term 3; the registration begun in term 1 completes.
TEST(Case066, ARegistrationOfTermOneChangesNothingInTermThree) {
  Cluster cluster(nodes(1, 1));
  declare(cluster);
  const std::shared_ptr<Leader> stalled = cluster.leader;
  cluster.agents[0]->connect(stalled);
  cluster.take_over_unnoticed();
  cluster.settle();
  submit(cluster, "J2", t::job("q", t::whole(1)));
  cluster.settle();
  cluster.take_over_unnoticed();
  cluster.settle();
  ASSERT_EQ(cluster.leader->term(), 3U);
  const std::uint64_t revision = cluster.shared.memory.revision();
  while (stalled->work()) {
  }
  EXPECT_EQ(cluster.shared.memory.revision(), revision) << "1 < 3";
  EXPECT_EQ(stalled->gateway().counts().sessions, 0U) << "nobody is told that it is ready";
  EXPECT_EQ(phase_of(cluster, "J2"), JobPhase::kRunning);
  EXPECT_EQ(cluster.agents[0]->book().term(), 3U);
  EXPECT_EQ(cluster.agents[0]->runner().starts(), 1U) << "J2 keeps the GPU";
  EXPECT_THAT(cluster.broken(), IsEmpty());
}

// Its node is lost, so that the one that leads no more would have to write that it is back.
TEST(Case066, WhoLeadsNoMoreWelcomesNobody) {
  Cluster cluster(nodes(1, 1));
  declare(cluster);
  cluster.settle();
  cluster.agents[0]->hang_up();
  cluster.wall.set(cluster.wall.now() + 6'000);
  cluster.leader->gateway().look();
  while (cluster.leader->work()) {
  }
  const std::shared_ptr<Leader> former = cluster.leader;
  ASSERT_EQ(former->state().node(NodeIndex(0)).condition, NodeCondition::kLost);
  cluster.take_over_unnoticed();
  cluster.agents[0]->connect(former);
  while (former->work()) {
  }
  EXPECT_EQ(former->gateway().counts().sessions, 0U);
  ASSERT_TRUE(cluster.agents[0]->hear());
  EXPECT_EQ(cluster.agents[0]->refused(), 1U) << "it is sent away, and finds the other one";
  cluster.settle();
  EXPECT_EQ(cluster.leader->state().node(NodeIndex(0)).condition, NodeCondition::kReady);
}

// What it was told and cannot write is not acknowledged, or nobody would ever know of it.
TEST(Case066, WhoLeadsNoMoreAcknowledgesNothing) {
  Cluster cluster(nodes(1, 1));
  declare(cluster);
  cluster.settle();
  submit(cluster, "J", t::job("q", t::whole(1)));
  cluster.settle();
  const std::shared_ptr<Leader> former = cluster.leader;
  cluster.take_over_unnoticed();
  Agent& agent = *cluster.agents[0];
  agent.end(agent.runner().tasks().begin()->first, EndReason::kSucceeded);
  ASSERT_TRUE(agent.say());
  while (former->work()) {
  }
  while (agent.hear()) {
  }
  EXPECT_EQ(agent.book().unacknowledged().size(), 1U);
  cluster.settle();
  EXPECT_EQ(cluster.leader->state().find_job("J"), nullptr);
  EXPECT_THAT(cluster.follower.told(), Contains("J: succeeded"));
  EXPECT_EQ(agent.runner().starts(), 1U);
  EXPECT_THAT(agent.book().unacknowledged(), IsEmpty());
}

// Two reports are under way when the first is given back: until it comes again nothing is settled,
// though the second one is committed, and a third arrives.
TEST(Case066, WhatWasGivenBackIsNotAcknowledgedWithWhatFollows) {
  ReportIntake intake;
  intake.begin("i");
  EXPECT_EQ(intake.take(1), Arrival::kNew);
  EXPECT_EQ(intake.take(2), Arrival::kNew);
  intake.give_back(1);
  EXPECT_EQ(intake.settled(), 0U);
  EXPECT_EQ(intake.take(3), Arrival::kRepeated) << "it was sent before anybody knew";
  intake.settle(2);
  EXPECT_EQ(intake.settled(), 0U);
  intake.begin("i");  // the next session, which begins with all of them
  EXPECT_EQ(intake.settled(), 0U);
  EXPECT_EQ(intake.take(1), Arrival::kNew);
  EXPECT_EQ(intake.take(2), Arrival::kNew) << "twice does no harm, the epoch says that it is late";
  intake.settle(2);
  EXPECT_EQ(intake.settled(), 0U);
  intake.settle(1);
  EXPECT_EQ(intake.settled(), 2U);
}

// The next session comes while the second report is still under way.
TEST(Case066, WhatIsStillUnderWayIsSettledOnce) {
  ReportIntake intake;
  intake.begin("i");
  intake.take(1);
  intake.take(2);
  intake.give_back(1);
  intake.begin("i");
  EXPECT_EQ(intake.take(1), Arrival::kNew);
  EXPECT_EQ(intake.take(2), Arrival::kRepeated);
  intake.settle(1);
  EXPECT_EQ(intake.settled(), 1U);
  intake.settle(2);
  EXPECT_EQ(intake.settled(), 2U);
}

// Leaders take turns and do not know of each other; sessions break, reports of former ones arrive
// late, agents start again. Whatever the order, what is mounted is what the journal says, what has
// ended well is not run again, and in the end both sides hold the same.
class RandomTurns {
 public:
  explicit RandomTurns(std::uint64_t seed) : rng_(seed), cluster_(nodes(3, 2)) {
    declare(cluster_);
    processes_.push_back(cluster_.leader);
  }

  void step() {
    Agent& agent = *cluster_.agents[rng_.below(cluster_.agents.size())];
    switch (rng_.below(16)) {
      case 0:
        return add_work();
      case 1:
        return another_leader();
      case 2:
        return agent.connect(some_process());
      case 3:
        if (rng_.below(4) == 0) agent.restart();
        return;
      case 4:
        agent.say_late(rng_);
        return;
      case 5:
      case 6:
        agent.happen(rng_);
        return;
      case 7:
      case 8:
        agent.say();
        return;
      case 9:
      case 10:
      case 11:
        agent.hear();
        return;
      case 12:
        some_process()->cycle();
        return;
      default:
        some_process()->work();
    }
  }
  // Without faults from here on, and with tasks that end.
  void finish() {
    processes_.clear();
    cluster_.take_over();
    for (int round = 0; round < 200; ++round) {
      cluster_.clock.set(cluster_.clock.now() + kMinuteMs);
      cluster_.settle();
      if (cluster_.leader->state().jobs().size() == 0) break;
      for (const auto& agent : cluster_.agents) {
        for (const auto& [key, task] : std::map(agent->runner().tasks())) {
          if (task.state != Runner::Task::State::kRunning) continue;
          agent->end(key, EndReason::kSucceeded);
        }
      }
    }
    cluster_.settle();
  }
  void check(std::uint64_t seed) const {
    EXPECT_THAT(cluster_.broken(), IsEmpty()) << seed;
    EXPECT_EQ(cluster_.leader->state().jobs().size(), 0U) << seed;
    EXPECT_EQ(cluster_.leader->state().leases().size(), 0U) << seed;
    EXPECT_EQ(cluster_.follower.state().hash(), cluster_.leader->state().hash()) << seed;
    for (const auto& agent : cluster_.agents) {
      EXPECT_THAT(agent->book().held(), IsEmpty()) << seed;
      EXPECT_THAT(agent->runner().tasks(), IsEmpty()) << seed;
    }
  }
  std::size_t binds() const {
    std::size_t sum = 0;
    for (const auto& agent : cluster_.agents) sum += agent->runner().prepares();
    return sum;
  }
  std::uint64_t refused() const {
    std::uint64_t sum = 0;
    for (const auto& agent : cluster_.agents) sum += agent->refused();
    return sum;
  }

 private:
  std::shared_ptr<Leader> some_process() { return processes_[rng_.below(processes_.size())]; }
  void add_work() {
    if (rng_.below(4) == 0 && submitted_ > 0) {
      // refused where it has ended, or where another one leads
      (void)some_process()->execute(CancelJob{"j" + std::to_string(rng_.below(submitted_))});
      return;
    }
    const auto tasks = static_cast<std::uint32_t>(rng_.below(3) == 0 ? 2 : 1);
    const auto cards = static_cast<std::uint32_t>(1 + rng_.below(2));
    auto spec = std::make_shared<const JobSpec>(t::job("q", t::whole(cards), tasks));
    const auto done =
        cluster_.leader->execute(SubmitJob{"j" + std::to_string(submitted_), std::move(spec)});
    submitted_ += done ? 1U : 0U;
  }
  void another_leader() {
    if (rng_.below(3) > 0) return;
    cluster_.take_over_unnoticed();
    processes_.push_back(cluster_.leader);
    if (processes_.size() > 3) processes_.erase(processes_.begin());
  }

  Rng rng_;
  Cluster cluster_;
  std::vector<std::shared_ptr<Leader>> processes_;
  std::uint64_t submitted_ = 0;
};

TEST(Case066, LeadersThatTakeTurnsDoNoHarm) {
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    RandomTurns turns(seed);
    for (int step = 0; step < 300; ++step) turns.step();
    turns.finish();
    turns.check(seed);
    refused += turns.refused();
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(refused, 300U);
}

TEST(Case069, NothingIsMountedWronglyWhateverBecomesOfTheBinds) {
  std::size_t binds = 0;
  for (std::uint64_t seed = 1'000; binds < 10'000; ++seed) {
    RandomTurns turns(seed);
    for (int step = 0; step < 1'500; ++step) turns.step();
    turns.finish();
    turns.check(seed);
    binds += turns.binds();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace berth::server
