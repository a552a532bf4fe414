// The public cases 012, 065 and 067: leaders that die, agents that start again, and members that
// are gone while nobody leads.
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
using testing::Death;
using testing::declare;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::leases_of;
using testing::nodes;
using testing::phase_of;
using testing::run;
using testing::submit;

// Case 012. One card of 32,768 MiB; two tenants with limits of 1,024 and 30,480 MiB.
std::map<std::string, Mib> limits(const Cluster& cluster) {
  std::map<std::string, Mib> read;
  for (const auto& [lease, task] : cluster.agents[0]->book().tasks()) {
    const engine::JobRecord& job = *cluster.leader->state().find_job(task.grant.job);
    EXPECT_TRUE(read.try_emplace(job.name, task.grant.cards.front().memory / 8).second);
  }
  return read;
}

TEST(Case012, AfterAnyRestartsEachTenantHasItsOwnLimit) {
  const std::map<std::string, Mib> wanted = {{"first", 1'024}, {"second", 30'480}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    Cluster cluster(nodes(1, 1));
    declare(cluster, 32'768);
    cluster.settle();
    submit(cluster, "first", t::job("q", t::memory_share(1'024)));
    submit(cluster, "second", t::job("q", t::memory_share(30'480)));
    cluster.settle();
    ASSERT_EQ(limits(cluster), wanted);
    Agent& agent = *cluster.agents[0];
    for (int restart = 0; restart < 100; ++restart) {
      switch (rng.below(4)) {
        case 0:  // one of the containers
        case 1:
          if (!agent.happen(rng)) continue;
          break;
        case 2:
          agent.restart();
          break;
        default:
          cluster.take_over();
      }
      if (rng.below(3) == 0) continue;
      cluster.settle();
      // a container that has ended well is submitted again by its tenant
      for (const auto& [name, memory] : wanted) {
        if (cluster.leader->state().find_job(name) != nullptr) continue;
        submit(cluster, name, t::job("q", t::memory_share(memory)));
      }
      cluster.clock.set(cluster.clock.now() + kHourMs);  // past any back-off
      cluster.settle();
      ASSERT_EQ(limits(cluster), wanted) << seed << ", restart " << restart;
    }
    EXPECT_THAT(cluster.broken(), IsEmpty()) << seed;
  }
}

// Case 065. 50 jobs come and go, then V1 and V2 of 8 GPUs and priority 1 run on a node each, and P
// of 8 GPUs and priority 10 waits.
class TakenOver {
 public:
  TakenOver() : cluster(nodes(2, 8)) {
    declare(cluster);
    PolicySpec policy;
    policy.reclaim = {ReclaimRight::kRank};
    run(cluster, SetPolicy{policy, {}});
    cluster.settle();
    for (int i = 0; i < 50; ++i) {
      const std::string name = "w" + std::to_string(i);
      submit(cluster, name, t::job("q", t::whole(1 + static_cast<std::uint32_t>(i % 8))));
      if (i % 3 > 0) cluster.settle();
      run(cluster, CancelJob{name});
      cluster.settle();
    }
    for (const char* name : {"V1", "V2"}) submit(cluster, name, of_priority(1));
    cluster.settle();
    cluster.clock.set(kHourMs);
    stops_before_ = stops().size();
    submit(cluster, "P", of_priority(10));
  }

  // Goes on for so many steps, or to the end; how many there were.
  int go(int steps) {
    int done = 0;
    while (done < steps && cluster.step()) {
      ++done;
      if (!cluster.leader->is_dead()) {
        EXPECT_EQ(cluster.follower.state().hash(), cluster.leader->state().hash());
      }
    }
    return done;
  }
  void go_on_with_another() {
    cluster.take_over();
    EXPECT_EQ(cluster.follower.state().hash(), cluster.leader->state().hash());
    go(10'000);
  }
  void check(const std::string& where) const {
    EXPECT_THAT(cluster.broken(), IsEmpty()) << where;
    EXPECT_EQ(phase_of(cluster, "P"), JobPhase::kRunning) << where;
    std::vector<LeaseId> victims;
    for (const Event& event : cluster.follower.events()) {
      const auto* issued = std::get_if<ReceiptIssued>(&event.body);
      if (issued == nullptr) continue;
      for (const auto& victim : issued->receipt->victims) victims.push_back(victim.lease);
    }
    ASSERT_EQ(victims.size(), 1U) << where << ": one victim";
    const std::vector<agent::LeaseKey> stopped = stops();
    ASSERT_EQ(stopped.size(), stops_before_ + 1) << where << ": evicted once";
    EXPECT_THAT(stopped, Contains(::testing::Field(&agent::LeaseKey::lease, victims.front())))
        << where << ": the one in the log";
    const std::vector<LeaseId> bound = leases_of(cluster, "P");
    ASSERT_EQ(bound.size(), 1U) << where;
    EXPECT_EQ(cluster.leader->state().find_lease(bound.front())->epoch, 1U) << where << ": once";
    EXPECT_LE(cluster.leader->cycles(), 3U) << where << ": two that decide, and one that does not";
  }

  Cluster cluster;

 private:
  static JobSpec of_priority(std::int32_t priority) {
    JobSpec spec = t::job("q", t::whole(8));
    spec.priority = priority;
    return spec;
  }
  std::vector<agent::LeaseKey> stops() const {
    std::vector<agent::LeaseKey> all;
    for (const auto& one : cluster.agents) {
      all.insert(all.end(), one->runner().stops().begin(), one->runner().stops().end());
    }
    return all;
  }
  std::size_t stops_before_ = 0;
};

// Decided, logged, eviction sent, eviction confirmed, bind sent, bind confirmed: all that happens
// is a step here.
TEST(Case065, ALeaderThatDiesAtAnyStepChangesNothingOfTheOutcome) {
  TakenOver whole;
  const int steps = whole.go(10'000);
  ASSERT_GE(steps, 6);
  for (int at = 0; at <= steps; ++at) {
    TakenOver killed;
    ASSERT_EQ(killed.go(at), at);
    killed.go_on_with_another();
    killed.check("after step " + std::to_string(at) + " of " + std::to_string(steps));
  }
}

TEST(Case065, ALeaderThatDiesAtAnyWriteChangesNothingOfTheOutcome) {
  TakenOver whole;
  const std::uint64_t before = whole.cluster.leader->journal().writes();
  whole.go(10'000);
  const std::uint64_t writes = whole.cluster.leader->journal().writes() - before;
  ASSERT_GE(writes, 4U);
  for (const Death how : {Death::kBeforeTheWrite, Death::kAfterTheWrite}) {
    for (std::uint64_t at = 1; at <= writes; ++at) {
      TakenOver killed;
      killed.cluster.leader->journal().die(before + at, how);
      killed.go(10'000);
      ASSERT_TRUE(killed.cluster.leader->is_dead());
      killed.go_on_with_another();
      killed.check((how == Death::kBeforeTheWrite ? "before write " : "after write ") +
                   std::to_string(at) + " of " + std::to_string(writes));
    }
  }
}

// Case 067. 3 nodes of 2 GPUs, gangs G1, G2, G3 of 2 x 1 GPU.
class ThreeGangs {
 public:
  ThreeGangs() : cluster(nodes(3, 2)) {
    QueueSpec queue = t::queue("q");
    queue.quotas.emplace_back().limit = 6 * kCard;
    declare(cluster, 40'000, queue);
    cluster.settle();
    for (const char* name : {"G1", "G2", "G3"}) submit(cluster, name, gang());
    cluster.settle();
    for (const char* name : {"G1", "G3"}) untouched_.push_back(leases_of(cluster, name));
    second_ = cluster.leader->state().find_job("G2")->id;
    told_ = cluster.follower.told().size();
  }
  static JobSpec gang() { return t::job("q", t::whole(1), 2); }

  // What is done to G2 while nobody leads.
  template <typename Act>
  void while_away(const Act& act) {
    for (const auto& agent : cluster.agents) agent->hang_up();
    for (const auto& agent : cluster.agents) {
      for (const auto& [key, task] : std::map(agent->runner().tasks())) {
        if (task.grant.job == second_) act(*agent, key);
      }
    }
    cluster.take_over();
    cluster.settle();
  }
  void check_the_others() const {
    std::vector<std::vector<LeaseId>> now;
    for (const char* name : {"G1", "G3"}) {
      EXPECT_EQ(phase_of(cluster, name), JobPhase::kRunning);
      now.push_back(leases_of(cluster, name));
    }
    EXPECT_EQ(now, untouched_) << "G1 and G3 are untouched";
    EXPECT_THAT(cluster.broken(), IsEmpty());
  }
  // Of G2, since the stop.
  std::vector<std::string> told() const {
    std::vector<std::string> lines;
    for (std::size_t i = told_; i < cluster.follower.told().size(); ++i) {
      const std::string& line = cluster.follower.told()[i];
      if (line.starts_with("G2: ")) lines.push_back(line);
    }
    return lines;
  }

  Cluster cluster;

 private:
  std::vector<std::vector<LeaseId>> untouched_;
  JobId second_;
  std::size_t told_ = 0;
};

TEST(Case067, WhatEndedWhileNobodyLedIsFoundAndItsPlaceIsGivenOn) {
  ThreeGangs gangs;
  gangs.while_away(
      [](Agent& agent, agent::LeaseKey key) { agent.end(key, EndReason::kSucceeded); });
  EXPECT_EQ(gangs.cluster.leader->state().find_job("G2"), nullptr) << "no members, charge, hold";
  EXPECT_EQ(gangs.cluster.leader->state().leases().size(), 4U);
  EXPECT_THAT(gangs.told(),
              ElementsAre("G2: devices given back", "G2: devices given back", "G2: succeeded"));
  submit(gangs.cluster, "new", ThreeGangs::gang());
  gangs.cluster.settle();
  EXPECT_EQ(phase_of(gangs.cluster, "new"), JobPhase::kRunning);
  gangs.check_the_others();
}

// They died without a word: the node holds less than the state says.
TEST(Case067, WhatDiedWhileNobodyLedIsLostAndSaidSo) {
  ThreeGangs gangs;
  gangs.while_away([](Agent& agent, agent::LeaseKey key) { agent.end(key, EndReason::kLost); });
  EXPECT_EQ(phase_of(gangs.cluster, "G2"), JobPhase::kRunning) << "it has begun anew";
  EXPECT_THAT(gangs.told(), Contains("G2: waits again (lost)"));
  gangs.check_the_others();
}

// The owner takes G2 away as soon as somebody leads, before its nodes have come back.
TEST(Case067, AJobThatIsCancelledBeforeItsNodesComeBackLeavesNothing) {
  ThreeGangs gangs;
  gangs.cluster.take_over();
  run(gangs.cluster, CancelJob{"G2"});
  EXPECT_EQ(phase_of(gangs.cluster, "G2"), JobPhase::kReleasing)
      << "its devices are its own until its nodes say otherwise";
  gangs.cluster.settle();
  EXPECT_EQ(gangs.cluster.leader->state().find_job("G2"), nullptr);
  EXPECT_EQ(gangs.cluster.leader->state().leases().size(), 4U);
  EXPECT_THAT(gangs.told(), Contains("G2: is taken back by kill (cancelled)"));
  EXPECT_THAT(gangs.told(), Contains("G2: cancelled"));
  submit(gangs.cluster, "new", ThreeGangs::gang());
  gangs.cluster.settle();
  EXPECT_EQ(phase_of(gangs.cluster, "new"), JobPhase::kRunning);
  gangs.check_the_others();
}

// The journal is an older one, restored: nodes hold more than the state says.
TEST(Case067, WhatTheStateDoesNotKnowIsTakenBack) {
  ThreeGangs gangs;
  const std::string older = gangs.cluster.shared.memory.bytes();
  const std::size_t leases = gangs.cluster.leader->state().leases().size();
  submit(gangs.cluster, "G4", t::job("q", t::whole(1)));
  run(gangs.cluster, CancelJob{"G2"});
  gangs.cluster.settle();
  ASSERT_EQ(phase_of(gangs.cluster, "G4"), JobPhase::kRunning);
  gangs.cluster.shared.memory = std::move(*journal::MemoryJournal::open(older));
  gangs.cluster.follower = testing::Follower();
  gangs.cluster.take_over();
  ASSERT_EQ(gangs.cluster.leader->state().leases().size(), leases);
  gangs.cluster.settle();
  EXPECT_EQ(gangs.cluster.leader->state().find_job("G4"), nullptr);
  std::size_t held = 0;
  for (const auto& agent : gangs.cluster.agents) held += agent->runner().tasks().size();
  EXPECT_EQ(held, gangs.cluster.leader->state().leases().size());
  EXPECT_EQ(phase_of(gangs.cluster, "G2"), JobPhase::kRunning) << "its members are lost: anew";
}

// Any of the tasks, gone in any way, while nobody leads: at the end both sides hold the same.
TEST(Case067, WhateverIsGoneWhileNobodyLeadsBothSidesAgreeAfterwards) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    Cluster cluster(nodes(3, 2));
    declare(cluster);
    cluster.settle();
    for (int g = 0; g < 4; ++g) {
      const auto tasks = static_cast<std::uint32_t>(1 + rng.below(2));
      submit(cluster, "G" + std::to_string(g), t::job("q", t::whole(1), tasks));
    }
    for (std::uint64_t steps = rng.below(60); steps > 0; --steps) cluster.step();
    for (const auto& agent : cluster.agents) agent->hang_up();
    for (const auto& agent : cluster.agents) {
      if (rng.below(6) == 0) agent->lose_disk();
      if (rng.below(6) == 0) agent->restart();
      for (std::uint64_t things = rng.below(3); things > 0; --things) agent->happen(rng);
    }
    cluster.take_over();
    cluster.settle();
    cluster.clock.set(kHourMs);
    cluster.settle();
    ASSERT_THAT(cluster.broken(), IsEmpty()) << seed;
    std::set<agent::LeaseKey> wanted;
    std::set<agent::LeaseKey> held;
    for (const LeaseId id : cluster.leader->state().leases().sorted_ids()) {
      const Lease& lease = *cluster.leader->state().find_lease(id);
      ASSERT_EQ(lease.state, LeaseState::kRunning) << seed;
      wanted.insert({id, lease.epoch});
    }
    for (const auto& agent : cluster.agents) {
      for (const auto& [key, task] : agent->runner().tasks()) held.insert(key);
    }
    ASSERT_EQ(held, wanted) << seed;
  }
}

}  // namespace
}  // namespace berth::server
