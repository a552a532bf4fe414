// The public cases 055, 060 and 061 with other sizes and orders: what a cycle costs, in steps and
// not in seconds. The engine alone, as a session checks all invariants after every line.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "engine/cycle/engine.h"
#include "model/testing.h"

namespace berth::sim {
namespace {

namespace t = berth::testing;
using engine::Effort;
using engine::Engine;

std::int64_t any(std::int64_t from, std::int64_t to) {
  return *rc::gen::inRange<std::int64_t>(from, to + 1);
}

class Fleet {
 public:
  Fleet() {
    run({DeclareModel{t::plain_model("big", 80'000)}, {}, {}});
    run({DeclareModel{t::plain_model("small", 24'000)}, {}, {}});
  }
  void queue(const std::string& name, const std::string& parent = "") {
    QueueSpec spec = t::queue(name);
    spec.parent = parent;
    run({DeclareQueue{spec}, {}, {}});
  }
  void nodes(std::int64_t count, const std::string& model, std::size_t cards) {
    for (std::int64_t n = 0; n < count; ++n) {
      run({JoinNode{t::node(model + std::to_string(nodes_++), model, cards)}, {}, {}});
    }
  }
  // Jobs of one task with so many cards of the model.
  std::string submit(const std::string& queue, const std::string& model, std::uint32_t cards) {
    JobSpec spec = t::job(queue, t::whole(cards));
    spec.roles[0].containers[0].devices.models = {model};
    const std::string name = "j" + std::to_string(jobs_++);
    run(t::submit(name, std::move(spec)));
    return name;
  }
  void finish(const std::string& name) {
    const Lease& lease = *state().find_lease(state().find_job(name)->leases.front());
    if (lease.state == LeaseState::kGranted) run({ReportPrepared{lease.id, lease.epoch}, {}, {}});
    run({ReportEnded{lease.id, lease.epoch, EndReason::kSucceeded}, {}, {}});
  }
  Effort cycle() {
    ++now_;
    const Plan plan = engine_.plan(now_);
    for (const Event& event : engine_.commit(plan, now_).events) engine_.apply(event);
    return engine_.effort();
  }
  bool runs(const std::string& name) const {
    const engine::JobRecord* job = state().find_job(name);
    return job != nullptr && !job->leases.empty();
  }
  const engine::ClusterState& state() const { return engine_.state(); }

 private:
  void run(const Command& command) {
    ++now_;
    auto events = engine_.decide(command, now_);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) engine_.apply(event);
  }

  Engine engine_;
  TimeMs now_ = 0;
  std::int64_t nodes_ = 0;
  int jobs_ = 0;
};

// `shapes` shapes that do not fit and one job that does, anywhere among them.
RC_GTEST_PROP(Case055, ThousandsOfEqualJobsAreExaminedOnceAShape, ()) {
  const std::int64_t shapes = any(1, 4);
  const std::int64_t jobs = any(1000, 3000);
  const std::int64_t lucky_at = any(0, jobs - 1);
  const std::int64_t queues = any(1, 3);
  Fleet fleet;
  for (std::int64_t q = 0; q < queues; ++q) fleet.queue("q" + std::to_string(q));
  fleet.nodes(4, "big", 4);
  fleet.nodes(1, "small", 2);
  std::vector<std::string> held;
  for (int i = 0; i < 4; ++i) held.push_back(fleet.submit("q0", "big", 4));
  const std::string other = fleet.submit("q0", "small", 1);
  fleet.cycle();
  std::string lucky;
  for (std::int64_t i = 0; i < jobs; ++i) {
    const std::string queue = "q" + std::to_string(i % queues);
    if (i == lucky_at) lucky = fleet.submit(queue, "small", 1);
    fleet.submit(queue, "big", static_cast<std::uint32_t>(1 + i % shapes));
  }
  const auto bound = static_cast<std::uint64_t>(4 * queues * (shapes + 1));
  const Effort first = fleet.cycle();
  RC_ASSERT(fleet.runs(lucky));
  RC_ASSERT(first.turns <= bound);
  RC_ASSERT(first.searches <= bound);
  // something ends on another node: those that wait for the other model are not tried again
  fleet.finish(other);
  const Effort next = fleet.cycle();
  RC_ASSERT(next.turns <= bound);
  RC_ASSERT(next.searches <= bound);
  // and when it matters to them the room is used
  fleet.finish(held.front());
  const std::size_t before = fleet.state().pending().size();
  const Effort after = fleet.cycle();
  RC_ASSERT(fleet.state().pending().size() < before);
  RC_ASSERT(after.turns <= bound + 4);
}

RC_GTEST_PROP(Case060, OneCycleAdmitsAllThatFits, ()) {
  const std::int64_t cards = any(1, 300);
  const std::int64_t jobs = any(1, 400);
  const std::int64_t queues = any(1, 4);
  Fleet fleet;
  for (std::int64_t q = 0; q < queues; ++q) fleet.queue("q" + std::to_string(q));
  fleet.nodes((cards + 7) / 8, "big", 8);
  for (std::int64_t i = 0; i < jobs; ++i) {
    fleet.submit("q" + std::to_string(any(0, queues - 1)), "big", 1);
  }
  const Effort effort = fleet.cycle();
  const std::int64_t fit = std::min(jobs, (cards + 7) / 8 * 8);
  RC_ASSERT(static_cast<std::int64_t>(fleet.state().leases().size()) == fit);
  // one look for each that runs, and one or two for each line that is left; one more where a node
  // is full, for whether there is another
  RC_ASSERT(effort.turns <= static_cast<std::uint64_t>(fit + queues));
  RC_ASSERT(effort.searches <= static_cast<std::uint64_t>(fit + fit / 8 + 2 * queues));
}

// The efforts of cycles with changes and of cycles without, in a full fleet.
std::vector<Effort> efforts_of(std::int64_t nodes, const std::vector<std::int64_t>& changes) {
  Fleet fleet;
  fleet.queue("root");
  for (int team = 0; team < 3; ++team) {
    fleet.queue("t" + std::to_string(team), "root");
    for (int p = 0; p < 3; ++p) {
      fleet.queue("t" + std::to_string(team) + "p" + std::to_string(p), "t" + std::to_string(team));
    }
  }
  const auto queue_of = [](std::int64_t i) {
    return "t" + std::to_string(i % 3) + "p" + std::to_string(i / 3 % 3);
  };
  fleet.nodes(nodes, "big", 4);
  std::vector<std::string> running;
  for (std::int64_t i = 0; i < nodes * 4; ++i) {
    running.push_back(fleet.submit(queue_of(i), "big", 1));
  }
  fleet.cycle();
  for (std::int64_t i = 0; i < 200; ++i) fleet.submit(queue_of(i), "big", 2);
  fleet.cycle();
  std::vector<Effort> efforts;
  std::size_t next = 0;
  for (const std::int64_t ends : changes) {
    for (std::int64_t i = 0; i < ends; ++i) fleet.finish(running[next++]);
    for (std::int64_t i = 0; i < ends; ++i) running.push_back(fleet.submit(queue_of(i), "big", 1));
    efforts.push_back(fleet.cycle());
  }
  return efforts;
}

RC_GTEST_PROP(Case061, ACycleCostsWhatHasChangedAndNotWhatThereIs, ()) {
  const std::int64_t nodes = 9 * any(1, 3);  // so that nine queues hold the same in both fleets
  std::vector<std::int64_t> changes;
  for (std::int64_t i = any(2, 5); i > 0; --i) {
    changes.push_back(any(0, 4));
    changes.push_back(0);
  }
  const std::vector<Effort> small = efforts_of(nodes, changes);
  const std::vector<Effort> large = efforts_of(4 * nodes, changes);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    RC_ASSERT(small[i].turns == large[i].turns);
    // which node is remembered for a shape is luck: one search more or less for each change
    const auto most = static_cast<std::uint64_t>(3 * changes[i]);
    RC_ASSERT(small[i].searches <= most);
    RC_ASSERT(large[i].searches <= most);
    // after a cycle in which all that could run ran, nothing is left to look at
    if (changes[i] == 0) RC_ASSERT(small[i].turns == 0U);
    RC_ASSERT(small[i].turns <= static_cast<std::uint64_t>(4 * changes[i] + 20));
  }
}

}  // namespace
}  // namespace berth::sim
