// Ports of the controller: what a shell must provide. The simulator, one box and the replicated
// servers differ in these objects and in nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "engine/state/cluster_state.h"
#include "model/event.h"
#include "model/fleet.h"
#include "model/policy.h"
#include "model/words.h"

namespace berth::control {

// Durable, ordered, append-only.
class Journal {
 public:
  virtual ~Journal() = default;
  // All of the batches or none, durable when it returns. `first_revision` is the revision that the
  // state has before the first; a journal refuses any other than the one that follows its last
  // record. After an error nothing of them may be acted on.
  virtual Status append(std::uint64_t first_revision, std::span<const EventBatch> batches) = 0;
  // Hands every batch to `visit`, oldest first, from the one that begins at revision `after`: 0, or
  // that of a snapshot. Stops at the first error of either side.
  virtual Status replay(std::uint64_t after,
                        const std::function<Status(const EventBatch&)>& visit) const = 0;
};

// What a state was at a revision, as bytes; a journal goes on from there.
struct Snapshot {
  std::uint64_t revision = 0;
  std::string bytes;
  TimeMs at = 0;  // the state's time; 0: not known
};

// So many, so that one that cannot be read is not the end.
inline constexpr std::uint64_t kSnapshotsKept = 2;

// Snapshots beside a journal. A journal without them is read from its beginning.
class Snapshots {
 public:
  virtual ~Snapshots() = default;
  // Durable when it returns. Of a revision that the journal has.
  virtual Status save(const Snapshot& snapshot) = 0;
  // None: there is none. Damaged bytes are refused, and not passed over: older ones may do, if an
  // operator says so.
  virtual Result<std::optional<Snapshot>> newest() const = 0;
  // Forgets records and snapshots that the last kSnapshotsKept snapshots make needless.
  virtual Status compact() = 0;
};

// How far a feed has come: all up to `revision` was handed over, and at `as_of` the journal had
// nothing beyond it.
struct FeedMark {
  std::uint64_t revision = 0;
  std::chrono::steady_clock::time_point as_of;
};

// The journal as a process sees it that follows the one that writes.
class JournalFeed {
 public:
  virtual ~JournalFeed() = default;
  // Hands every batch to `visit`, as Journal::replay does, and then each one that is appended,
  // until `stop` or the first error of `visit`. `caught_up` is called when it has read to the end,
  // and again and again while it stays there. While the journal cannot be reached it tries on, and
  // nothing is called. kNotFound: what follows `after` is compacted; go on from the newest
  // snapshot. kCorrupt: it is lost or damaged. kConflict: the journal ends before `after`.
  virtual Status follow(std::uint64_t after, const std::function<Status(const EventBatch&)>& visit,
                        const std::function<void(const FeedMark&)>& caught_up,
                        const std::stop_token& stop) const = 0;
  // As Snapshots::newest.
  virtual Result<std::optional<Snapshot>> newest() const = 0;
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

// A wait that is over, from the log and the clock by which was decided.
struct JobWait {
  enum class For : std::uint8_t {
    kStart,    // since the job was submitted, until it first ran
    kRestart,  // since it was stopped, until it ran again
    kRepair    // since a task of it was lost, until it had another; it went on meanwhile
  };
  For what = For::kStart;
  JobClass job_class = JobClass::kTraining;
  DurationMs ms = 0;
};

// Counters by stable name, and waits; a shell decides what to do with them.
class Metrics {
 public:
  virtual ~Metrics() = default;
  virtual void count(std::string_view name, std::uint64_t by) = 0;
  virtual void waited(const JobWait& /*wait*/) {}
};

// For a shell that reads no counters.
class NoMetrics final : public Metrics {
 public:
  void count(std::string_view /*name*/, std::uint64_t /*by*/) override {}
};

// Hears of everything that was committed, in order: what reads are answered from, what watches see.
// Called by the controller's caller; must return at once.
class Subscriber {
 public:
  virtual ~Subscriber() = default;
  // The state before anything that follows, when the controller recovers from a snapshot. One that
  // has come further already keeps what it has.
  virtual void begin(const engine::ClusterState& state) = 0;
  // Batches that begin at this revision; the journal has them.
  virtual void committed(std::uint64_t first_revision, std::vector<EventBatch> batches) = 0;
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
