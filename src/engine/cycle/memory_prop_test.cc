// What an engine remembers from cycle to cycle saves work and decides nothing: an engine that has
// lived through all that happened plans as one that has just been loaded.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/engine.h"
#include "engine/engine_testing.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

// Two pods of two leaves of three nodes; two organisations of three queues.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    run(DeclareModel{t::plain_model("plain", 40'000)});
    run(DeclareModel{t::grid_model("grid")});
    TopologySpec topology;
    topology.levels = {"card", "island", "node", "leaf", "pod"};
    run(DeclareTopology{topology});
    for (int n = 0; n < 12; ++n) join(n);
    for (const char* name : {"o", "p"}) organisation(name);
    for (int q = 0; q < 6; ++q) declare("q" + std::to_string(q), q % 2 == 0 ? "o" : "p");
    set_policy();
  }

  // Something happens.
  void step() {
    switch (random_.below(16)) {
      case 0:
        return set_condition();
      case 1:
        return declare("q" + std::to_string(random_.below(6)), "");
      case 2:
        return hold_or_release();
      case 3:
      case 4:
      case 5:
      case 6:
        return end();
      case 7:
        return cancel();
      default:
        return submit();
    }
  }

  // One cycle of the engine and of one that knows nothing; whether they decide alike.
  bool cycle() {
    now_ += static_cast<TimeMs>(random_.below(3)) * kMinuteMs;
    auto loaded = ClusterState::load(engine_.state().save());
    RC_ASSERT(loaded.has_value());
    Engine fresh(std::move(*loaded));
    const EventBatch expected = fresh.commit(fresh.plan(now_), now_).events;
    const EventBatch events = engine_.commit(engine_.plan(now_), now_).events;
    for (const Event& event : expected) fresh.apply(event);
    apply(events);
    return events.size() == expected.size() && fresh.state().hash() == engine_.state().hash();
  }

 private:
  void apply(const EventBatch& events) {
    for (const Event& event : events) engine_.apply(event);
  }
  void run(CommandBody body) {
    const auto events = engine_.decide({std::move(body), {}, {}}, now_);
    if (events) apply(*events);  // what is refused does not happen
  }

  void join(int n) {
    const std::string name = "n" + std::to_string(n);
    NodeSpec node = n % 3 == 2 ? t::mig_node(name, "grid", 2) : t::node(name, "plain", 4, 32'000);
    if (n != 11) {
      node.domains = {{"leaf", "l" + std::to_string(n / 3)}, {"pod", "p" + std::to_string(n / 6)}};
    }
    if (n % 4 < 2) node.labels = {{"rack", n % 4 == 0 ? "a" : "b"}};
    if (n % 5 == 0) node.labels.emplace_back("example.com/zone", "z");
    run(JoinNode{node});
  }

  void organisation(const std::string& name) {
    QueueSpec spec = t::queue(name);
    FlavourQuota quota;
    quota.guarantee = 10 * kCard;
    if (random_.below(2) == 0) quota.limit = static_cast<CardUnits>(12 + random_.below(8)) * kCard;
    spec.quotas.push_back(quota);
    run(DeclareQueue{spec});
  }

  void declare(const std::string& name, const std::string& parent) {
    QueueSpec spec = t::queue(name);
    const QueueIndex known = engine_.state().find_queue(name);
    spec.parent = known.is_none() ? parent : engine_.state().quota().queue(known).spec->parent;
    FlavourQuota quota;
    if (random_.below(3) == 0) quota.model = "plain";
    quota.guarantee = static_cast<CardUnits>(random_.below(3)) * kCard;
    quota.weight = static_cast<std::uint32_t>(1 + random_.below(2));
    if (random_.below(2) == 0) quota.limit = static_cast<CardUnits>(3 + random_.below(8)) * kCard;
    if (random_.below(6) == 0) quota.lend = 0;
    spec.quotas.push_back(quota);
    if (random_.below(4) == 0) spec.class_limits.push_back({JobClass::kInference, 2 * kCard});
    run(DeclareQueue{spec});
  }

  void set_policy() {
    PolicySpec policy;
    if (random_.below(4) == 0) policy.locality_ppm = 0;
    if (random_.below(4) == 0) policy.reservations = 1;
    if (random_.below(4) == 0) policy.migration_ppm = kPpmOne;
    if (random_.below(3) == 0) policy.ageing_step_ms = kMinuteMs;
    run(SetPolicy{policy, {}});
  }

  JobSpec spec() {
    const std::string queue = "q" + std::to_string(random_.below(6));
    const auto cards = static_cast<std::uint32_t>(1 + random_.below(4));
    const auto tasks = static_cast<std::uint32_t>(2 + random_.below(4));
    JobSpec spec = t::job(queue, {});
    switch (random_.below(6)) {
      case 0:
        spec = t::job(queue, t::share(kCard / static_cast<CardUnits>(2 + random_.below(3))));
        spec.job_class = JobClass::kInference;
        break;
      case 1:
        spec = t::job(queue, t::mig(random_.below(2) == 0 ? "2g.20gb" : "3g.40gb"));
        break;
      case 2:
        spec.roles[0].containers[0].cpu_milli = 12'000;
        break;
      case 3:
        spec = t::job(queue, t::whole(cards), tasks);
        spec.roles[0].topology = {
            {RuleUnit::kRole, random_.below(2) == 0 ? "leaf" : "pod", RuleStrength::kRequired}};
        break;
      case 4:
        spec = t::job(queue, t::whole(1), tasks);
        spec.roles.push_back(spec.roles[0]);
        spec.roles[1].name = "other";
        spec.roles[1].containers[0].devices = t::whole(2);
        if (random_.below(2) == 0) spec.roles[0].min = 1;
        break;
      default:
        spec = t::job(queue, t::whole(cards));
        if (random_.below(2) == 0) spec.roles[0].containers[0].devices.models = {"plain"};
    }
    spec.priority = static_cast<std::int32_t>(random_.below(2));
    DeviceRequest& devices = spec.roles[0].containers[0].devices;
    if (devices.count > 0 && random_.below(4) == 0) {
      devices.selector = testing::kSomeSelectors[random_.below(testing::kSomeSelectors.size())];
    }
    return spec;
  }

  void submit() {
    const JobSpec wanted = spec();
    for (std::uint64_t n = 1 + random_.below(3); n > 0; --n) {
      const std::string name = "j" + std::to_string(engine_.state().next_job().value());
      run(SubmitJob{name, std::make_shared<const JobSpec>(wanted)});
    }
  }

  const JobRecord* any_job(bool waits) {
    std::vector<const JobRecord*> jobs;
    for (const JobId id : engine_.state().jobs().sorted_ids()) {
      const JobRecord* job = engine_.state().find_job(id);
      if ((job->phase == JobPhase::kPending) == waits) jobs.push_back(job);
    }
    return jobs.empty() ? nullptr : jobs[random_.below(jobs.size())];
  }

  void end() {
    const JobRecord* job = any_job(false);
    if (job == nullptr) return;
    const auto leases = job->leases;
    const EndReason reason = random_.below(5) == 0 ? EndReason::kFailed : EndReason::kSucceeded;
    for (const LeaseId id : leases) {
      const std::uint64_t epoch = engine_.state().leases().at(id).epoch;
      run(ReportPrepared{id, epoch});
    }
    for (const LeaseId id : leases) {
      const Lease* lease = engine_.state().find_lease(id);
      if (lease != nullptr) run(ReportEnded{id, lease->epoch, reason});
    }
  }

  void cancel() {
    const JobRecord* job = any_job(true);
    if (job != nullptr) run(CancelJob{job->name});
  }

  void hold_or_release() {
    const JobRecord* job = any_job(true);
    if (job == nullptr) return;
    if (job->user_held) return run(UnholdJob{job->name});
    run(HoldJob{job->name});
  }

  void set_condition() {
    const bool ready = random_.below(3) != 0;
    run(SetNodeCondition{"n" + std::to_string(random_.below(12)),
                         ready ? NodeCondition::kReady : NodeCondition::kCordoned});
  }

  Rng random_;
  Engine engine_;
  TimeMs now_ = 1;
};

RC_GTEST_PROP(CycleMemoryProperty, AnEngineThatRemembersDecidesAsOneThatDoesNot,
              (std::uint64_t seed)) {
  World world(seed);
  for (int i = 0; i < 60; ++i) {
    for (int n = 0; n < 1 + i % 3; ++n) world.step();
    RC_ASSERT(world.cycle());
  }
}

}  // namespace
}  // namespace berth::engine
