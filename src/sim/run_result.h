// RunResult: what one simulation run measured. The simulator fills it, the reports read it.
//
// Owns: plain numbers with their units. It must never hold behaviour, ids of the engine or anything
// that depends on the machine except `wall_s`, which no stable output repeats. Floating point is
// allowed: nothing here is fed back into a decision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/words.h"

namespace berth::sim {

// Why free capacity cannot serve a draw of the demand. One card's share is counted under one cause.
enum class Cause : std::uint8_t { kCard, kMig, kNode, kMode, kTopology, kHealth };
inline constexpr std::size_t kCauseCount = 6;

// What a lease was spent on, beside work that had to be done again.
enum class Spending : std::uint8_t {
  kUseful,           // work that counts in the end
  kPrepare,          // from the grant to the start barrier
  kStartUp,          // of a job's first start
  kCheckpoint,       // writing one on its own
  kCheckpointAsked,  // writing one because it was asked to give way
  kSuspend,          // device memory out to the host and back
  kRestart,          // start-up and restart after an interruption
  kDraining,         // from a revocation to the release, without work
  kStalled           // waiting for a lost member, or on a node or card that is lost
};
inline constexpr std::size_t kSpendingCount = 9;

// Why work since the last checkpoint had to be done again.
enum class Interruption : std::uint8_t {
  kEviction,
  kNodeFailure,
  kCardFailure,
  kSpotInterruption,
  kCrash  // of the job itself
};
inline constexpr std::size_t kInterruptionCount = 5;
inline constexpr std::size_t kGradeCount = words_of<ReclaimGrade>().size();

// GPU-hours that were leased, by what they were spent on.
struct WorkHours {
  std::array<double, kSpendingCount> spent{};           // by Spending
  std::array<double, kInterruptionCount> recomputed{};  // by Interruption

