// Command: a request to change the state. `decide` answers it with events or an error; a command
// that is refused leaves no trace. Reports of executors and observations are commands too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "model/fleet.h"
#include "model/gpu_model.h"
#include "model/job.h"
#include "model/policy.h"
#include "model/token.h"
#include "model/words.h"

namespace berth {

struct DeclareModel {
  GpuModel model;
};
struct DeclareTopology {
  TopologySpec topology;
};
struct DeclarePartition {
  PartitionSpec partition;
};
struct DeclareQueue {
  QueueSpec queue;
};
struct SetPolicy {
  PolicySpec policy;
  std::string pool;  // a partition, or kDefaultPool: there only, on trial; empty: everywhere
};
// Ends the trial of a pool; without one, the policy before the present one holds everywhere again.
struct RestorePolicy {
  std::string pool;
};
// The nodes that are in no partition.
inline constexpr const char* kDefaultPool = "default";
struct JoinNode {
  NodeSpec node;
};
struct SetNodeCondition {
  std::string node;
  NodeCondition condition = NodeCondition::kReady;
};
// A node that was lost can be reached again: it is what it was, or what was wanted meanwhile.
struct ReportNodeBack {
  std::string node;
};
struct SetCardHealth {
  std::string node;
  std::uint16_t card = 0;
  CardHealth health = CardHealth::kHealthy;
};
struct SubmitJob {
  std::string name;
  JobSpecPtr spec;
};
struct CancelJob {
  std::string name;
};
struct HoldJob {
  std::string name;
};
struct UnholdJob {
  std::string name;
};
// Changes the number of tasks of a role; a new decision, never a silent growth.
struct ResizeJob {
  std::string name;
  std::string role;
  std::uint32_t count = 0;
};

// Reports of an executor about a lease; the epoch must be the lease's.
struct ReportPrepared {
  LeaseId lease;
  std::uint64_t epoch = 0;
};
struct ReportPrepareFailed {
  LeaseId lease;
  std::uint64_t epoch = 0;
  std::string reason;
};
struct ReportEnded {
  LeaseId lease;
  std::uint64_t epoch = 0;
  EndReason reason = EndReason::kSucceeded;
};
// The executor gave the devices back after a revocation.
struct ReportReleased {
  LeaseId lease;
  std::uint64_t epoch = 0;
  std::string checkpoint;
};

// The task is off its cards, with its memory on the host, after a revocation by suspending.
struct ReportSuspended {
  LeaseId lease;
  std::uint64_t epoch = 0;
};

// A task has written a checkpoint.
struct ReportCheckpoint {
  LeaseId lease;
  std::uint64_t epoch = 0;
  std::string checkpoint;
};
// How busy the devices of a lease were lately.
struct ReportActivity {
  LeaseId lease;
  std::uint64_t epoch = 0;
  Ppm busy_ppm = 0;
};
// How long jobs of a kind run, learned from those that ended.
struct ObserveRunTimes {
  std::string kind;
  RunTimes times;
};
// The provider will take a node away at `deadline`.
struct NoticeInterruption {
  std::string node;
  TimeMs deadline = kNever;
};
// A leader takes over; terms only grow.
struct BeginTerm {
  std::uint64_t term = 0;
};

// A demand mix and its tables, learned or given outside the engine.
struct ObserveFit {
  FitPtr fit;
};
struct Tick {};

// Another layout for a card whose MIG layout is static. Instances that are in both stay as they
// are.
struct ChangeLayout {
  std::string node;
  std::uint16_t card = 0;
  std::vector<MigInstanceSpec> layout;
};
// The change that is under way is given up: the layout before it stays, or is made again.
struct CancelLayoutChange {
  std::string node;
  std::uint16_t card = 0;
};
// What a node reads back of a card, for the ask of that number.
struct ReportLayout {
  std::string node;
  std::uint16_t card = 0;
  std::uint64_t ask = 0;
  std::vector<MigInstanceSpec> layout;
  std::string error;  // why it is not what was asked for; empty: it is
};

struct IssueToken {
  Token token;
};
struct RevokeToken {
  std::string id;
};

using CommandBody =
    std::variant<DeclareModel, DeclareTopology, DeclarePartition, DeclareQueue, SetPolicy, JoinNode,
                 SetNodeCondition, SetCardHealth, SubmitJob, CancelJob, HoldJob, UnholdJob,
                 ResizeJob, ReportPrepared, ReportPrepareFailed, ReportEnded, ReportReleased,
                 ReportCheckpoint, ReportActivity, ObserveRunTimes, NoticeInterruption, BeginTerm,
                 ObserveFit, Tick, ReportSuspended, ChangeLayout, CancelLayoutChange, ReportLayout,
                 IssueToken, RevokeToken, RestorePolicy, ReportNodeBack>;

struct Command {
  CommandBody body;
  std::string request_id;  // the same id twice is one command; empty: not idempotent
  std::string actor;       // who asked, for the audit trail
};

// "submit-job": the stable name for the audit trail.
std::string_view command_name(const CommandBody& body);

}  // namespace berth
