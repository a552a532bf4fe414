// A controller that stops at any record, or inside one, and is started again from what its journal
// kept: with the commands that were left, it ends in the same state as one that never stopped, and
// its executor has been told the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "control/controller.h"
#include "control/learner.h"
#include "control/testing.h"
#include "journal/memory_journal.h"
#include "journal/record.h"
#include "model/testing.h"

namespace berth::journal {
namespace {

namespace t = berth::testing;

// Writes down each call with all that identifies it, so that repeated calls are equal.
class NotingExecutor final : public control::Executor {
 public:
  void prepare(const Lease& lease, const JobSpec& /*spec*/) override { note("prepare", lease); }
  void start(const Lease& lease, const JobSpec& /*spec*/) override { note("start", lease); }
  void move(const Lease& lease, const JobSpec& /*spec*/) override {
    note("move to node " + std::to_string(lease.placement.node.value()), lease);
  }
  void revoke(const Lease& lease, ReclaimGrade grade) override {
    note("revoke by " + std::string(word(grade)), lease);
  }
  void change_layout(const control::LayoutAsk& ask) override {
    calls.push_back("layout: ask " + std::to_string(ask.number) + ", " +
                    std::to_string(ask.wanted.size()) + " instances");
  }
  std::vector<std::string> calls;

 private:
  void note(const std::string& what, const Lease& lease) {
    calls.push_back(what + ": lease " + std::to_string(lease.id.value()) + ", epoch " +
                    std::to_string(lease.epoch));
  }
};

// Keeps records and notes how many calls its controller had made before each.
class WatchedJournal final : public control::Journal, public control::Snapshots {
 public:
  WatchedJournal(MemoryJournal kept, const NotingExecutor& executor)
      : kept_(std::move(kept)), executor_(executor) {}

  Status append(std::uint64_t first_revision, std::span<const EventBatch> batches) override {
    for (std::size_t i = 0; i < batches.size(); ++i) calls_before.push_back(executor_.calls.size());
    return kept_.append(first_revision, batches);
  }
  Status replay(std::uint64_t after,
                const std::function<Status(const EventBatch&)>& visit) const override {
    return kept_.replay(after, visit);
  }
  Status save(const control::Snapshot& snapshot) override { return kept_.save(snapshot); }
  Result<std::optional<control::Snapshot>> newest() const override { return kept_.newest(); }
  Status compact() override { return kept_.compact(); }
  const std::string& bytes() const { return kept_.bytes(); }
  std::uint64_t revision() const { return kept_.revision(); }

  std::vector<std::size_t> calls_before;  // per record of this controller

 private:
  MemoryJournal kept_;
  const NotingExecutor& executor_;
};

constexpr control::ControllerOptions kOptions = {control::FastPath::kInference,
                                                 control::PlanOn::kReplica};

// One life of a controller.
struct Life {
  explicit Life(MemoryJournal kept)
      : journal(std::move(kept), executor),
        controller({journal, executor, clock, metrics, learner, &journal}, kOptions) {}

  control::testing::ManualClock clock;
  NotingExecutor executor;
  control::testing::CountingMetrics metrics;
  control::FitLearner learner;
  WatchedJournal journal;
  control::Controller controller;
};

// A command, or a cycle, at its time.
struct Step {
  TimeMs at = 0;
  std::optional<Command> command;
};

// Commands may be refused, by both lives alike.
void run(Life& life, const Step& step) {
  life.clock.set(step.at);
  if (step.command) {
    static_cast<void>(life.controller.execute(*step.command));
  } else {
    ASSERT_TRUE(life.controller.run_cycle());
  }
}

// Draws commands that fit what the controller has come to.
class Script {
 public:
  Script(std::uint64_t seed, Life& life) : rng_(seed), life_(life) {
    for (const std::uint32_t tasks : {1U, 2U}) {
      for (const DeviceRequest& devices : {t::whole(1), t::whole(2), t::share(kCard / 2)}) {
        add_spec(devices, tasks);
      }
    }
    for (const char* profile : {"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb"}) {
      add_spec(t::mig(profile), 1);
    }
    play({DeclarePartition{part("first", PartitionKind::kBatch)}, {}, {}});
    play({DeclarePartition{part("second", PartitionKind::kServing)}, {}, {}});
    play({SetPolicy{policy(true), {}}, {}, {}});
    play({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}});
    play({DeclareModel{t::grid_model("grid")}, {}, {}});
    for (const char* name : {"red", "blue"}) play({DeclareQueue{t::queue(name)}, {}, {}});
    for (std::uint64_t n = 0; n < 3; ++n) join(t::node(name("p", n), "plain", 4), "first");
    for (std::uint64_t n = 0; n < 2; ++n) join(t::mig_node(name("g", n), "grid", 1), "first");
    join(t::node("s0", "plain", 2), "second");
    join(t::mig_node("s1", "grid", 1), "second");
    scatter_slices();
  }

