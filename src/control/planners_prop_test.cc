// Several planners plan the pools of a fleet as one does, and no pool spoils the plan of another.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "control/testing.h"
#include "model/testing.h"

namespace berth::control {
namespace {

namespace t = berth::testing;

ControllerOptions planned_by(unsigned planners) {
  ControllerOptions options;
  options.planners = planners;
  return options;
}

// Three partitions over the same leaves; queues with quotas in each.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    run(DeclareModel{t::plain_model("plain", 40'000)});
    TopologySpec topology;
    topology.levels = {"card", "node", "leaf"};
    run(DeclareTopology{topology});
    for (const char* name : {"a", "b", "c"}) {
      PartitionSpec partition;
      partition.name = name;
      run(DeclarePartition{partition});
    }
    for (int n = 0; n < 12; ++n) join(n);
    for (int q = 0; q < 3; ++q) declare("q" + std::to_string(q));
    PolicySpec policy;
    policy.reservations = static_cast<std::uint32_t>(random_.below(2));
    if (random_.below(3) == 0) policy.locality_hold_ms = kHourMs;
    if (random_.below(4) == 0) policy.migration_ppm = kPpmOne;
    run(SetPolicy{policy, {}});
  }

  void step() {
    switch (random_.below(8)) {
      case 0:
        return declare("q" + std::to_string(random_.below(3)));
      case 1:
      case 2:
        return end();
      case 3:
        return hold();
      default:
        return submit();
    }
  }

  void cycle() {
    const TimeMs now = one_.clock.now() + static_cast<TimeMs>(random_.below(3)) * kMinuteMs;
    one_.clock.set(now);
    many_.clock.set(now);
    RC_ASSERT(lost_by(now) == 0U);
    RC_ASSERT(one_.controller.run_cycle().has_value());
    RC_ASSERT(many_.controller.run_cycle().has_value());
    RC_ASSERT(one_.controller.state().hash() == many_.controller.state().hash());
    RC_ASSERT(one_.journal.revision == many_.journal.revision);
  }

 private:
  // What is planned in one pool leaves all that is planned in the others possible.
  std::size_t lost_by(TimeMs now) const {
    auto loaded = engine::ClusterState::load(one_.controller.state().save());
    RC_ASSERT(loaded.has_value());
    engine::Engine engine(std::move(*loaded));
    return engine.commit(engine.plan(now), now).lost;
  }

  void run(CommandBody body) {
    const Command command{std::move(body), {}, {}};
    const auto first = one_.controller.execute(command);
    const auto second = many_.controller.execute(command);
    RC_ASSERT(first.has_value() == second.has_value());
  }

  void join(int n) {
    NodeSpec node = t::node("n" + std::to_string(n), "plain", 4);
    node.partition = std::string(1, static_cast<char>('a' + n % 3));
    node.domains = {{"leaf", "l" + std::to_string(n / 6)}};
    run(JoinNode{node});
  }

  void declare(const std::string& name) {
    QueueSpec spec = t::queue(name);
    for (const char* partition : {"a", "b", "c"}) {
      FlavourQuota quota;
      quota.partition = partition;
      quota.guarantee = static_cast<CardUnits>(random_.below(5)) * kCard;
      if (random_.below(3) == 0) quota.limit = static_cast<CardUnits>(4 + random_.below(9)) * kCard;
      spec.quotas.push_back(quota);
    }
    run(DeclareQueue{spec});
  }

  void submit() {
    JobSpec spec = t::job("q" + std::to_string(random_.below(3)),
                          t::whole(static_cast<std::uint32_t>(1 + random_.below(4))),
                          static_cast<std::uint32_t>(1 + random_.below(4)));
    spec.partition = std::string(1, static_cast<char>('a' + random_.below(3)));
    spec.priority = static_cast<std::int32_t>(random_.below(2));
    if (random_.below(3) == 0) {
      spec.roles[0].topology = {{RuleUnit::kRole, "leaf", RuleStrength::kRequired}};
    }
    if (random_.below(3) == 0) spec.run_time_ms = kHourMs;
    if (random_.below(8) == 0) {
      spec.group = "g" + std::to_string(random_.below(2));
      spec.group_jobs = 2;
    }
    run(SubmitJob{"j" + std::to_string(++submitted_), std::make_shared<const JobSpec>(spec)});
  }

  const engine::JobRecord* any_job(bool waits) {
    std::vector<const engine::JobRecord*> jobs;
    const engine::ClusterState& state = one_.controller.state();
    for (const JobId id : state.jobs().sorted_ids()) {
      const engine::JobRecord* job = state.find_job(id);
      if ((job->phase == JobPhase::kPending) == waits) jobs.push_back(job);
    }
    return jobs.empty() ? nullptr : jobs[random_.below(jobs.size())];
  }

  void end() {
    const engine::JobRecord* job = any_job(false);
    if (job == nullptr) return;
    const auto leases = job->leases;
    const engine::ClusterState& state = one_.controller.state();
    for (const LeaseId id : leases) run(ReportPrepared{id, state.leases().at(id).epoch});
    for (const LeaseId id : leases) {
      const Lease* lease = state.find_lease(id);
      if (lease != nullptr) run(ReportEnded{id, lease->epoch, EndReason::kSucceeded});
    }
  }

  void hold() {
    const engine::JobRecord* job = any_job(true);
    if (job == nullptr) return;
    const std::string name = job->name;
    if (job->user_held) return run(UnholdJob{name});
    run(HoldJob{name});
  }

  Rng random_;
  testing::Fixture one_{planned_by(1)};
  testing::Fixture many_{planned_by(3)};
  int submitted_ = 0;
};

RC_GTEST_PROP(PlannersProperty, ManyPlanPoolsAsOneDoes, (std::uint64_t seed)) {
  World world(seed);
  for (int i = 0; i < 30; ++i) {
    for (int n = 0; n < 1 + i % 4; ++n) world.step();
    world.cycle();
  }
}

}  // namespace
}  // namespace berth::control