  double useful() const { return spent[0]; }
  double recomputed_sum() const {
    return std::accumulate(recomputed.begin(), recomputed.end(), 0.0);
  }
  // What neither counts nor was needed to start for the first time.
  double lost() const {
    return std::accumulate(spent.begin() + static_cast<int>(Spending::kCheckpoint), spent.end(),
                           recomputed_sum());
  }
};

struct TeamWork {
  std::string name;
  WorkHours work;
};

// A job that was interrupted or evicted.
struct JobWork {
  std::string name;
  std::int64_t interruptions = 0;
  std::int64_t evictions = 0;
  WorkHours work;
};

// What was lost, and who was stopped, since the step before.
struct LossStep {
  TimeMs at_ms = 0;
  WorkHours lost;                                                // what is useful is left out
  std::array<std::int64_t, kInterruptionCount> interruptions{};  // of jobs
  std::array<std::int64_t, kGradeCount> evictions{};             // of jobs
};

// What one job gives for a receipt.
struct VictimNote {
  std::string job;
  ReclaimGrade grade = ReclaimGrade::kKill;
  double cards = 0;
  DurationMs lost_ms = 0;  // of each card
  double price = 0;
};

// A receipt of a reclaim, as its numbers stood when it was made.
struct ReceiptNote {
  TimeMs at_ms = 0;
  std::string job;
  ReclaimRight right = ReclaimRight::kGuarantee;
  ReceiptOutcome outcome = ReceiptOutcome::kOpen;
  double cards = 0;
  double price = 0;
  double gain = 0;                  // 0: not asked
  std::vector<VictimNote> victims;  // the dearest first
};

// A card that somebody has; what nobody has is not named.
struct OwnedCard {
  std::string node;
  std::uint16_t card = 0;
  std::string owner;
};
// A node of a map of cards.
struct MapNode {
  std::string name;
  std::uint16_t cards = 0;
};

// A consolidation, as it was planned when its receipt was made: the nodes that it concerns, before
// and after.
struct ConsolidationNote {
  TimeMs at_ms = 0;
  std::string job;        // for which room was made
  std::int64_t jobs = 0;  // that were moved
  double moved_cards = 0;
  double price = 0;
  double gain = 0;
  std::vector<MapNode> nodes;  // by name
  std::vector<OwnedCard> before;
  std::vector<OwnedCard> after;
};

// An instance of a MIG layout: memory slots of its card.
struct LayoutPiece {
  std::string profile;
  std::uint32_t start = 0;
  std::uint32_t slots = 1;
};
// Cards of the static MIG regime that have one layout.
struct LayoutUse {
  std::string model;
  std::uint32_t slots = 0;  // of a card
  std::vector<LayoutPiece> pieces;
  std::int64_t cards_before = 0;  // at the beginning of the run
  std::int64_t cards_after = 0;   // at its end
  std::int64_t used_after = 0;    // instances in use then
};
// A change of a layout that has ended.
struct LayoutChangeNote {
  TimeMs at_ms = 0;
  DurationMs took_ms = 0;
  std::string node;
  std::uint16_t card = 0;
  std::string before;  // "1g.10gb@[0-6]"
  std::string after;   // as it was to be
  RegeometryStage outcome = RegeometryStage::kVerified;
  std::string cause;  // why it did not go as planned; may be empty
};

struct FleetModel {
  std::string model;
  std::int64_t nodes = 0;
  std::int64_t cards = 0;
};

struct FleetSummary {
  std::int64_t nodes = 0;  // with and without cards
  std::int64_t cards = 0;
  std::vector<FleetModel> models;  // in the order of Sample::allocated_cards
};

// `submitted` = the sum of the others.
struct JobCounts {
  std::int64_t submitted = 0;
  std::int64_t refused = 0;   // at the door: could never run
  std::int64_t finished = 0;  // ended, well or not
  std::int64_t running = 0;   // at the end of the run, being prepared included
  std::int64_t waiting = 0;   // at the end of the run
};

// From submission to the first start. Jobs that still wait at the end count with the time they have
// waited so far, so that a policy cannot look better by never starting a job. Refused jobs don't
// count. A quantile is the least wait that at least that part of the jobs did not exceed.
struct WaitStats {
  std::int64_t jobs = 0;
  double mean_ms = 0;
  DurationMs p50_ms = 0;
  DurationMs p90_ms = 0;
  DurationMs p99_ms = 0;
  DurationMs max_ms = 0;
};

// `jobs` waited at most `wait_ms`. Both rise from point to point.
struct WaitPoint {
  DurationMs wait_ms = 0;
  std::int64_t jobs = 0;
};

// Jobs of one class, team or size.
struct JobGroup {
  std::string name;
  JobCounts jobs;
  WaitStats wait;
  double gpu_hours = 0;  // whole cards x hours that were leased during the run
};

struct ModelUse {
  std::string model;
  double used_gpu_hours = 0;
  double capacity_gpu_hours = 0;  // cards x virtual duration
};

// The fleet at one instant. Amounts of cards count shares of cards too: two halves are 1.0.
struct Sample {
  TimeMs at_ms = 0;                     // since the start of the run
  std::vector<double> allocated_cards;  // one per FleetSummary::models
  double waiting_cards = 0;             // asked for by the pending jobs
  std::int64_t running_jobs = 0;
  std::int64_t pending_jobs = 0;
  std::array<double, kCauseCount> unschedulable_cards{};  // free but of no use, by Cause
  std::vector<double> queue_cards = {};                   // held; one per RunResult::queues
  std::vector<double> queue_fair_cards = {};              // what each is entitled to
  double kept_cards = 0;                                  // free on nodes that are kept for a job
  std::int64_t deferring_jobs = 0;  // could start, wait for a place in fewer domains
};

// A queue at the top of the tree. Cards count alike, whatever their model.
struct QueueShare {
  std::string name;
  double guarantee_cards = 0;
  double fair_cards = 0;  // mean over the samples: by guarantees, weights and demand
  double held_cards = 0;  // mean over the samples
};

// Jobs that started on more than one node.
struct GangSpread {
  std::string name;  // "2-3 nodes"
  std::int64_t gangs = 0;
  std::int64_t in_one = 0;  // that lie in one lowest domain, such as a leaf
  double domains = 0;       // mean
  double least = 0;         // mean of the fewest that the fleet allows
};

struct CardUse {
  CardMode mode = CardMode::kEmpty;
  CardHealth health = CardHealth::kHealthy;
  double allocated_share = 0;  // 0 to 1, the larger of compute and memory
  std::uint32_t tasks = 0;
};

struct NodeUse {
  std::string name;
  std::string model;
  NodeCondition condition = NodeCondition::kReady;
  double cpu_share = 0;  // allocated, 0 to 1
  double memory_share = 0;
  std::vector<CardUse> cards;  // by index in the node
};

struct RunResult {
  std::string name;  // of the workload
  std::string policy;
  std::uint64_t seed = 0;
  FleetSummary fleet;
  DurationMs duration_ms = 0;  // virtual
  double wall_s = 0;           // differs between runs
  std::uint64_t events_applied = 0;
  std::uint64_t state_hash = 0;

