// Ports of the controller: what a shell must provide. The simulator, one box and the replicated
// servers differ in these objects and in nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "engine/state/cluster_state.h"
#include "model/event.h"
#include "model/fleet.h"
#include "model/policy.h"

namespace berth::control {

// Durable, ordered, append-only. A batch is appended whole or not at all.
class Journal {
 public:
  virtual ~Journal() = default;
  // Returns when the batch is durable. `first_revision` is the revision that the state has before
  // the batch; a journal refuses any other than the one that follows its last record.
  virtual Status append(std::uint64_t first_revision, const EventBatch& events) = 0;
  // Hands every batch to `visit`, oldest first. Stops at the first error of either side.
  virtual Status replay(const std::function<Status(const EventBatch&)>& visit) const = 0;
};

// What a node is to make of the layout of one card. It touches no instance that is there already
// and wanted, reads back what it has made, and answers with that and the number.
struct LayoutAsk {
  std::uint64_t number = 0;
  NodeIndex node;
  std::uint16_t card = 0;
  std::vector<MigInstanceSpec> wanted;
  std::vector<MigInstanceSpec> standing;  // what was read back last, or known before
};

// Carries out leases on nodes. Calls return at once; answers come later as Report commands. An
// executor never calls the controller from inside a call. A controller that recovers repeats the
// calls that may not have arrived: for the same lease and epoch, what is done stays done.
class Executor {
 public:
  virtual ~Executor() = default;
  // Gets the task ready up to the start barrier: devices, image, mounts.
  virtual void prepare(const Lease& lease, const JobSpec& spec) = 0;
  // Opens the barrier for a prepared task.
  virtual void start(const Lease& lease, const JobSpec& spec) = 0;
  // Carries a running task over to the place that the lease names now; its epoch stays. Where a
  // move takes no time and changes nothing else, there is nothing to do.
  virtual void move(const Lease& /*lease*/, const JobSpec& /*spec*/) {}
  // A suspended task goes on, on the cards that the lease names now; its epoch stays.
  virtual void resume(const Lease& /*lease*/, const JobSpec& /*spec*/) {}
  // Takes the lease back by `grade`, at the latest at its deadline.
  virtual void revoke(const Lease& lease, ReclaimGrade grade) = 0;
  // Makes the layout of a card; for the same number, what is done stays done.
  virtual void change_layout(const LayoutAsk& ask) = 0;
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimeMs now() const = 0;
};

// Counters by stable name; a shell decides what to do with them.
class Metrics {
 public:
  virtual ~Metrics() = default;
  virtual void count(std::string_view name, std::uint64_t by) = 0;
};

// For a shell that reads no counters.
class NoMetrics final : public Metrics {
 public:
  void count(std::string_view /*name*/, std::uint64_t /*by*/) override {}
};

// Works out, outside the engine, what is learned from what happens: in floating point what the
// demand mix means for placement, and how tenants fare against being alone.
class Learner {
 public:
  virtual ~Learner() = default;
  virtual FitPtr learn(const engine::ClusterState& state) = 0;
  // Each event, in order, once the state has applied it; those of the journal first.
  virtual void observe(const Event& /*event*/, const engine::ClusterState& /*state*/) {}
  // How tenants stand now, where the state should know; null: nothing new, or nobody asks.
  virtual StandingsPtr standings(const engine::ClusterState& /*state*/, TimeMs /*now*/) {
    return nullptr;
  }
};

}  // namespace berth::control
