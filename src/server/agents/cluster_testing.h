// A control plane and the agents of its nodes without threads, sockets and the machine's clock:
// leaders over one journal, each with a controller and a gateway; lease books with a runner; and
// sessions on which a message passes when a test says so. Tests only.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/lease_book.h"
#include "base/rng.h"
#include "control/controller.h"
#include "control/testing.h"
#include "journal/memory_journal.h"
#include "model/testing.h"
#include "server/agents/gateway.h"

namespace berth::server::testing {

// When a leader dies at a write of its journal.
enum class Death : std::uint8_t { kNever, kBeforeTheWrite, kAfterTheWrite };

// The journal of all leaders. Who writes in a term that is over is refused, as by etcd's compare.
struct SharedJournal {
  journal::MemoryJournal memory;
  std::uint64_t term = 0;
};

class FencedJournal final : public control::Journal {
 public:
  FencedJournal(SharedJournal& shared, std::uint64_t term) : shared_(shared), term_(term) {}

  // At this write of it, counted from 1.
  void die(std::uint64_t at, Death how) {
    at_ = at;
    how_ = how;
  }
  bool is_dead() const { return is_dead_; }
  std::uint64_t writes() const { return writes_; }

  Status append(std::uint64_t first_revision, std::span<const EventBatch> batches) override;
  Status replay(std::uint64_t after,
                const std::function<Status(const EventBatch&)>& visit) const override {
    return shared_.memory.replay(after, visit);
  }

 private:
  SharedJournal& shared_;
  std::uint64_t term_;
  std::uint64_t at_ = 0;
  Death how_ = Death::kNever;
  std::uint64_t writes_ = 0;
  bool is_dead_ = false;
};

// Follows what was committed over all leaders, as a replica does.
class Follower final : public control::Subscriber {
 public:
  void begin(const engine::ClusterState& state) override;
  void committed(std::uint64_t first_revision, std::vector<EventBatch> batches) override;

  // Where the journal says that a grant is.
  struct Place {
    std::string node;
    CardGrants cards;
    friend bool operator==(const Place&, const Place&) = default;
  };
  const engine::ClusterState& state() const { return state_; }
  const std::vector<Event>& events() const { return events_; }
  const std::map<agent::LeaseKey, Place>& places() const { return places_; }
  // "G2: waits again (lost)", of each event that people are told.
  const std::vector<std::string>& told() const { return told_; }
  // What must never be; empty: it was not.
  const std::set<std::string>& broken() const { return broken_; }
  std::size_t count(const std::string& event) const;

 private:
  void note(const Event& event);

  engine::ClusterState state_;
  std::vector<Event> events_;
  std::map<agent::LeaseKey, Place> places_;
  std::vector<std::string> told_;
  std::set<std::string> broken_;
};

// One process that leads, or thinks that it does. What reaches it waits until it works.
class Leader {
 public:
  // Begins the next term over what the journal has.
  Leader(SharedJournal& shared, control::testing::ManualClock& state_clock,
         control::testing::ManualClock& wall, Follower& follower);

  std::uint64_t term() const { return term_; }
  AgentGateway& gateway() { return gateway_; }
  const engine::ClusterState& state() const { return controller_.state(); }
  FencedJournal& journal() { return journal_; }
  bool is_dead() const { return journal_.is_dead(); }
  const std::vector<std::string>& lines() const { return lines_; }
  std::uint64_t cycles() const { return cycles_; }

  Result<control::Reply> execute(CommandBody body) {
    return controller_.execute({std::move(body), {}, "test"});
  }
  // Does the oldest of what waits; false: nothing does.
  bool work();
  // A cycle; whether it has committed anything.
  bool cycle();
  Status tick() { return controller_.tick(); }

 private:
  GatewayPorts ports(control::testing::ManualClock& state_clock,
                     control::testing::ManualClock& wall);

  std::uint64_t term_;
  FencedJournal journal_;
  control::testing::CountingMetrics metrics_;
  control::testing::NoLearner learner_;
  std::vector<std::string> lines_;
  std::deque<std::function<void()>> waiting_;
  AgentGateway gateway_;
  control::Controller controller_;
  std::uint64_t cycles_ = 0;
};

// What an agent's runner was told, and what became of it: each grant is prepared once, started once
// and only when it is prepared, and no card has two owners.
class Runner {
 public:
  struct Task {
    enum class State : std::uint8_t { kPreparing, kPrepared, kRunning, kGoing };
    State state = State::kPreparing;
    agent::Grant grant;
  };

  Runner(const NodeSpec& node, const Follower& follower) : node_(node), follower_(follower) {}

