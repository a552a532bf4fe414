// A leader dies at each write of its journal, just before it or just after, while a reclaim, the
// start of a gang and a change of a MIG layout are under way; another one takes over from what the
// journal has. Whatever the point, all three come to their end, nobody holds what another holds, no
// gang runs in part, and who was running runs on.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <set>

#include "cli/serve/clocks.h"
#include "cli/serve/leading.h"
#include "codec/gpu_model_codec.h"
#include "engine/state/invariants.h"
#include "journal/memory_journal.h"
#include "model/testing.h"
#include "sim/agents/sim_agents.h"

namespace berth {
namespace {

namespace t = berth::testing;

enum class Death : std::uint8_t { kBeforeTheWrite, kAfterTheWrite };

// Another journal until its process dies, at its write number `at`.
class DyingJournal final : public control::Journal {
 public:
  DyingJournal(control::Journal& inner, std::uint64_t at, Death how)
      : inner_(inner), at_(at), how_(how) {}

  Status append(std::uint64_t first_revision, std::span<const EventBatch> batches) override {
    if (is_dead_) return dead();
    if (++writes_ != at_) return inner_.append(first_revision, batches);
    if (how_ == Death::kAfterTheWrite) {
      if (auto s = inner_.append(first_revision, batches); !s) return s;
    }
    is_dead_ = true;
    return dead();
  }
  Status replay(std::uint64_t after,
                const std::function<Status(const EventBatch&)>& visit) const override {
    return inner_.replay(after, visit);
  }
  std::uint64_t writes() const { return writes_; }
  bool is_dead() const { return is_dead_; }

 private:
  static Status dead() { return fail(ErrorCode::kUnavailable, "killed"); }

  control::Journal& inner_;
  std::uint64_t at_;
  Death how_;
  std::atomic<std::uint64_t> writes_ = 0;
  std::atomic<bool> is_dead_ = false;
};

// Follows what was committed, over all leaders, and finds what must never be.
class Witness final : public control::Subscriber {
 public:
  void begin(const engine::ClusterState& /*state*/) override {}
  void committed(std::uint64_t first_revision, std::vector<EventBatch> batches) override {
    const std::lock_guard lock(mutex_);
    std::uint64_t revision = first_revision;
    for (const EventBatch& batch : batches) {
      for (const Event& event : batch) {
        if (revision++ < state_.revision()) continue;
        state_.apply(event);
        note(event);
      }
      for (const std::string& one : engine::broken_invariants(state_)) broken_.insert(one);
    }
    changed_.notify_all();
  }
  template <typename Condition>
  bool waits_for(const Condition& condition, std::chrono::seconds at_most) {
    const auto until = std::chrono::steady_clock::now() + at_most;
    std::unique_lock lock(mutex_);
    while (!condition(*this)) {  // a leader that dies notifies nobody
      if (std::chrono::steady_clock::now() > until) return false;
      changed_.wait_for(lock, std::chrono::milliseconds(20));
    }
    return true;
  }
  const engine::ClusterState& state() const { return state_; }
  std::mutex& mutex() { return mutex_; }

  int started(const std::string& job) const {
    const auto found = started_.find(job);
    return found == started_.end() ? 0 : found->second;
  }
  int ended(const std::string& job) const {
    const auto found = ended_.find(job);
    return found == ended_.end() ? 0 : found->second;
  }
  bool layout_is_done() const { return layout_is_done_; }
  const std::set<std::string>& broken() const { return broken_; }

