// Recorder: turns what happens in a run into a RunResult. It sees the simulation and never steers
// it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/lookup_map.h"
#include "engine/state/cluster_state.h"
#include "model/lease.h"
#include "sim/consolidation_log.h"
#include "sim/gang_spreads.h"
#include "sim/layout_log.h"
#include "sim/loss_log.h"
#include "sim/queue_shares.h"
#include "sim/run_result.h"
#include "sim/virtual_clock.h"

namespace berth::sim {

class Recorder {
 public:
  explicit Recorder(const VirtualClock& clock) : clock_(clock) {}

  // Reads fleet and queues, which must be complete.
  void begin(const engine::ClusterState& state);

  // Number of the job's queue among `teams`.
  std::uint32_t submitted(JobId job, const JobSpec& spec);
  // The job was refused at the door after all.
  void withdraw(JobId job, const JobSpec& spec);
  void started(JobId job);  // of several starts the first counts
  // The lease holds its cards from now on, or does not any more.
  void holds(const Lease& lease);
  void holds_no_more(LeaseId lease);

  // `state`: from which the receipt takes. What a job that is moved is told is part of another.
  void issued(const Reclaim& receipt, const engine::ClusterState& state) {
    if (!receipt.part_of.is_none()) return;
    losses_.issued(receipt, clock_.now());
    consolidations_.issued(receipt, state, clock_.now());
  }
  void advanced(const RegeometryAdvanced& event, const engine::ClusterState& state) {
    layouts_.advanced(event, state, clock_.now());
  }
  void ended(ReceiptId receipt, ReceiptOutcome outcome) { losses_.ended(receipt, outcome); }

  // `book`: what leases were spent on so far.
  void sample(const engine::ClusterState& state, const WorkBook& book);
  // What was lost after the last sample; once, at the end.
  void finish(const WorkBook& book) { losses_.step(clock_.now(), book); }

  const std::vector<std::string>& teams() const { return teams_; }

  // All but names, seed, wall time, hash and work of the run.
  RunResult result(const engine::ClusterState& state, DurationMs step_ms) const;

 private:
  // What a job is counted under.
  struct Keys {
    std::uint32_t team = 0;
    std::uint8_t job_class = 0;
    std::uint8_t size = 0;
  };
  struct Track {
    TimeMs submitted_at = kNever;  // kNever: no such job
    TimeMs started_at = kNever;
    Keys keys;
  };
  // Card milliseconds that were leased, by each key.
  struct Use {
    std::vector<double> classes;
    std::vector<double> sizes;
    std::vector<double> teams;
    std::vector<double> models;
  };
  // What a lease holds, and since when.
  struct Held {
    JobId job;
    double cards = 0;
    std::size_t model_row = 0;
    TimeMs since = 0;
  };
  enum class By : std::uint8_t { kClass, kSize, kTeam };

  Keys keys_of(const JobSpec& spec) const;
  static std::size_t key(const Keys& keys, By by);
  void add_use(const Held& held, Use& use) const;
  std::vector<JobGroup> groups(const engine::ClusterState& state, By by,
                               const std::vector<std::string>& names,
                               const std::vector<double>& card_ms) const;
  DurationMs wait_of(const Track& track) const;
  std::vector<DurationMs> waits() const;
  FleetSummary fleet_summary(const engine::ClusterState& state) const;

  const VirtualClock& clock_;
  const engine::ClusterState* state_ = nullptr;
  std::vector<std::size_t> model_rows_;  // by ModelIndex; rows of the models that have cards
  std::vector<ModelIndex> models_;       // by row
  std::vector<std::string> teams_;
  NameMap<std::uint32_t> team_rows_;
  std::vector<Track> tracks_;  // by job id
  std::vector<Keys> refused_;
  Use use_;
  LookupMap<LeaseId, Held> held_;  // with cards
  std::vector<Sample> samples_;
  std::optional<QueueShares> shares_;  // from begin on
  std::optional<GangSpreads> spreads_;
  LossLog losses_;
  ConsolidationLog consolidations_;
  LayoutLog layouts_;
};

// Names of the sizes of jobs, smallest first.
const std::vector<std::string>& size_names();

// How the nodes are used now, in the fleet's order.
std::vector<NodeUse> node_use(const engine::ClusterState& state);

// Quantiles and mean; sorts its copy.
WaitStats wait_stats(std::vector<DurationMs> waits);

}  // namespace berth::sim
