// Every fix that is offered works when it is carried out; whenever one change of a kind that Berth
// knows would start the job, one is offered.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/fixes.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

// A tiny fleet in two leaves with two queues, partly full, and one job that may not fit.
class Tiny {
 public:
  explicit Tiny(std::uint64_t seed) : rng_(seed) {
    run(DeclareModel{t::plain_model("plain", 40'000)});
    run(DeclareModel{t::plain_model("other", 40'000)});
    TopologySpec topology;
    topology.levels = {"card", "island", "node", "leaf"};
    run(DeclareTopology{topology});
    for (const char* name : {"red", "blue"}) run(DeclareQueue{limited(name)});
    const std::uint64_t nodes = 2 + rng_.below(3);
    for (std::uint64_t n = 0; n < nodes; ++n) {
      NodeSpec node = t::node("n" + std::to_string(n), n == 0 ? "other" : "plain", 4);
      node.cpu_milli = 4'000;
      node.domains = {{"leaf", n % 2 == 0 ? "even" : "odd"}};
      run(JoinNode{node});
    }
    for (std::uint64_t i = rng_.below(6); i > 0; --i) {
      run(t::submit("f" + std::to_string(i), random_job(1)).body);
    }
    cycle();
    run(t::submit("asked", random_job(1 + static_cast<std::uint32_t>(rng_.below(3)))).body);
    if (rng_.below(6) == 0) run(HoldJob{"asked"});
    cycle();
  }

  const Engine& engine() const { return engine_; }
  bool waits() const { return waits(engine_); }
  JobId asked() const { return engine_.state().find_job("asked")->id; }
  const JobSpec& spec() const {
    return *engine_.state().spec_of(*engine_.state().find_job("asked")).spec;
  }

  // Whether the job starts in the next cycle after the commands, on a copy.
  bool starts_after(const std::vector<Command>& commands) const {
    Engine copy{ClusterState(engine_.state())};
    for (const Command& command : commands) {
      const auto events = copy.decide(command, 1);
      if (!events) return false;
      for (const Event& event : *events) copy.apply(event);
    }
    for (const Event& event : copy.commit(copy.plan(1), 1).events) copy.apply(event);
    return !waits(copy);
  }

 private:
  static bool waits(const Engine& engine) {
    const JobRecord* job = engine.state().find_job("asked");
    return job == nullptr || job->phase == JobPhase::kPending;
  }

  QueueSpec limited(const std::string& name) {
    QueueSpec queue = t::queue(name);
    if (rng_.below(2) == 0) {
      FlavourQuota quota;
      quota.limit = kCard * static_cast<CardUnits>(1 + rng_.below(6));
      queue.quotas.push_back(quota);
    }
    return queue;
  }

  JobSpec random_job(std::uint32_t tasks) {
    JobSpec job = t::job(rng_.below(2) == 0 ? "red" : "blue",
                         t::whole(1 + static_cast<std::uint32_t>(rng_.below(4))), tasks);
    job.roles[0].containers[0].cpu_milli = static_cast<CpuMilli>(rng_.below(6) * 1'000);
    if (rng_.below(3) == 0) job.roles[0].containers[0].devices.models = {"other"};
    if (tasks > 1 && rng_.below(2) == 0) {
      job.roles[0].topology = {{RuleUnit::kRole, "leaf", RuleStrength::kRequired}};
    }
    return job;
  }

  void run(CommandBody body) {
    const auto events = engine_.decide({std::move(body), {}, {}}, 0);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) engine_.apply(event);
  }
  void cycle() {
    for (const Event& event : engine_.commit(engine_.plan(0), 0).events) engine_.apply(event);
  }

  Rng rng_;
  Engine engine_;
};

Command resubmitted(const JobSpec& spec, const std::function<void(JobSpec&)>& change) {
  auto changed = std::make_shared<JobSpec>(spec);
  change(*changed);
  return {SubmitJob{"asked", std::move(changed)}, {}, {}};
}

// One change of every kind, as large as it can be.
std::vector<std::vector<Command>> single_changes(const Tiny& tiny) {
  const JobSpec& spec = tiny.spec();
  const Command cancel{CancelJob{"asked"}, {}, {}};
  std::vector<std::vector<Command>> changes = {{{UnholdJob{"asked"}, {}, {}}}};
  changes.push_back({cancel, resubmitted(spec, [](JobSpec& s) { s.roles[0].topology.clear(); })});
  changes.push_back({cancel, resubmitted(spec, [](JobSpec& s) {
                       s.roles[0].containers[0].devices.models.clear();
                     })});
  changes.push_back(
      {cancel, resubmitted(spec, [](JobSpec& s) { s.roles[0].containers[0].cpu_milli = 0; })});
  QueueSpec open =
      *tiny.engine().state().quota().queue(tiny.engine().state().find_queue(spec.queue)).spec;
  open.quotas.clear();
  changes.push_back({{DeclareQueue{open}, {}, {}}});
  for (std::uint32_t tasks = 1; tasks < spec.roles[0].count; ++tasks) {
    changes.push_back({{ResizeJob{"asked", "main", tasks}, {}, {}}});
  }
  return changes;
}

RC_GTEST_PROP(Fixes, EachThatIsOfferedStartsTheJob, (std::uint64_t seed)) {
  const Tiny tiny(seed);
  if (!tiny.waits()) RC_DISCARD("it fits");
  const std::uint64_t before = tiny.engine().state().hash();
  for (const Fix& fix : find_fixes(tiny.engine(), tiny.asked(), 1)) {
    RC_ASSERT(tiny.starts_after(fix.commands));
    RC_ASSERT(!fix.text.empty());
  }
  RC_ASSERT(tiny.engine().state().hash() == before);
}

RC_GTEST_PROP(Fixes, OneIsOfferedWheneverOneChangeHelps, (std::uint64_t seed)) {
  const Tiny tiny(seed);
  if (!tiny.waits()) RC_DISCARD("it fits");
  bool helps = false;
  for (const auto& change : single_changes(tiny)) helps = helps || tiny.starts_after(change);
  RC_CLASSIFY(helps, "one change helps");
  RC_ASSERT(!helps || !find_fixes(tiny.engine(), tiny.asked(), 1).empty());
}

}  // namespace
}  // namespace berth::engine