 private:
  void note(const Event& event) {
    if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
      names_[submitted->job] = submitted->name;
    } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
      ++started_[names_[started->job]];
      const engine::JobRecord& job = *state_.find_job(started->job);
      if (job.leases.size() != state_.spec_of(job).tasks) {
        broken_.insert(job.name + " started in part");
      }
    } else if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
      ++ended_[names_[ended->job]];
    } else if (const auto* advanced = std::get_if<RegeometryAdvanced>(&event.body)) {
      layout_is_done_ = layout_is_done_ || advanced->stage == RegeometryStage::kVerified;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  engine::ClusterState state_;
  std::map<JobId, std::string> names_;
  std::map<std::string, int> started_;
  std::map<std::string, int> ended_;
  bool layout_is_done_ = false;
  std::set<std::string> broken_;
};

// Two nodes of four whole cards and one that is cut by hand; a tenant with a guarantee of all of
// them, and one with none.
sim::SimInput fleet() {
  sim::SimInput input;
  auto catalog = codec::load_gpu_catalog(BERTH_SOURCE_DIR "/data/gpus");
  EXPECT_TRUE(catalog);
  for (GpuModel& model : *catalog) {
    if (model.name == "H100-SXM5-80GB") input.models.push_back(std::move(model));
  }
  for (const char* name : {"n1", "n2"}) {
    input.nodes.push_back(t::node(name, "H100-SXM5-80GB", 4));
  }
  NodeSpec cut = t::node("cut", "H100-SXM5-80GB", 1);
  cut.cards[0].mig = MigRegime::kStatic;
  cut.cards[0].layout = {{"3g.40gb", 0}, {"3g.40gb", 4}};
  input.nodes.push_back(std::move(cut));
  QueueSpec owner = t::queue("owner");
  owner.quotas.emplace_back().guarantee = 9 * kCard;
  input.queues = {owner, t::queue("guest")};
  input.policy.reclaim = {ReclaimRight::kGuarantee};
  input.settings.executor.release_ms = kSecondMs;
  input.settings.executor.prepare.value_ms = 2 * kSecondMs;
  return input;
}

JobSpec job(const std::string& queue, std::uint32_t cards, std::uint32_t tasks, DurationMs run_ms) {
  JobSpec spec = t::job(queue, t::whole(cards), tasks);
  spec.run_time_ms = run_ms;
  return spec;
}

class Trial {
 public:
  Trial() : input_(fleet()), clock_(wall_, 60, wall_.now()) {}
  ~Trial() {
    agents_.reset();
    leading_.reset();
  }

  // Takes over with a journal that dies at this write of it; 0: never.
  void lead(std::uint64_t dies_at, Death how) {
    leading_.reset();
    journal_ = std::make_unique<DyingJournal>(memory_, dies_at, how);
    cli::LeadingOptions options;
    options.agents_address = "127.0.0.1:" + std::to_string(port_);
    options.agents_token = "t";
    auto led = cli::Leading::start({*journal_, memory_, witness, clock_, wall_, metrics_},
                                   std::move(options), input_);
    if (!led) {
      EXPECT_TRUE(journal_->is_dead()) << led.error().to_text();
      return;
    }
    leading_ = std::move(*led);
    if (port_ != 0) return;
    port_ = leading_->agents_port();
    sim::SimAgentsInput simulated;
    simulated.nodes = input_.nodes;
    simulated.models = input_.models;
    simulated.hub.server = "127.0.0.1:" + std::to_string(port_);
    simulated.hub.backoff_first_ms = 5;
    simulated.hub.backoff_most_ms = 50;
    simulated.token = "t";
    simulated.instance = "i";
    simulated.executor = input_.settings.executor;
    agents_ = std::make_unique<sim::SimAgents>(std::move(simulated), clock_);
  }
  // As a client does: until it is answered.
  bool command(CommandBody body, const std::string& request) {
    const auto answer = leading_->loop()->execute({std::move(body), request, "test"});
    return answer.has_value();
  }
  bool is_dead() const { return journal_->is_dead(); }
  std::uint64_t writes() const { return journal_->writes(); }
  // How all jobs stand, for a failure.
  std::string told() {
    const std::lock_guard lock(witness.mutex());
    std::string text;
    for (const JobId id : witness.state().jobs().sorted_ids()) {
      const engine::JobRecord& job = *witness.state().find_job(id);
      text += "; " + job.name + " " + std::string(word(job.phase));
      for (const LeaseId lease : job.leases) {
        text += " " + std::string(word(witness.state().find_lease(lease)->state));
      }
    }
    for (const engine::NodeRecord& node : witness.state().nodes()) {
      text += "; " + node.spec->name + " " + std::string(word(node.condition));
    }
    return text + (witness.layout_is_done() ? "; layout done" : "; layout not done");
  }

  Witness witness;

