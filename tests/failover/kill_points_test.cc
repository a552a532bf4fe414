// A leader is killed with SIGKILL at each write of its journal, just before it or just after, while
// a reclaim, the start of a gang and a change of a MIG layout are under way; another process takes
// over from what the journal has. Whatever the point, all three come to their end, nobody holds
// what another holds, no gang runs in part, and who was running runs on.
#include "tests/failover/kill_points.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <set>
#include <thread>

#include "cli/serve/clocks.h"
#include "engine/state/invariants.h"
#include "journal/etcd_testing.h"
#include "journal/record.h"
#include "sim/agents/sim_agents.h"

namespace berth::failover {
namespace {

using journal::testing::free_port;
using journal::testing::TemporaryFolder;

enum class Death : std::uint8_t { kBeforeTheWrite, kAfterTheWrite };

// Follows what was committed, over all leaders, and finds what must never be.
class Witness {
 public:
  void committed(std::uint64_t first_revision, const EventBatch& events) {
    const std::lock_guard lock(mutex_);
    std::uint64_t revision = first_revision;
    if (revision > state_.revision()) broken_.insert("a leader skips events");
    for (const Event& event : events) {
      if (revision++ < state_.revision()) continue;
      state_.apply(event);
      note(event);
    }
    for (const std::string& one : engine::broken_invariants(state_)) broken_.insert(one);
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

// A process that leads, and what it tells.
class Leader {
 public:
  Leader(const std::string& journal, int port, std::uint64_t dies_at, Death how, Witness& witness)
      : witness_(witness) {
    const std::string at = std::to_string(dies_at);
    const std::string at_port = std::to_string(port);
    const std::string program =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "dying_leader").string();
    const char* const words[] = {program.c_str(),
                                 journal.c_str(),
                                 at_port.c_str(),
                                 at.c_str(),
                                 how == Death::kAfterTheWrite ? "after" : "before",
                                 nullptr};
    int asked[2];
    int told[2];
    EXPECT_EQ(::pipe2(asked, O_CLOEXEC) + ::pipe2(told, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, asked[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, told[1], kTold);
    EXPECT_EQ(::posix_spawn(&pid_, program.c_str(), &actions, nullptr, const_cast<char**>(words),
                            environ),
              0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(asked[0]);
    ::close(told[1]);
    asked_ = asked[1];
    reader_ = std::thread([this, from = told[0]] { read(from); });
  }
  // Asks it to end, if it has not.
  ~Leader() {
    ::close(asked_);
    reader_.join();
    ::waitpid(pid_, &status_, 0);
    EXPECT_TRUE(was_killed() || (WIFEXITED(status_) && WEXITSTATUS(status_) == 0)) << status_;
  }
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  // Nobody is asked that is dead.
  void ask(const std::string& word) const {
    const std::string line = word + "\n";
    const bool is_heard = ::write(asked_, line.data(), line.size()) > 0;
    EXPECT_TRUE(is_heard || errno == EPIPE) << errno;
  }
  bool is_dead() const { return is_over_; }
  std::uint64_t writes() const { return writes_; }

 private:
  bool was_killed() const { return WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL; }

  void read(int from) {
    std::string bytes;
    char some[65'536];
    for (ssize_t got = 0; (got = ::read(from, some, sizeof some)) > 0;) {
      bytes.append(some, static_cast<std::size_t>(got));
      for (auto record = journal::read_record(bytes); record;
           record = journal::read_record(bytes)) {
        ++writes_;
        witness_.committed(record->first_revision, record->events);
        bytes.erase(0, record->bytes);
      }
    }
    ::close(from);
    is_over_ = true;
  }

  Witness& witness_;
  pid_t pid_ = -1;
  int asked_ = -1;
  int status_ = 0;
  std::atomic<std::uint64_t> writes_ = 0;  // that it has told of, with those that it has read
  std::atomic<bool> is_over_ = false;
  std::thread reader_;
};

constexpr auto kPatience = std::chrono::seconds(30);

// A cluster whose leaders come and go, and whose nodes stay.
class Trial {
 public:
  Trial() : port_(free_port()), clock_(wall_, kSpeed, kSpeed * wall_.now()) {
    const sim::SimInput input = fleet();
    sim::SimAgentsInput simulated;
    simulated.nodes = input.nodes;
    simulated.models = input.models;
    simulated.hub.server = "127.0.0.1:" + std::to_string(port_);
    simulated.hub.backoff_first_ms = 5;
    simulated.hub.backoff_most_ms = 50;
    simulated.token = kAgentsToken;
    simulated.instance = "i";
    simulated.executor = input.settings.executor;
    agents_.emplace(std::move(simulated), clock_);
  }

  // Takes over with a leader that dies at this write of it; 0: never.
  void lead(std::uint64_t dies_at, Death how) {
    leader_.reset();
    leader_.emplace(folder_.file("journal"), port_, dies_at, how, witness);
  }
  Leader& leader() { return *leader_; }

  // The load: a bystander that must run on, and a guest that is in the way.
  void prepare() {
    ASSERT_TRUE(waits([](Witness& w) { return w.state().nodes().size() == 3; }));
    for (const char* job : {kBystander, kGuest}) {
      leader_->ask(job);
      ASSERT_TRUE(waits([job](Witness& w) { return w.started(job) == 1; })) << job;
    }
  }
  // The owner's gang and another layout, until both are done or the leader has died. What was asked
  // before is asked again, as a client does that was not answered.
  bool ask() {
    leader_->ask(kAsk);
    return waits([this](Witness& w) {
      return leader_->is_dead() || (w.ended("gang") == 1 && w.layout_is_done());
    });
  }
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
  template <typename Condition>
  bool waits(const Condition& condition) {
    return witness.waits_for(condition, kPatience);
  }

  TemporaryFolder folder_;
  cli::WallClock wall_;
  int port_;
  sim::ScaledClock clock_;
  std::optional<sim::SimAgents> agents_;
  std::optional<Leader> leader_;
};

void check(Trial& trial, const std::string& where) {
  const std::lock_guard lock(trial.witness.mutex());
  const Witness& seen = trial.witness;
  EXPECT_TRUE(seen.broken().empty()) << where << ": " << *seen.broken().begin();
  EXPECT_EQ(seen.ended("gang"), 1) << where;
  EXPECT_TRUE(seen.layout_is_done()) << where;
  EXPECT_EQ(seen.started(kBystander), 1) << where << ": it was interrupted";
  const engine::JobRecord* bystander = seen.state().find_job(kBystander);
  ASSERT_NE(bystander, nullptr) << where;
  EXPECT_EQ(bystander->phase, JobPhase::kRunning) << where;
  EXPECT_EQ(seen.state().find_lease(bystander->leases[0])->epoch, 1U) << where;
}

// How many writes the load takes of a leader that does not die.
std::uint64_t writes_of_a_whole_life() {
  Trial trial;
  trial.lead(0, Death::kBeforeTheWrite);
  trial.prepare();
  const std::uint64_t before = trial.leader().writes();
  EXPECT_TRUE(trial.ask()) << trial.told();
  check(trial, "nobody dies");
  return trial.leader().writes() - before;
}

// Whether the leader has died there.
bool dies_at(Death how, std::uint64_t at) {
  const std::string where = std::string(how == Death::kBeforeTheWrite ? "before" : "after") +
                            " write " + std::to_string(at);
  Trial trial;
  trial.lead(0, how);
  trial.prepare();
  trial.lead(at + 1, how);  // the first write begins its term
  EXPECT_TRUE(trial.ask()) << where << trial.told();
  const bool is_dead = trial.leader().is_dead();
  if (is_dead) {
    trial.lead(0, how);
    EXPECT_TRUE(trial.ask()) << where << ", and the next leader" << trial.told();
  }
  check(trial, where);
  return is_dead;
}

TEST(KillPoints, AtEveryWriteOfAReclaimAGangAndALayout) {
  ::signal(SIGPIPE, SIG_IGN);
  const std::uint64_t writes = writes_of_a_whole_life();
  ASSERT_GE(writes, 8U);
  std::atomic<std::uint64_t> next = 0;
  std::atomic<int> deaths = 0;
  constexpr int kAtOnce = 4;  // they mostly wait
  std::vector<std::jthread> threads;
  for (int i = 0; i < kAtOnce; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t point = next++; point < 2 * writes; point = next++) {
        const Death how = point < writes ? Death::kBeforeTheWrite : Death::kAfterTheWrite;
        deaths += dies_at(how, point % writes + 1) ? 1 : 0;
      }
    });
  }
  threads.clear();
  std::printf("%d leaders killed at %d points\n", deaths.load(), static_cast<int>(2 * writes));
  EXPECT_GT(deaths, static_cast<int>(writes));
}

}  // namespace
}  // namespace berth::failover
