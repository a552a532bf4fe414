// The closed sets of words of the model: each enum with the words users read and write for it, in
// the order of its values. Adding a value = one entry in both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace berth {

template <typename Enum>
struct EnumWords;  // specialised by BERTH_WORDS

template <typename Enum>
constexpr std::span<const std::string_view> words_of() {
  return EnumWords<Enum>::kWords;
}
template <typename Enum>
constexpr std::string_view word(Enum value) {
  return EnumWords<Enum>::kWords[static_cast<std::size_t>(value)];
}
template <typename Enum>
constexpr std::optional<Enum> from_word(std::string_view text) {
  for (std::size_t i = 0; i < EnumWords<Enum>::kWords.size(); ++i) {
    if (EnumWords<Enum>::kWords[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

#define BERTH_WORDS(Enum, ...)                                                     \
  template <>                                                                      \
  struct EnumWords<Enum> {                                                         \
    static constexpr auto kWords = std::to_array<std::string_view>({__VA_ARGS__}); \
  }

// Latency class: decides priority and preemption.
enum class JobClass : std::uint8_t { kInference, kInteractive, kTraining };
BERTH_WORDS(JobClass, "inference", "interactive", "training");

// How a task's device is cut.
enum class ShareKind : std::uint8_t { kWhole, kShare, kMig };
BERTH_WORDS(ShareKind, "whole", "share", "mig");

// Isolation between the tenants of one card, weakest first.
enum class Tier : std::uint8_t { kNone, kProcess, kHardware };
BERTH_WORDS(Tier, "none", "process", "hardware");

// How a card is used now. kEmpty can turn into any other; the others only through kEmpty.
enum class CardMode : std::uint8_t { kEmpty, kWhole, kTimeslice, kMps, kMig };
BERTH_WORDS(CardMode, "empty", "whole", "timeslice", "mps", "mig");

// How MIG geometry changes on a node. kOff: whole cards and software sharing only.
enum class MigRegime : std::uint8_t { kOff, kDynamic, kStatic };
BERTH_WORDS(MigRegime, "off", "dynamic", "static");

enum class Distinct : std::uint8_t { kDistinctCards, kSameCardAllowed };
BERTH_WORDS(Distinct, "distinct-cards", "same-card-allowed");

enum class ContainerRole : std::uint8_t { kApp, kInit, kSidecar };
BERTH_WORDS(ContainerRole, "app", "init", "sidecar");

enum class RuleUnit : std::uint8_t { kTask, kSegment, kRole, kJob };
BERTH_WORDS(RuleUnit, "task", "segment", "role", "job");

enum class RuleStrength : std::uint8_t { kRequired, kPreferred };
BERTH_WORDS(RuleStrength, "required", "preferred");

enum class PartitionKind : std::uint8_t { kServing, kShared, kBatch, kSpot };
BERTH_WORDS(PartitionKind, "serving", "shared", "batch", "spot");

enum class BudgetAction : std::uint8_t { kWarn, kStopBorrowing, kHoldNew };
BERTH_WORDS(BudgetAction, "warn", "stop-borrowing", "hold-new");

enum class CheckpointMethod : std::uint8_t { kNone, kSignal, kHttp, kDriver };
BERTH_WORDS(CheckpointMethod, "none", "signal", "http", "driver");

// kRemoved: gone for good; its name is free for another node.
enum class NodeCondition : std::uint8_t { kReady, kCordoned, kDraining, kLost, kRemoved };
BERTH_WORDS(NodeCondition, "ready", "cordoned", "draining", "lost", "removed");
// It cannot be reached, or never will be.
constexpr bool is_gone(NodeCondition condition) {
  return condition == NodeCondition::kLost || condition == NodeCondition::kRemoved;
}

enum class CardHealth : std::uint8_t { kHealthy, kSuspect, kFailed, kResetting, kRepartitioning };
BERTH_WORDS(CardHealth, "healthy", "suspect", "failed", "resetting", "repartitioning");

enum class JobPhase : std::uint8_t {
  kPending,
  kPreparing,  // granted; members are being prepared for the start barrier
  kRunning,
  kRepairing,  // a running gang that lost a member
  kReleasing,  // ended or revoked; devices not yet given back
  kSuspended   // off its cards with its memory kept on the host; goes on where it was
};
BERTH_WORDS(JobPhase, "pending", "preparing", "running", "repairing", "releasing", "suspended");

// kSuspended: it holds host memory of its node and no card.
enum class LeaseState : std::uint8_t {
  kPromised,
  kGranted,
  kPrepared,
  kRunning,
  kRevoking,
  kSuspended
};
BERTH_WORDS(LeaseState, "promised", "granted", "prepared", "running", "revoking", "suspended");

// kLost: by no fault of the job (a node, a card); kShrunk: the job goes on with fewer tasks;
// kDrained: its instance goes, because the layout of the card changes.
enum class EndReason : std::uint8_t {
  kSucceeded,
  kFailed,
  kCancelled,
  kReclaimed,
  kPrepareFailed,
  kLost,
  kShrunk,
  kDrained
};
BERTH_WORDS(EndReason, "succeeded", "failed", "cancelled", "reclaimed", "prepare-failed", "lost",
            "shrunk", "drained");

// Whether it is taken from a job that could have gone on, and will start again.
constexpr bool is_taken_back(EndReason reason) {
  return reason == EndReason::kReclaimed || reason == EndReason::kDrained;
}

// How a lease is taken back, gentlest first.
enum class ReclaimGrade : std::uint8_t {
  kIdle,
  kLentIdle,
  kPause,
  kSuspend,
  kShrink,
  kMove,
  kCheckpointEvict,
  kKill
};
BERTH_WORDS(ReclaimGrade, "idle", "lent-idle", "pause", "suspend", "shrink", "move",
            "checkpoint-evict", "kill");

// How late a lease is that is being taken back. kOverdue: its grace is over, it is killed and
// charged nothing any more; kStuck: it has survived that, and only its executor can tell that it is
// gone.
enum class Lateness : std::uint8_t { kInTime, kOverdue, kStuck };
BERTH_WORDS(Lateness, "in-time", "overdue", "stuck");

// By what right a job takes capacity back. kGuarantee: its queue is below what it is guaranteed,
// the other above; kShare: below its fair share, the other above; kRank: urgent class against a
// lower one that borrows, or higher priority inside one queue; kService: among borrowers, work that
// has had less service against work that has had more; kConsolidation: whoever finds no room though
// enough is free in all, against work that goes on elsewhere.
enum class ReclaimRight : std::uint8_t { kGuarantee, kShare, kRank, kService, kConsolidation };
BERTH_WORDS(ReclaimRight, "guarantee", "share", "rank", "service", "consolidation");

// Who is taken from first. kPrice: what loses least; kYoungest: what started last, whatever it
// loses.
enum class VictimOrder : std::uint8_t { kPrice, kYoungest };
BERTH_WORDS(VictimOrder, "price", "youngest");

// How a reclaim came out. kElsewhere: its job started in other room; kWithdrawn: the job no longer
// wants room; kExpired: the room did not come in time, or is not there any more.
enum class ReceiptOutcome : std::uint8_t { kOpen, kGranted, kElsewhere, kWithdrawn, kExpired };
BERTH_WORDS(ReceiptOutcome, "open", "granted", "elsewhere", "withdrawn", "expired");

// Where a change of a card's MIG layout stands; the last two end it. kRestoring: it did not come
// out as wanted, and the node makes the layout again that was there before.
enum class RegeometryStage : std::uint8_t {
  kPlanned,
  kDraining,
  kSwitching,
  kRestoring,
  kVerified,
  kRolledBack
};
BERTH_WORDS(RegeometryStage, "planned", "draining", "switching", "restoring", "verified",
            "rolled-back");

// Who works in instances that are to go: he ends by himself, or is asked to leave.
enum class DrainBy : std::uint8_t { kWaiting, kEvicting };
BERTH_WORDS(DrainBy, "waiting", "evicting");

// Whose capacity a lease uses.
enum class LeaseOwnership : std::uint8_t { kOwned, kBorrowed, kLent };
BERTH_WORDS(LeaseOwnership, "owned", "borrowed", "lent");

enum class QueueOrder : std::uint8_t { kSubmission, kPredictedGpuTime, kAttainedService };
BERTH_WORDS(QueueOrder, "submission", "predicted-gpu-time", "attained-service");

enum class OverPromise : std::uint8_t { kGuarantee, kPriority };
BERTH_WORDS(OverPromise, "guarantee", "priority");

enum class Backfill : std::uint8_t { kOff, kDeclared, kAny };
BERTH_WORDS(Backfill, "off", "declared", "any");

}  // namespace berth