  // Plays a step and keeps it, with where the journal ended before it.
  void step() {
    now_ += static_cast<TimeMs>(rng_.below(400));
    switch (rng_.below(10)) {
      case 0:
      case 1:
      case 2:
        return submit();
      case 3:
      case 4:
        return keep({now_, std::nullopt});
      case 5:
      case 6:
        return report();
      case 7:
        return end_one();
      case 8:
        return cancel_or_hold();
      default:
        return declare_again();
    }
  }

  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<std::size_t>& began_at() const { return began_at_; }  // bytes of the journal

 private:
  static std::string name(const std::string& stem, std::uint64_t number) {
    return stem + std::to_string(number);
  }
  static PartitionSpec part(const std::string& name, PartitionKind kind) {
    PartitionSpec spec;
    spec.name = name;
    spec.kind = kind;
    return spec;
  }
  void join(NodeSpec node, const std::string& partition) {
    node.partition = partition;
    play({JoinNode{std::move(node)}, {}, {}});
  }
  static PolicySpec policy(bool moves) {
    PolicySpec spec;
    spec.refit_first = 8;
    spec.price_every = 5;
    spec.migration_ppm = moves ? kPpmOne : 0;
    return spec;
  }

  JobSpecPtr served(const std::string& profile) {
    JobSpec spec = t::job("red", t::mig(profile));
    spec.job_class = JobClass::kInference;
    spec.checkpoint.method = CheckpointMethod::kSignal;
    return std::make_shared<const JobSpec>(std::move(spec));
  }

  // Small instances at slots 0, 1 and 5 of the serving card, and a large one for which one moves.
  void scatter_slices() {
    const JobSpecPtr small = served("1g.10gb");
    std::vector<LeaseId> leases;
    for (int i = 0; i < 7; ++i) {
      leases.push_back(state().next_lease());
      play({SubmitJob{name("small", steps_.size()), small}, {}, {}});
      play({ReportPrepared{leases.back(), 1}, {}, {}});
    }
    for (const LeaseId id : leases) {
      const int slot = state().find_lease(id)->placement.grants.front().placement;
      if (slot == 0 || slot == 1 || slot == 5) continue;  // 1g is the first profile
      play({ReportEnded{id, 1, EndReason::kSucceeded}, {}, {}});
    }
    play({SubmitJob{"large", served("3g.40gb")}, {}, {}});
  }

  void add_spec(const DeviceRequest& devices, std::uint32_t tasks) {
    for (const JobClass job_class : {JobClass::kInference, JobClass::kTraining}) {
      JobSpec spec = t::job(specs_.size() % 3 == 0 ? "blue" : "red", devices, tasks);
      spec.job_class = job_class;
      if (specs_.size() % 4 != 0) spec.checkpoint.method = CheckpointMethod::kSignal;
      specs_.push_back(std::make_shared<const JobSpec>(std::move(spec)));
    }
  }

  void keep(Step step) {
    began_at_.push_back(life_.journal.bytes().size());
    run(life_, step);
    steps_.push_back(std::move(step));
  }
  // Each command has a request id, so that one whose answer was lost can be sent again.
  void play(Command command) {
    command.request_id = name("r", steps_.size());
    keep({now_, std::move(command)});
  }

  void submit() {
    play({SubmitJob{name("j", steps_.size()), specs_[rng_.below(specs_.size())]}, {}, {}});
  }

