// Kinds of faults that users of other schedulers met, over random fleets: each test bears the
// number of its public case (tests/scenarios/cases.md).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/reclaim/loss.h"
#include "engine/reclaim/reclaim_testing.h"

namespace berth::engine {
namespace {

using testing::kModel;
using testing::ReclaimFleet;
namespace t = berth::testing;

PolicySpec policy_of(ReclaimRight right) {
  PolicySpec policy;
  policy.reclaim = {right};
  policy.reluctance_ppm = 0;
  return policy;
}

JobSpec ranked(std::uint32_t cards, std::uint32_t tasks, std::int32_t priority) {
  JobSpec spec = t::job("q", t::whole(cards), tasks);
  spec.priority = priority;
  return spec;
}

std::set<LeaseId> victims_of(const std::vector<Reclaim>& reclaims) {
  std::set<LeaseId> victims;
  for (const Reclaim& reclaim : reclaims) {
    for (const Victim& victim : reclaim.victims) victims.insert(victim.lease);
  }
  return victims;
}

std::size_t promises(const ClusterState& state) {
  std::size_t count = 0;
  for (const NodeRecord& node : state.nodes()) {
    for (const CardState& card : node.cards) count += card.promises;
  }
  return count;
}

// A full fleet of jobs of whole nodes in one queue, under the right of rank.
struct WholeNodes {
  explicit WholeNodes(Rng& rng)
      : cards(2 + static_cast<std::uint32_t>(rng.below(3))),
        nodes(2 + static_cast<std::uint32_t>(rng.below(4))),
        fleet(policy_of(ReclaimRight::kRank)) {
    fleet.declare("q", 0);
    for (std::uint32_t n = 0; n < nodes; ++n) fleet.join("n" + std::to_string(n), cards);
    for (std::uint32_t n = 0; n < nodes; ++n) fleet.submit(ranked(cards, 1, 1));
    fleet.cycle();
    fleet.hold_back();
  }

