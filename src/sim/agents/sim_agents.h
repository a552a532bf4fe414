// SimAgents: all nodes of a fleet in one process, each with its own session and its own lease book,
// over the simulator's physics. To a server they are agents like any others.
//
// One thread lets simulated time follow its clock; the sessions' threads bring orders. All of it is
// under one lock.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "agent/session.h"
#include "base/error.h"
#include "model/fleet.h"
#include "model/gpu_model.h"
#include "sim/agents/scaled_clock.h"
#include "sim/agents/task_physics.h"
#include "sim/settings.h"

namespace berth::sim {

struct SimAgentsInput {
  std::vector<NodeSpec> nodes;
  std::vector<GpuModel> models;  // of the nodes' cards: what suspending costs
  agent::HubOptions hub;
  std::string token;
  // Another one for each process that plays these nodes: their reports are numbered anew in it.
  std::string instance;
  ExecutorSpec executor;
  std::uint64_t seed = 1;
  DurationMs default_run_ms = kHourMs;  // of jobs that declare no run time
  // Called with each order as it comes, on threads of the sessions, for measurements; may be empty.
  std::function<void(const agent::Order&)> on_order;
};

struct SimAgentsCounts {
  std::size_t sessions = 0;        // that stand
  std::size_t tasks = 0;           // on all nodes
  std::uint64_t welcomes = 0;      // of all sessions so far
  std::uint64_t breaks = 0;        // of connections, also of those that never stood
  std::uint64_t starts = 0;        // of tasks
  std::uint64_t refused = 0;       // orders
  std::size_t unacknowledged = 0;  // reports
};

class SimAgents {
 public:
  // Connects all nodes at once. `clock` must outlive it.
  SimAgents(SimAgentsInput input, const ScaledClock& clock);
  // Closes all sessions.
  ~SimAgents();
  SimAgents(const SimAgents&) = delete;
  SimAgents& operator=(const SimAgents&) = delete;

  // The node loses its power: its tasks are gone, and its agent says nothing.
  Status fail(const std::string& node);
  // Its network is cut: its tasks run on, and its agent hears nothing.
  Status cut(const std::string& node);
  // It is there again, with what its agent had on disk.
  Status bring_back(const std::string& node);
  // What its agent presents from its next session on.
  Status set_token(const std::string& node, std::string token);
  // Its session breaks; it connects again at once.
  Status drop(const std::string& node);

  SimAgentsCounts counts() const;
  // What the node holds, for tests.
  std::vector<agent::HeldLease> held(const std::string& node) const;

 private:
  class Node;
  friend class Node;

  void run();
  // The next four are called under the lock.
  void catch_up();
  void observe(const Observations& seen);
  void perform(Node& node, agent::Outcome outcome);
  void follow_due(Node& node);
  Result<Node*> find(const std::string& name) const;

  SimAgentsInput input_;
  const ScaledClock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  TaskPhysics physics_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::set<std::pair<TimeMs, std::size_t>> due_;  // when a node's book wants to be looked at
  std::uint64_t welcomes_ = 0;
  std::uint64_t breaks_ = 0;
  std::uint64_t starts_ = 0;
  std::uint64_t refused_ = 0;
  bool is_over_ = false;
  std::unique_ptr<agent::SessionHub> hub_;
  std::thread thread_;
};

}  // namespace berth::sim