  const Lease* lease_in(std::initializer_list<LeaseState> states) {
    std::vector<const Lease*> found;
    for (const LeaseId id : state().leases().sorted_ids()) {
      const Lease* lease = state().find_lease(id);
      if (std::find(states.begin(), states.end(), lease->state) != states.end()) {
        found.push_back(lease);
      }
    }
    return found.empty() ? nullptr : found[rng_.below(found.size())];
  }

  void report() {
    const Lease* lease = lease_in({LeaseState::kGranted, LeaseState::kRevoking});
    if (lease == nullptr) return;
    if (lease->state == LeaseState::kRevoking) {
      return play({ReportReleased{lease->id, lease->epoch, ""}, {}, {}});
    }
    if (rng_.below(6) == 0) {
      return play({ReportPrepareFailed{lease->id, lease->epoch, "no image"}, {}, {}});
    }
    play({ReportPrepared{lease->id, lease->epoch}, {}, {}});
  }

  void end_one() {
    const Lease* lease = lease_in({LeaseState::kRunning});
    if (lease == nullptr) return;
    const EndReason reason = rng_.below(4) == 0 ? EndReason::kFailed : EndReason::kSucceeded;
    play({ReportEnded{lease->id, lease->epoch, reason}, {}, {}});
  }

  void cancel_or_hold() {
    const auto ids = state().jobs().sorted_ids();
    if (ids.empty()) return;
    const engine::JobRecord& job = *state().find_job(ids[rng_.below(ids.size())]);
    if (rng_.below(3) != 0) return play({CancelJob{job.name}, {}, {}});
    if (job.user_held) return play({UnholdJob{job.name}, {}, {}});
    play({HoldJob{job.name}, {}, {}});
  }

  void declare_again() {
    switch (rng_.below(5)) {
      case 0: {
        QueueSpec queue = t::queue("red");
        queue.weight = static_cast<std::uint32_t>(1 + rng_.below(9));
        return play({DeclareQueue{std::move(queue)}, {}, {}});
      }
      case 1:
        return play(
            {DeclarePartition{part("second", static_cast<PartitionKind>(rng_.below(4)))}, {}, {}});
      case 2:
        return play({SetPolicy{policy(rng_.below(4) != 0), {}}, {}, {}});
      case 3:
        if (rng_.below(2) == 0) return play({ReportNodeBack{"p0"}, {}, {}});
        return play({SetNodeCondition{"p0", static_cast<NodeCondition>(rng_.below(4))}, {}, {}});
      default:
        return play({Tick{}, {}, {}});
    }
  }

  const engine::ClusterState& state() const { return life_.controller.state(); }

  Rng rng_;
  Life& life_;
  TimeMs now_ = 0;
  std::vector<JobSpecPtr> specs_;
  std::vector<Step> steps_;
  std::vector<std::size_t> began_at_;
};

std::vector<std::size_t> ends_of_records(const std::string& bytes) {
  std::vector<std::size_t> ends = {0};
  while (ends.back() < bytes.size()) {
    const auto record = read_record(std::string_view(bytes).substr(ends.back()));
    if (!record) {
      ADD_FAILURE() << record.error().to_text();
      break;
    }
    ends.push_back(ends.back() + record->bytes);
  }
  return ends;
}

// A life that was never cut, and what comes of it when it is.
class Cutter {
 public:
  explicit Cutter(std::uint64_t seed) : uncut_(MemoryJournal()), script_(seed, uncut_) {
    for (int i = 0; i < 160; ++i) script_.step();
    ends_ = ends_of_records(uncut_.journal.bytes());
  }

  const std::vector<std::size_t>& record_ends() const { return ends_; }
  const engine::Totals& totals() const { return uncut_.controller.state().totals(); }
  const control::testing::CountingMetrics& metrics() const { return uncut_.metrics; }