  std::uint32_t cards;
  std::uint32_t nodes;
  ReclaimFleet fleet;
};

// What a withdrawn plan has promised is nobody's: the next one is made for all members.
RC_GTEST_PROP(ReclaimCases, Case020APlanThatIsWithdrawnLeavesNothingBehind, (std::uint64_t seed)) {
  Rng rng(seed);
  WholeNodes scene(rng);
  const auto tasks = static_cast<std::uint32_t>(1 + rng.below(scene.nodes * scene.cards));
  const JobId gang = scene.fleet.submit(ranked(1, tasks, 10));
  scene.fleet.cycle();
  RC_ASSERT(promises(scene.fleet.state()) == tasks);
  const std::string name = scene.fleet.state().find_job(gang)->name;
  scene.fleet.run({HoldJob{name}, {}, {}});
  RC_ASSERT(promises(scene.fleet.state()) == 0U);
  scene.fleet.run({UnholdJob{name}, {}, {}});
  scene.fleet.cycle();
  RC_ASSERT(promises(scene.fleet.state()) == tasks);
  scene.fleet.let_go();
  scene.fleet.cycle();
  RC_ASSERT(scene.fleet.state().find_job(gang)->leases.size() == tasks);
  RC_ASSERT(broken_invariants(scene.fleet.state()).empty());
}

// Small jobs that come at once share what one victim leaves.
RC_GTEST_PROP(ReclaimCases, Case024NobodyIsEvictedWhereWhatLeavesWillDo, (std::uint64_t seed)) {
  Rng rng(seed);
  WholeNodes scene(rng);
  const auto jobs = static_cast<std::uint32_t>(1 + rng.below(scene.nodes * scene.cards));
  for (std::uint32_t j = 0; j < jobs; ++j) {
    scene.fleet.submit(ranked(1, 1, 10));
    if (rng.below(3) == 0) scene.fleet.cycle();
  }
  scene.fleet.cycle();
  const std::size_t needed = (jobs + scene.cards - 1) / scene.cards;
  RC_ASSERT(victims_of(scene.fleet.reclaims()).size() == needed);
  RC_ASSERT(scene.fleet.reclaims().size() == jobs);
  RC_ASSERT(broken_invariants(scene.fleet.state()).empty());
  scene.fleet.let_go();
  scene.fleet.cycle();
  RC_ASSERT(scene.fleet.state().ledger().open.empty());
}

// A plan stays until it is done: while its victims are leaving no other is made for the same job.
RC_GTEST_PROP(ReclaimCases, Case027OnePlanAtATimeForOneJob, (std::uint64_t seed)) {
  Rng rng(seed);
  WholeNodes scene(rng);
  const auto tasks = static_cast<std::uint32_t>(1 + rng.below(scene.nodes));
  scene.fleet.submit(ranked(scene.cards, tasks, 10));
  scene.fleet.cycle();
  RC_ASSERT(scene.fleet.reclaims().size() == 1U);
  RC_ASSERT(scene.fleet.kept().size() == tasks);
  for (int i = 0; i < 5; ++i) {
    scene.fleet.pass(static_cast<DurationMs>(rng.below(6)) * kSecondMs);
    scene.fleet.cycle();
  }
  RC_ASSERT(scene.fleet.reclaims().size() == 1U);
}

// Whatever is taken, the gang lies where its rule wants it.
RC_GTEST_PROP(ReclaimCases, Case031ARequiredTopologyHoldsOfReclaimedRoom, (std::uint64_t seed)) {
  Rng rng(seed);
  PolicySpec policy = policy_of(ReclaimRight::kRank);
  ReclaimFleet fleet(policy);
  TopologySpec topology;
  topology.levels = {"card", "island", "node", "leaf"};
  fleet.run({DeclareTopology{topology}, {}, {}});
  fleet.declare("q", 0);
  const std::size_t leaves = 2 + rng.below(2);
  const std::size_t nodes = 1 + rng.below(3);
  for (std::size_t n = 0; n < leaves * nodes; ++n) {
    fleet.join("n" + std::to_string(n), 1, "leaf" + std::to_string(n % leaves));
  }
  for (std::size_t n = 0; n < leaves * nodes; ++n) {
    JobSpec low = ranked(1, 1, 1);
    low.priority = rng.below(4) == 0 ? 20 : 1;  // some cannot be taken
    if (rng.below(4) > 0) fleet.submit(std::move(low));
  }
  fleet.cycle();
  JobSpec gang = ranked(1, static_cast<std::uint32_t>(1 + rng.below(nodes)), 10);
  gang.roles.front().topology = {{RuleUnit::kJob, "leaf", RuleStrength::kRequired}};
  fleet.submit(std::move(gang));
  fleet.cycle();
  for (const Reclaim& reclaim : fleet.reclaims()) {
    std::set<DomainIndex> domains;
    for (const TaskPlacement& task : reclaim.placement) {
      domains.insert(fleet.state().topology_tree().of_node(task.node, "leaf"));
    }
    RC_ASSERT(domains.size() == 1U);
  }
  RC_CLASSIFY(!fleet.reclaims().empty(), "reclaims");
  RC_ASSERT(broken_invariants(fleet.state()).empty());
}

// No more tasks of a service are down at once than it allows, over all plans together.
RC_GTEST_PROP(ReclaimCases, Case033NoMoreIsDownThanTheBudget, (std::uint64_t seed)) {
  Rng rng(seed);
  ReclaimFleet fleet(policy_of(ReclaimRight::kRank));
  fleet.declare("q", 0);
  const auto replicas = static_cast<std::uint32_t>(2 + rng.below(5));
  fleet.join("n", replicas);
  JobSpec service = ranked(1, replicas, 1);
  service.roles.front().min = 1;
  service.roles.front().elastic = true;
  service.max_unavailable = static_cast<std::uint32_t>(1 + rng.below(replicas));
  const std::uint32_t budget = service.max_unavailable;
  const JobId id = fleet.submit(std::move(service));
  fleet.cycle();
  fleet.hold_back();
  for (int i = 0; i < 8; ++i) {
    fleet.submit(ranked(static_cast<std::uint32_t>(1 + rng.below(2)), 1, 10));
    fleet.cycle();
    if (rng.below(3) == 0) fleet.let_go();
    const ClusterState& state = fleet.state();
    std::uint32_t up = 0;
    for (const LeaseId lease : state.find_job(id)->leases) {
      if (state.find_lease(lease)->state == LeaseState::kRunning) ++up;
    }
    RC_ASSERT(up + budget >= replicas);
  }
}

// Jobs of CPUs beside cards that a job of higher priority needs with more CPUs than are free there;
// and a node without cards, where some of them have room.
struct Beside {
  explicit Beside(Rng& rng)
      : each(1 + static_cast<CpuMilli>(rng.below(5))),
        jobs(1 + static_cast<CpuMilli>(rng.below(3))),
        asked(1 + static_cast<CpuMilli>(rng.below(kCpus))),
        elsewhere(static_cast<CpuMilli>(rng.below(kCpus + 1))),
        fleet(policy()) {
    fleet.declare("q", 0);
    fleet.run({JoinNode{t::node("n1", kModel, 2, kCpus * 1'000)}, {}, {}});
    for (CpuMilli j = 0; j < jobs; ++j) known.push_back(submit(0, each, 1));
    fleet.cycle();
    if (elsewhere > 0) fleet.run({JoinNode{t::node("n2", {}, 0, elsewhere * 1'000)}, {}, {}});
    fleet.pass(kHourMs);
  }
  static PolicySpec policy() {
    PolicySpec policy = policy_of(ReclaimRight::kConsolidation);
    policy.reclaim.push_back(ReclaimRight::kRank);
    return policy;
  }
  JobId submit(std::uint32_t cards, CpuMilli cpus, std::int32_t priority) {
    JobSpec spec = ranked(cards, 1, priority);
    spec.roles.front().containers.front().cpu_milli = cpus * 1'000;
    spec.checkpoint.method = CheckpointMethod::kSignal;
    spec.checkpoint.acknowledges = true;
    return fleet.submit(std::move(spec));
  }
  CpuMilli to_go() const {
    const CpuMilli lacking = asked - (kCpus - each * jobs);
    return lacking > 0 ? (lacking + each - 1) / each : 0;
  }
  std::int64_t running() const {
    return std::count_if(known.begin(), known.end(), [&](JobId id) {
      return fleet.state().find_job(id)->phase == JobPhase::kRunning;
    });
  }

  static constexpr CpuMilli kCpus = 16;  // of the node with cards
  CpuMilli each;
  CpuMilli jobs;
  CpuMilli asked;
  CpuMilli elsewhere;  // CPUs of the other node
  ReclaimFleet fleet;
  std::vector<JobId> known;
};

// Where all that must go have room elsewhere they move, and nobody is left without a place.
RC_GTEST_PROP(ReclaimCases, Case034WhoCanMoveIsNotKilled, (std::uint64_t seed)) {
  Rng rng(seed);
  Beside scene(rng);
  const JobId big = scene.submit(2, scene.asked, 10);
  RC_ASSERT(scene.fleet.settle(20));
  RC_ASSERT(scene.fleet.state().find_job(big)->phase == JobPhase::kRunning);
  const auto to_go = static_cast<std::size_t>(scene.to_go());
  RC_ASSERT(victims_of(scene.fleet.reclaims()).size() == to_go);
  const CpuMilli places = scene.elsewhere / scene.each;
  RC_ASSERT(scene.running() == scene.jobs - std::max<CpuMilli>(0, scene.to_go() - places));
  for (const Reclaim& reclaim : scene.fleet.reclaims()) {
    for (const Victim& victim : reclaim.victims) {
      RC_ASSERT((victim.grade == ReclaimGrade::kMove) == (scene.to_go() <= places));
    }
  }
  RC_CLASSIFY(to_go > 0, "in the way");
  RC_CLASSIFY(to_go > 0 && scene.to_go() <= places, "moves");
}

// The pace counts all that is leaving, whatever became of the plans.
RC_GTEST_PROP(ReclaimCases, Case037NoMoreLeavesAtOnceThanThePolicyAllows, (std::uint64_t seed)) {
  Rng rng(seed);
  PolicySpec policy = policy_of(ReclaimRight::kShare);
  const auto most = static_cast<CardUnits>(1 + rng.below(3));
  policy.blast_radius = most * kCard;
  ReclaimFleet fleet(policy);
  fleet.declare("A", 0);
  fleet.declare("B", 0);
  for (int n = 0; n < 3; ++n) fleet.join("n" + std::to_string(n), 4);
  std::vector<JobId> running;
  for (int i = 0; i < 12; ++i) running.push_back(fleet.submit(t::job("B", t::whole(1))));
  fleet.cycle();
  fleet.hold_back();
  for (int i = 0; i < 6; ++i) fleet.submit(t::job("A", t::whole(1)));
  for (int i = 0; i < 12; ++i) {
    fleet.cycle();
    CardUnits leaving = 0;
    for (const LeaseId id : fleet.state().leases().sorted_ids()) {
      const Lease& lease = *fleet.state().find_lease(id);
      if (lease.state == LeaseState::kRevoking) leaving += lease.placement.grants.front().compute;
    }
    RC_ASSERT(leaving <= most * kCard);
    if (rng.below(2) == 0) fleet.let_go();
    const JobRecord* one = fleet.state().find_job(running[rng.below(running.size())]);
    if (rng.below(2) == 0 && one != nullptr && one->phase == JobPhase::kRunning) {
      const Lease& lease = *fleet.state().find_lease(one->leases.front());
      fleet.run({ReportEnded{lease.id, lease.epoch, EndReason::kSucceeded}, {}, {}});
    }
  }
}

// Who outlives his grace is charged to nobody, and stuck a minute later; nobody waits for him then.
RC_GTEST_PROP(ReclaimCases, Case053WhoDoesNotDieStopsOnlyHisCards, (std::uint64_t seed)) {
  Rng rng(seed);
  WholeNodes scene(rng);
  ReclaimFleet& fleet = scene.fleet;
  const auto tasks = static_cast<std::uint32_t>(1 + rng.below(scene.nodes));
  fleet.submit(ranked(scene.cards, tasks, 10));
  fleet.cycle();
  const std::vector<LeaseRevoking> late = fleet.kept();
  RC_ASSERT(late.size() == tasks);
  TimeMs overdue_at = kNever;
  for (int i = 0; i < 8; ++i) {
    fleet.pass(static_cast<DurationMs>(rng.below(40)) * kSecondMs);
    fleet.run({Tick{}, {}, {}});
    if (overdue_at == kNever && fleet.now() >= late.front().deadline) overdue_at = fleet.now();
    const bool stuck = overdue_at != kNever && fleet.now() >= overdue_at + kKillMs;
    for (const LeaseRevoking& one : late) {
      const Lease& lease = *fleet.state().find_lease(one.lease);
      RC_ASSERT(lease.is_charged() == (overdue_at == kNever));
      RC_ASSERT((lease.lateness == Lateness::kStuck) == stuck);
    }
    fleet.cycle();
    RC_ASSERT(broken_invariants(fleet.state()).empty());
    const auto loaded = ClusterState::load(fleet.state().save());
    RC_ASSERT(loaded.has_value());
    RC_ASSERT(loaded->hash() == fleet.state().hash());
  }
  RC_CLASSIFY(overdue_at != kNever, "overdue");
  fleet.let_go();
  fleet.cycle();
  RC_ASSERT(broken_invariants(fleet.state()).empty());
}

// Owners that come in one cycle take different victims, each as many as it needs, the large one not
// last.
RC_GTEST_PROP(ReclaimCases, Case054PlansOfOneCycleTakeDifferentVictims, (std::uint64_t seed)) {
  Rng rng(seed);
  ReclaimFleet fleet(policy_of(ReclaimRight::kGuarantee));
  const std::size_t nodes = 2 + rng.below(3);
  for (std::size_t n = 0; n < nodes; ++n) fleet.join("n" + std::to_string(n), 4);
  auto left = static_cast<std::uint32_t>(nodes * 4);
  fleet.declare("N", 0);
  for (std::uint32_t i = 0; i < left; ++i) fleet.submit(t::job("N", t::whole(1)));
  fleet.cycle();
  fleet.hold_back();
  std::uint32_t asked = 0;
  for (int o = 0; o < 3 && left > 0; ++o) {
    const auto tasks = static_cast<std::uint32_t>(1 + rng.below(left));
    left -= tasks;
    asked += tasks;
    const std::string name = "O" + std::to_string(o);
    fleet.declare(name, static_cast<CardUnits>(tasks) * kCard);
    fleet.submit(t::job(name, t::whole(1), tasks));
  }
  fleet.cycle();
  std::size_t victims = 0;
  for (const Reclaim& reclaim : fleet.reclaims()) victims += reclaim.victims.size();
  RC_ASSERT(victims == asked);
  RC_ASSERT(victims_of(fleet.reclaims()).size() == asked);
  fleet.let_go();
  fleet.cycle();
  RC_ASSERT(fleet.state().ledger().open.empty());
}

}  // namespace
}  // namespace berth::engine