  void follow(const agent::Outcome& outcome, const agent::LeaseBook& book);
  const std::map<agent::LeaseKey, Task>& tasks() const { return tasks_; }
  // What it has observed goes on to the book.
  agent::Outcome prepared(agent::LeaseKey key, agent::LeaseBook& book);
  agent::Outcome failed(agent::LeaseKey key, agent::LeaseBook& book);
  agent::Outcome ended(agent::LeaseKey key, EndReason reason, agent::LeaseBook& book);
  agent::Outcome released(agent::LeaseKey key, agent::LeaseBook& book);
  // Everything is gone with the node.
  void lose();

  std::size_t prepares() const { return prepared_.size(); }
  std::size_t starts() const { return started_.size(); }
  // Grants that it was told to end.
  const std::set<agent::LeaseKey>& stops() const { return stopped_; }
  const std::vector<std::string>& broken() const { return broken_; }
  // Of jobs of one task: those that have ended well.
  const std::set<JobId>& done() const { return done_; }

 private:
  void take(const agent::TaskAction& action, const agent::LeaseBook& book);
  void mount(const agent::Grant& grant);
  void expect(bool holds, const std::string& what, agent::LeaseKey key);

  const NodeSpec& node_;
  const Follower& follower_;
  std::map<agent::LeaseKey, Task> tasks_;
  std::set<agent::LeaseKey> prepared_;
  std::set<agent::LeaseKey> started_;
  std::set<agent::LeaseKey> stopped_;
  std::set<JobId> done_;
  std::vector<std::string> broken_;
};

// The agent of a node. At most one session of it stands, but what it has said on earlier ones may
// still arrive.
class Agent {
 public:
  Agent(NodeSpec node, const Follower& follower)
      : node_(std::move(node)), runner_(node_, follower) {
    book_.set_node(node_.name, node_.cards.size());
  }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  const std::string& name() const { return node_.name; }
  const agent::LeaseBook& book() const { return book_; }
  const Runner& runner() const { return runner_; }
  bool is_connected_to(const std::shared_ptr<Leader>& leader) const;
  std::uint64_t refused() const { return refused_; }  // sessions and orders

  void connect(const std::shared_ptr<Leader>& leader);
  // The other end does not notice: reports that are on their way arrive there nevertheless.
  void disconnect();
  // The next message of its session arrives here, or a report of it there; false: there is none.
  bool hear();
  bool say();
  // A report of an earlier session arrives.
  bool say_late(Rng& rng);
  // Something that the runner has under way happens, the first or one that is drawn. Tasks that run
  // end only where one is drawn.
  bool happen();
  bool happen(Rng& rng);
  void end(agent::LeaseKey key, EndReason reason);
  // The agent alone, its tasks run on; or the node, with all that is on it and its disk.
  void restart();
  void lose_disk();
  // Every process that it was connected to is dead.
  void hang_up();

 private:
  struct Session;
  void follow(agent::Outcome outcome);
  bool advance(agent::LeaseKey key, Rng* rng);

  NodeSpec node_;
  agent::LeaseBook book_;
  Runner runner_;
  std::shared_ptr<Session> session_;
  std::vector<std::shared_ptr<Session>> former_;
  std::uint64_t instance_ = 1;
  std::uint64_t refused_ = 0;
};

// All of it.
struct Cluster {
  explicit Cluster(std::vector<NodeSpec> nodes);

  // Another process leads from now on. The one before is dead, and its connections with it; or it
  // goes on for as long as somebody has it, and nobody has told the agents.
  void take_over();
  void take_over_unnoticed();
  // One thing happens, the first that can: the same every time. False: nothing is left to do.
  bool step();
  void settle() {
    while (step()) {
    }
  }
  std::vector<std::string> broken() const;

  SharedJournal shared;
  control::testing::ManualClock clock;
  control::testing::ManualClock wall;
  Follower follower;
  std::vector<std::unique_ptr<Agent>> agents;
  std::shared_ptr<Leader> leader;
};

// What tests do with one; each must be done.
std::vector<NodeSpec> nodes(int count, std::size_t cards);  // n1, n2, ...
void run(Cluster& cluster, CommandBody body);
void declare(Cluster& cluster, Mib memory_mib = 40'000,
             QueueSpec queue = berth::testing::queue("q"));
void submit(Cluster& cluster, const std::string& name, JobSpec spec);
JobPhase phase_of(const Cluster& cluster, const std::string& job);
std::vector<LeaseId> leases_of(const Cluster& cluster, const std::string& job);

}  // namespace berth::server::testing