 private:
  cli::WallClock wall_;
  sim::SimInput input_;
  sim::ScaledClock clock_;
  journal::MemoryJournal memory_;
  control::NoMetrics metrics_;
  std::unique_ptr<DyingJournal> journal_;
  std::unique_ptr<cli::Leading> leading_;
  std::unique_ptr<sim::SimAgents> agents_;
  int port_ = 0;
};

constexpr auto kPatience = std::chrono::seconds(20);

// The load: a bystander that must run on, a guest that is in the way, then the owner's gang and
// another layout. Returns at the end, or when the leader has died.
class Load {
 public:
  explicit Load(Trial& trial) : trial_(trial) {}

  void prepare() {
    ASSERT_TRUE(waits([](Witness& w) { return w.state().nodes().size() == 3; }));
    submit("bystander", job("owner", 1, 1, 1000 * kHourMs));
    ASSERT_TRUE(waits([](Witness& w) { return w.started("bystander") == 1; }));
    submit("guest", job("guest", 4, 1, 1000 * kHourMs));
    ASSERT_TRUE(waits([](Witness& w) { return w.started("guest") == 1; }));
  }
  // Asks again for what was not answered; the request ids make that harmless.
  void ask() {
    submit("gang", job("owner", 3, 2, 30 * kSecondMs));
    trial_.command(ChangeLayout{"cut", 0, {{"7g.80gb", 0}}}, "layout");
  }
  bool is_over() {
    return waits([this](Witness& w) {
      return trial_.is_dead() || (w.ended("gang") == 1 && w.layout_is_done());
    });
  }

 private:
  void submit(const std::string& name, JobSpec spec) {
    trial_.command(SubmitJob{name, std::make_shared<const JobSpec>(std::move(spec))}, name);
  }
  template <typename Condition>
  bool waits(const Condition& condition) {
    return trial_.witness.waits_for(condition, kPatience);
  }

  Trial& trial_;
};

void check(Trial& trial, const std::string& where) {
  const std::lock_guard lock(trial.witness.mutex());
  const Witness& seen = trial.witness;
  EXPECT_TRUE(seen.broken().empty()) << where << ": " << *seen.broken().begin();
  EXPECT_EQ(seen.ended("gang"), 1) << where;
  EXPECT_TRUE(seen.layout_is_done()) << where;
  EXPECT_EQ(seen.started("bystander"), 1) << where << ": it was interrupted";
  const engine::JobRecord* bystander = seen.state().find_job("bystander");
  ASSERT_NE(bystander, nullptr) << where;
  EXPECT_EQ(bystander->phase, JobPhase::kRunning) << where;
  EXPECT_EQ(seen.state().find_lease(bystander->leases[0])->epoch, 1U) << where;
}

// How many writes the load takes of a leader that does not die.
std::uint64_t writes_of_a_whole_life() {
  Trial trial;
  trial.lead(0, Death::kBeforeTheWrite);
  Load load(trial);
  load.prepare();
  const std::uint64_t before = trial.writes();
  load.ask();
  EXPECT_TRUE(load.is_over());
  check(trial, "nobody dies");
  return trial.writes() - before;
}

TEST(KillPoints, AtEveryWriteOfAReclaimAGangAndALayout) {
  const std::uint64_t writes = writes_of_a_whole_life();
  ASSERT_GE(writes, 8U);
  int deaths = 0;
  for (const Death how : {Death::kBeforeTheWrite, Death::kAfterTheWrite}) {
    for (std::uint64_t at = 1; at <= writes; ++at) {
      const std::string where = std::string(how == Death::kBeforeTheWrite ? "before" : "after") +
                                " write " + std::to_string(at);
      Trial trial;
      trial.lead(0, how);
      Load load(trial);
      load.prepare();
      if (::testing::Test::HasFatalFailure()) return;
      trial.lead(at + 1, how);  // the first write begins its term
      load.ask();
      ASSERT_TRUE(load.is_over()) << where << trial.told();
      if (trial.is_dead()) {
        ++deaths;
        trial.lead(0, how);
        load.ask();
        ASSERT_TRUE(load.is_over()) << where << ", and the next leader" << trial.told();
      }
      check(trial, where);
    }
  }
  std::printf("%d deaths at %d points\n", deaths, static_cast<int>(2 * writes));
  EXPECT_GT(deaths, static_cast<int>(writes));
}

}  // namespace
}  // namespace berth