  double start_up_gpu_hours = 0;  // of the leased ones: of first starts
  WorkHours work;                 // its sum is what was leased
  std::array<std::int64_t, kInterruptionCount> interruptions{};  // of jobs, by Interruption
  std::array<std::int64_t, kGradeCount> evictions{};             // of jobs, by ReclaimGrade
  std::vector<TeamWork> team_work;                               // by name
  std::int64_t layouts_changed = 0;              // MIG layouts of cards that were given another one
  std::int64_t layouts_rolled_back = 0;          // that were to be, and kept the one before
  std::vector<LayoutUse> layouts;                // by model, of most cards at the end first
  std::vector<LayoutChangeNote> layout_changes;  // the last, rising in time
  std::vector<JobWork> hit_jobs;                 // interrupted or evicted, some that lost most

  std::vector<LossStep> losses;  // steps of the samples in which something was lost, rising
  std::int64_t receipts = 0;     // that were made
  std::vector<ReceiptNote> dearest_receipts;  // of them, some with the highest prices, these first
  std::vector<ConsolidationNote>
      consolidations;  // of them, a few that made most room, rising in time

  JobCounts jobs;
  std::string first_refusal;          // why, of the first job refused at the door; empty: none was
  std::vector<std::string> warnings;  // of the end of the run
  WaitStats wait;
  std::vector<WaitPoint> wait_cdf;  // at most some hundred points; the last one holds all jobs
  std::vector<JobGroup> classes;    // in the order of JobClass
  std::vector<JobGroup> teams;      // by name
  std::vector<JobGroup> sizes;      // smallest first: "share", "1 card", "2-7 cards", ...
  std::vector<ModelUse> models;     // in the order of FleetSummary::models
  std::vector<QueueShare> queues;   // at most some dozen; empty: a single queue, or too many
  std::vector<GangSpread> gangs;    // by number of nodes; empty: none, or a fleet without domains

  // At 0, step_ms, 2 step_ms, ... in virtual time.
  DurationMs step_ms = 0;
  std::vector<Sample> samples;

  std::vector<NodeUse> nodes;  // at the end of the run, in the fleet's order
};

}  // namespace berth::sim

namespace berth {

BERTH_WORDS(sim::Cause, "card", "mig", "node", "mode", "topology", "health");
static_assert(words_of<sim::Cause>().size() == sim::kCauseCount);
BERTH_WORDS(sim::Spending, "useful", "prepare", "start-up", "checkpoint", "checkpoint-asked",
            "suspend", "restart", "draining", "stalled");
static_assert(words_of<sim::Spending>().size() == sim::kSpendingCount);
BERTH_WORDS(sim::Interruption, "eviction", "node-failure", "card-failure", "spot-interruption",
            "crash");
static_assert(words_of<sim::Interruption>().size() == sim::kInterruptionCount);

}  // namespace berth
