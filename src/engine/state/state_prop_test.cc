// Random histories: invariants after every event, save/load and replay give the same bytes, and a
// Trial undoes exactly.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/engine.h"
#include "engine/engine_testing.h"
#include "engine/state/invariants.h"
#include "engine/state/trial.h"
#include "model/serial.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// A small fleet with every way of sharing, and random commands against it.
class History {
 public:
  explicit History(std::uint64_t seed) : rng_(seed) {
    GpuModel plain = t::plain_model("plain", 40'000);
    plain.suspension = ProcessSuspension{2, 1650, 5600, 480};
    run({DeclareModel{plain}, {}, {}});
    run({DeclareModel{t::grid_model("grid")}, {}, {}});
    for (const char* name : {"red", "blue"}) run({DeclareQueue{t::queue(name)}, {}, {}});
    if (rng_.below(3) > 0) reclaim();
    for (int n = 0; n < 3; ++n) join(t::node("p" + std::to_string(n), "plain", 2));
    for (int n = 0; n < 2; ++n) join(t::mig_node("g" + std::to_string(n), "grid", 2));
  }

  void step() {
    ++now_;
    switch (rng_.below(8)) {
      case 0:
      case 1:
      case 2:
        return submit();
      case 3:
        return cycle();
      case 4:
        return report_prepared();
      case 5:
        return end_one();
      case 6:
        return cancel_one();
      default:
        return disturb();
    }
  }

  Engine& engine() { return engine_; }
  const ClusterState& state() const { return engine_.state(); }
  const std::vector<Event>& events() const { return events_; }
  Rng& rng() { return rng_; }

  void run(const Command& command) {
    auto events = engine_.decide(command, now_);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    apply(*events);
  }

 private:
  void apply(const EventBatch& events) {
    for (const Event& event : events) {
      engine_.apply(event);
      events_.push_back(event);
    }
  }

  // What blue is promised it may take back, and whoever waits has some right.
  void reclaim() {
    PolicySpec policy;
    policy.reclaim = {ReclaimRight::kGuarantee, ReclaimRight::kShare, ReclaimRight::kRank,
                      ReclaimRight::kService, ReclaimRight::kConsolidation};
    policy.reluctance_ppm = static_cast<Ppm>(rng_.below(2)) * kPpmOne;
    if (rng_.below(3) == 0) policy.evictions_per_job = 1;
    if (rng_.below(3) == 0) policy.blast_radius = 2 * kCard;
    run({SetPolicy{policy, {}}, {}, {}});
    QueueSpec queue = t::queue("blue");
    FlavourQuota quota;
    quota.model = "plain";
    quota.guarantee = static_cast<CardUnits>(1 + rng_.below(4)) * kCard;
    queue.quotas.push_back(quota);
    run({DeclareQueue{queue}, {}, {}});
  }

  CheckpointSpec random_checkpoint() {
    CheckpointSpec checkpoint;
    checkpoint.method = static_cast<CheckpointMethod>(rng_.below(4));
    checkpoint.acknowledges = rng_.below(2) == 0;
    checkpoint.duration_ms = static_cast<DurationMs>(rng_.below(50));
    checkpoint.restart_ms = static_cast<DurationMs>(rng_.below(50));
    return checkpoint;
  }

  void join(NodeSpec node) {
    node.resources = {{"disk", 1000}, {"licence", 3}};
    if (rng_.below(2) == 0) node.labels = {{"rack", rng_.below(2) == 0 ? "a" : "b"}};
    run({JoinNode{std::move(node)}, {}, {}});
  }

  DeviceRequest random_devices() {
    DeviceRequest devices = random_kind();
    if (rng_.below(4) == 0) {
      devices.selector = testing::kSomeSelectors[rng_.below(testing::kSomeSelectors.size())];
    }
    return devices;
  }

  DeviceRequest random_kind() {
    static const std::vector<std::string> kProfiles = {"1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb"};
    switch (rng_.below(4)) {
      case 0:
        return t::whole(static_cast<std::uint32_t>(1 + rng_.below(2)));
      case 1:
        return t::share(static_cast<CardUnits>(1 + rng_.below(9)) * kCard / 10);
      case 2:
        return t::memory_share(static_cast<Mib>(1 + rng_.below(30'000)));
      default:
        return t::mig(kProfiles[rng_.below(kProfiles.size())]);
    }
  }

  void submit() {
    const auto tasks = static_cast<std::uint32_t>(1 + rng_.below(3));
    JobSpec spec = t::job(rng_.below(2) == 0 ? "red" : "blue", random_devices(), tasks);
    spec.job_class = static_cast<JobClass>(rng_.below(3));
    spec.roles[0].containers[0].cpu_milli = static_cast<CpuMilli>(rng_.below(20'000));
    if (rng_.below(3) == 0) spec.roles[0].containers[0].resources = {{"licence", 1}};
    if (rng_.below(3) == 0) add_second_role(spec);
    spec.checkpoint = random_checkpoint();
    spec.priority = static_cast<std::int32_t>(rng_.below(3));
    if (tasks > 1 && rng_.below(2) == 0) {
      spec.roles[0].elastic = true;
      spec.roles[0].min = 1;
    }
    run(t::submit("j" + std::to_string(jobs_++), std::move(spec)));
    if (rng_.below(2) == 0)
      apply(engine_.place_at_once(JobId(state().next_job().value() - 1), now_));
  }

  void add_second_role(JobSpec& spec) {
    Role role = spec.roles[0];
    role.name = "second";
    role.count = 2;
    role.min = 1;
    role.containers[0].devices = {};
    role.containers[0].resources = {{"disk", static_cast<std::int64_t>(rng_.below(400))}};
    spec.roles.push_back(std::move(role));
  }

  void cycle() {
    const Commitment commitment = engine_.commit(engine_.plan(now_), now_);
    ASSERT_EQ(commitment.lost, 0U);  // nothing has come between
    apply(commitment.events);
    ASSERT_EQ(text_of(unexplained_jobs(state(), kNever)), "");
  }

  const Lease* random_lease() {
    auto ids = state().leases().sorted_ids();
    std::erase_if(
        ids, [&](LeaseId id) { return state().find_lease(id)->state == LeaseState::kPromised; });
    return ids.empty() ? nullptr : state().find_lease(ids[rng_.below(ids.size())]);
  }

  void report_prepared() {
    if (const Lease* lease = random_lease()) {
      const LeaseId id = lease->id;
      if (rng_.below(6) == 0 && lease->state == LeaseState::kGranted) {
        return run({ReportPrepareFailed{id, lease->epoch, "no image"}, {}, {}});
      }
      run({ReportPrepared{id, lease->epoch}, {}, {}});
    }
  }

  void end_one() {
    if (const Lease* lease = random_lease()) {
      const bool suspends = lease->grade == ReclaimGrade::kSuspend && !lease->off_cards;
      if (lease->state == LeaseState::kRevoking && suspends && rng_.below(4) > 0) {
        run({ReportSuspended{lease->id, lease->epoch}, {}, {}});
      } else if (lease->state == LeaseState::kRevoking) {
        run({ReportReleased{lease->id, lease->epoch, ""}, {}, {}});
      } else if (lease->state == LeaseState::kRunning) {
        const EndReason reason = rng_.below(4) == 0 ? EndReason::kFailed : EndReason::kSucceeded;
        run({ReportEnded{lease->id, lease->epoch, reason}, {}, {}});
      }
    }
  }

  void cancel_one() {
    const auto ids = state().jobs().sorted_ids();
    if (!ids.empty()) run({CancelJob{state().find_job(ids[rng_.below(ids.size())])->name}, {}, {}});
  }

  void disturb() {
    const std::string node = rng_.below(2) == 0 ? "p0" : "g1";
    switch (rng_.below(6)) {
      case 0:
      case 1:
        if (rng_.below(3) == 0) return run({ReportNodeBack{node}, {}, {}});
        return run({SetNodeCondition{node, static_cast<NodeCondition>(rng_.below(4))}, {}, {}});
      case 2:
      case 3:
        return run({SetCardHealth{node, 0, static_cast<CardHealth>(rng_.below(5))}, {}, {}});
      case 4:
        return declare_again();
      default:
        return observe();
    }
  }

  // Jobs keep the place that they had when they were submitted.
  void declare_again() {
    switch (rng_.below(3)) {
      case 0: {
        PartitionSpec partition;
        partition.name = rng_.below(2) == 0 ? "east" : "west";
        partition.kind = static_cast<PartitionKind>(rng_.below(4));
        partition.classes = {JobClass::kInference};
        return run({DeclarePartition{partition}, {}, {}});
      }
      case 1: {
        QueueSpec queue = t::queue("red");
        queue.weight = static_cast<std::uint32_t>(1 + rng_.below(5));
        return run({DeclareQueue{queue}, {}, {}});
      }
      default:
        return come_or_go();
    }
  }

  // A node that joins, or is removed for good where it holds nothing.
  void come_or_go() {
    const NodeIndex spare = state().find_node("spare");
    if (spare.is_none()) return run({JoinNode{t::node("spare", "plain", 1)}, {}, {}});
    for (const LeaseId id : state().leases().sorted_ids()) {
      if (state().find_lease(id)->placement.node == spare) return;
    }
    run({SetNodeCondition{"spare", NodeCondition::kRemoved}, {}, {}});
  }

  void observe() {
    const Lease* lease = random_lease();
    if (lease == nullptr) {
      run({BeginTerm{state().term() + 1}, {}, {}});
      return run({ObserveRunTimes{"kind", {3, 1000, 2000}}, {}, {}});
    }
    if (rng_.below(4) == 0) return run({NoticeInterruption{"p1", now_ + 100}, {}, {}});
    run({ReportCheckpoint{lease->id, lease->epoch, "step-7"}, {}, {}});
    run({ReportActivity{lease->id, lease->epoch, 250'000}, {}, {}});
    if (rng_.below(3) == 0) decide_beyond_one_step(*lease);
  }

  // Decisions that are recorded before their steps.
  void decide_beyond_one_step(const Lease& lease) {
    Plan plan;
    const JobId job =
        state().pending().empty() ? lease.job : state().pending().sorted_ids().front();
    plan.decisions.push_back(Reserve{job, {lease.placement.node}, now_ + 5, 99});
    plan.decisions.push_back(Regeometry{NodeIndex(3), 0, {1, 2}});
    apply(engine_.commit(plan, now_).events);
  }

  Rng rng_;
  Engine engine_;
  std::vector<Event> events_;
  TimeMs now_ = 0;
  int jobs_ = 0;
};

RC_GTEST_PROP(StateProperty, InvariantsHoldAfterEveryStep, (std::uint64_t seed)) {
  History history(seed);
  for (int i = 0; i < 120; ++i) {
    history.step();
    RC_ASSERT(text_of(broken_invariants(history.state())) == "");
  }
}

RC_GTEST_PROP(StateProperty, LoadOfSaveIsTheSameState, (std::uint64_t seed)) {
  History history(seed);
  for (int i = 0; i < 80; ++i) history.step();
  const std::string bytes = history.state().save();
  auto loaded = ClusterState::load(bytes);
  RC_ASSERT(loaded.has_value());
  RC_ASSERT(loaded->save() == bytes);
  RC_ASSERT(text_of(broken_invariants(*loaded)) == "");
}

// Bytes that were cut, or of which one was changed, are refused or are another state's own.
RC_GTEST_PROP(StateProperty, LoadRefusesBytesThatNoStateWrites, (std::uint64_t seed)) {
  History history(seed);
  for (int i = 0; i < 40; ++i) history.step();
  const std::string bytes = history.state().save();
  const std::size_t cut = history.rng().below(bytes.size());
  RC_ASSERT(!ClusterState::load(std::string_view(bytes).substr(0, cut)).has_value());
  for (int i = 0; i < 40; ++i) {
    std::string forged = bytes;
    char& byte = forged[history.rng().below(forged.size())];
    byte = static_cast<char>(byte ^ static_cast<char>(1 + history.rng().below(255)));
    const auto loaded = ClusterState::load(forged);
    if (loaded) RC_ASSERT(loaded->save() == forged);
    if (!loaded) RC_ASSERT(!loaded.error().message.empty());
  }
}

RC_GTEST_PROP(StateProperty, ReplayGivesTheSameHash, (std::uint64_t seed)) {
  History history(seed);
  for (int i = 0; i < 80; ++i) history.step();
  ClusterState replica;
  for (const Event& event : history.events()) {
    ByteWriter out;
    write_event(out, event);
    ByteReader in(out.bytes());
    const auto read = read_event(in);
    RC_ASSERT(read.has_value());
    RC_ASSERT(in.finish().has_value());
    replica.apply(*read);
  }
  RC_ASSERT(replica.hash() == history.state().hash());
}

// A state loaded half-way and continued with the rest of the events ends the same, and decides the
// same afterwards.
RC_GTEST_PROP(StateProperty, ContinuingFromASnapshotEndsTheSame, (std::uint64_t seed)) {
  History history(seed);
  for (int i = 0; i < 80; ++i) history.step();
  const std::size_t cut = history.rng().below(history.events().size());
  ClusterState first;
  for (std::size_t i = 0; i < cut; ++i) first.apply(history.events()[i]);
  auto second = ClusterState::load(first.save());
  RC_ASSERT(second.has_value());
  for (std::size_t i = cut; i < history.events().size(); ++i) second->apply(history.events()[i]);
  RC_ASSERT(second->save() == history.state().save());
  Engine continued(std::move(*second));
  const Plan expected = history.engine().plan(1'000'000);
  const Plan plan = continued.plan(1'000'000);
  RC_ASSERT(plan.decisions.size() == expected.decisions.size());
  const EventBatch a = history.engine().commit(expected, 1'000'000).events;
  const EventBatch b = continued.commit(plan, 1'000'000).events;
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    history.engine().apply(a[i]);
    continued.apply(b[i]);
  }
  RC_ASSERT(history.state().hash() == continued.state().hash());
}

// What a Trial may change of a node, with what is derived from it.
struct NodeImage {
  CpuMilli cpu_free = 0;
  Mib memory_free = 0;
  std::vector<std::int64_t> resources_free;
  std::vector<CardState> cards;
  std::vector<CardState> ordered;  // equal cards may change places in the order
  std::uint64_t cards_hash = 0;
  bool in_slot = false;
  CpuMilli slot_cpu_free = 0;
  std::vector<CardState> slot_cards;
  std::vector<NodeIndex> slot_nodes;

  friend bool operator==(const NodeImage&, const NodeImage&) = default;
};
using Image = std::vector<NodeImage>;

Image image_of(const ClusterState& state) {
  Image image;
  for (const NodeRecord& node : state.nodes()) {
    NodeImage one;
    one.cpu_free = node.cpu_free;
    one.memory_free = node.memory_free;
    one.resources_free.assign(node.resources_free.begin(), node.resources_free.end());
    one.cards.assign(node.cards.begin(), node.cards.end());
    for (const std::uint8_t card : node.order) one.ordered.push_back(node.cards[card]);
    one.cards_hash = node.cards_hash;
    one.in_slot = !node.slot.is_none();
    if (one.in_slot) {
      const Slot& slot = state.slots().slot(node.slot);
      one.slot_cpu_free = slot.cpu_free;
      one.slot_cards.assign(slot.cards.begin(), slot.cards.end());
      one.slot_nodes.assign(slot.nodes.begin(), slot.nodes.end());
    }
    image.push_back(std::move(one));
  }
  return image;
}

// Random steps inside one Trial: places taken, leases given up, and rollbacks to any checkpoint
// that is still open, with what the state was then.
class TrialSteps {
 public:
  TrialSteps(ClusterState& state, Rng& rng) : state_(state), rng_(rng), trial_(state) {
    for (const LeaseId id : state.leases().sorted_ids()) {
      if (state.find_lease(id)->holds_cards()) held_.push_back(id);
    }
  }

  void step() {
    switch (rng_.below(6)) {
      case 0:
      case 1:
        return take();
      case 2:
      case 3:
        return give();
      case 4:
        marks_.push_back({trial_.checkpoint(), image_of(state_), held_});
        return;
      default:
        return roll_back();
    }
  }

  int taken = 0;
  int given = 0;
  int nested = 0;  // rollbacks past a checkpoint that was still open

 private:
  struct Mark {
    Trial::Checkpoint checkpoint = 0;
    Image image;
    std::vector<LeaseId> held;
  };

  void take() {
    if (state_.shapes().size() == 0) return;
    const ShapeIndex shape(static_cast<std::uint32_t>(rng_.below(state_.shapes().size())));
    const auto candidate = placer_.find(state_, shape);
    if (!candidate) return;
    RC_ASSERT(state_.fits(candidate->node, state_.shapes().at(shape), candidate->grants));
    trial_.take(shape, candidate->node, candidate->grants);
    ++taken;
  }

  void give() {
    if (held_.empty()) return;
    const std::size_t at = rng_.below(held_.size());
    const Lease& lease = state_.leases().at(held_[at]);
    const SpecRecord& spec = state_.spec_of(*state_.find_job(lease.job));
    trial_.give(spec.shapes[lease.placement.role], lease.placement.node, lease.placement.grants);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
    ++given;
  }

  void roll_back() {
    if (marks_.empty()) return;
    const std::size_t to = rng_.below(marks_.size());
    if (to + 1 < marks_.size()) ++nested;
    trial_.rollback(marks_[to].checkpoint);
    RC_ASSERT(image_of(state_) == marks_[to].image);
    held_ = marks_[to].held;
    marks_.resize(to);
  }

  ClusterState& state_;
  Rng& rng_;
  Trial trial_;
  Placer placer_;
  std::vector<LeaseId> held_;  // leases that the trial has not given up
  std::vector<Mark> marks_;
};

RC_GTEST_PROP(StateProperty, TrialUndoesExactly, (std::uint64_t seed)) {
  History history(seed);
  for (int i = 0; i < 60; ++i) history.step();
  ClusterState state = std::move(*ClusterState::load(history.state().save()));
  const std::string before = state.save();
  const Image image = image_of(state);
  {
    TrialSteps steps(state, history.rng());
    for (int i = 0; i < 60; ++i) steps.step();
    RC_TAG(steps.taken > 0 && steps.given > 0 && steps.nested > 0 ? "all kinds" : "some kinds");
  }
  RC_ASSERT(image_of(state) == image);
  RC_ASSERT(state.save() == before);
  RC_ASSERT(text_of(broken_invariants(state)) == "");
}

}  // namespace
}  // namespace berth::engine