  // The first life wrote `cut` bytes and stopped before it acted on its last whole record; the
  // second continues at the time at which the first one stopped.
  // With `snapshot_at`, a snapshot of what it had come to after so many bytes lies beside them.
  void cut_at(std::size_t cut, std::optional<std::size_t> snapshot_at = std::nullopt) const {
    auto kept = MemoryJournal::open(uncut_.journal.bytes().substr(0, cut));
    ASSERT_TRUE(kept) << kept.error().to_text();
    const std::vector<std::size_t>& began = script_.began_at();
    const auto after = std::upper_bound(began.begin(), began.end(), kept->bytes().size());
    const auto first = static_cast<std::size_t>(after - began.begin()) - 1;
    std::set<std::string> told = told_before(kept->bytes().size());
    if (snapshot_at) add_snapshot(*kept, *snapshot_at);
    Life second(std::move(*kept));
    second.clock.set(script_.steps()[first].at);
    ASSERT_TRUE(second.controller.recover());
    for (std::size_t i = first; i < script_.steps().size(); ++i) run(second, script_.steps()[i]);
    ASSERT_EQ(second.controller.state().hash(), uncut_.controller.state().hash());
    told.insert(second.executor.calls.begin(), second.executor.calls.end());
    const std::vector<std::string>& calls = uncut_.executor.calls;
    ASSERT_EQ(told, std::set<std::string>(calls.begin(), calls.end()));
  }

 private:
  // A third life that came as far, and is no more.
  void add_snapshot(MemoryJournal& journal, std::size_t bytes) const {
    auto kept = MemoryJournal::open(uncut_.journal.bytes().substr(0, bytes));
    ASSERT_TRUE(kept) << kept.error().to_text();
    Life third(std::move(*kept));
    third.clock.set(script_.steps()[0].at);
    ASSERT_TRUE(third.controller.recover());
    if (third.journal.revision() > journal.revision()) return;  // it has finished a submission
    ASSERT_TRUE(third.controller.save_snapshot());
    const auto snapshot = third.journal.newest();
    ASSERT_TRUE(snapshot.has_value() && snapshot->has_value());
    ASSERT_TRUE(journal.save(**snapshot));
  }

  std::set<std::string> told_before(std::size_t bytes) const {
    const auto records = static_cast<std::size_t>(
        std::lower_bound(ends_.begin(), ends_.end(), bytes) - ends_.begin());
    const std::size_t count = records == 0 ? 0 : uncut_.journal.calls_before[records - 1];
    const auto& calls = uncut_.executor.calls;
    return {calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  Life uncut_;
  Script script_;
  std::vector<std::size_t> ends_;  // of records in the journal, from 0
};

TEST(TornJournal, CutAfterAnyRecordAndContinuedEndsTheSame) {
  std::uint64_t failed = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Cutter cutter(seed);
    for (const std::size_t cut : cutter.record_ends()) {
      cutter.cut_at(cut);
      if (HasFatalFailure()) FAIL() << "cut at byte " << cut;
    }
    EXPECT_GT(cutter.totals().ended, 5U);
    EXPECT_GT(cutter.metrics().counts.at("fit-observed"), 1U);
    EXPECT_GT(cutter.totals().moved, 0U);
    failed += cutter.metrics().counts.count("job-backed-off");
  }
  EXPECT_GT(failed, 0U) << "no history has a start that fails; draw others";
}

TEST(TornJournal, GoesOnFromASnapshotAsFromAllRecords) {
  for (std::uint64_t seed = 6; seed <= 7; ++seed) {
    const Cutter cutter(seed);
    const std::vector<std::size_t>& ends = cutter.record_ends();
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      for (const std::size_t earlier : {i, i - i / 4, i / 2}) {
        cutter.cut_at(ends[i], ends[earlier]);
        if (HasFatalFailure()) FAIL() << "cut at record " << i << ", snapshot at " << earlier;
      }
    }
  }
}

TEST(TornJournal, CutInsideARecordAndContinuedEndsTheSame) {
  const Cutter cutter(5);
  const std::vector<std::size_t>& ends = cutter.record_ends();
  for (std::size_t i = 0; i + 1 < ends.size(); i += 3) {
    for (const std::size_t cut : {ends[i] + 1, (ends[i] + ends[i + 1]) / 2, ends[i + 1] - 1}) {
      cutter.cut_at(cut);
      if (HasFatalFailure()) FAIL() << "cut at byte " << cut;
    }
  }
}

}  // namespace
}  // namespace berth::journal
