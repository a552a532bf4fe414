// The objects that the API answers with, as people and programs see them. Made from one reading;
// plain data, described once for JSON and OpenAPI (views.cc). Names instead of ids wherever there
// is one.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/schema.h"
#include "model/job.h"
#include "model/words.h"
#include "server/event_log.h"

namespace berth::server {

// Of a job, alive or ended.
enum class JobStatus : std::uint8_t {
  kPending,
  kPreparing,
  kRunning,
  kRepairing,
  kReleasing,
  kSuspended,
  kSucceeded,
  kFailed,
  kCancelled
};

struct LeaseView {
  std::int64_t id = 0;
  std::string job;
  std::string queue;
  std::string role;
  std::int64_t task = 0;
  std::string node;
  std::string place;  // "n1:[0-3]"
  CardUnits cards = 0;
  LeaseState state = LeaseState::kGranted;
  LeaseOwnership ownership = LeaseOwnership::kOwned;
  std::int64_t epoch = 1;
  std::int64_t term = 0;
  TimeMs granted_at = 0;
  TimeMs started_at = kNever;
  TimeMs deadline = kNever;
  std::int64_t receipt = 0;  // 0: none
  friend bool operator==(const LeaseView&, const LeaseView&) = default;
};

struct JobView {
  std::string name;
  std::int64_t id = 0;
  std::string queue;
  JobClass job_class = JobClass::kTraining;
  std::int64_t priority = 0;
  JobStatus status = JobStatus::kPending;
  bool held = false;
  std::string reason;  // why it waits; empty when it does not
  std::int64_t tasks = 0;
  std::int64_t running_tasks = 0;
  CardUnits cards = 0;  // that it asks for
  std::string place;    // "n[1-2]:[0-7]"
  TimeMs submitted_at = 0;
  TimeMs started_at = kNever;
  TimeMs ended_at = kNever;
  std::int64_t attempts = 0;
  std::vector<LeaseView> leases;  // of one job that is asked for by name
  std::optional<JobSpec> spec;    // the same
  friend bool operator==(const JobView&, const JobView&) = default;
};

struct CardUse {
  std::string job;
  std::string queue;
  CardUnits compute = 0;
  Mib memory_mib = 0;
  std::string profile;  // of a MIG instance: "1g.10gb@4"
  friend bool operator==(const CardUse&, const CardUse&) = default;
};

struct CardView {
  std::int64_t index = 0;
  CardHealth health = CardHealth::kHealthy;
  CardMode mode = CardMode::kEmpty;
  CardUnits free = 0;
  std::vector<CardUse> used_by;
  friend bool operator==(const CardView&, const CardView&) = default;
};

struct NodeView {
  std::string name;
  std::string model;
  std::string partition;
  NodeCondition condition = NodeCondition::kReady;
  TimeMs condition_since = 0;
  std::optional<NodeCondition> next_condition;  // of a lost one: once it is back
  CpuMilli cpu_milli = 0;
  CpuMilli cpu_free_milli = 0;
  Mib memory_mib = 0;
  Mib memory_free_mib = 0;
  std::vector<std::pair<std::string, std::string>> domains;  // level, name
  std::string kept_for;                                      // job of a reservation
  TimeMs goes_away_at = kNever;                              // notice of an interruption
  std::vector<CardView> cards;
  friend bool operator==(const NodeView&, const NodeView&) = default;
};

struct QuotaView {
  std::string model;      // empty: any
  std::string partition;  // empty: nodes in none
  CardUnits guarantee = 0;
  CardUnits used = 0;
  CardUnits borrowed = 0;
  std::optional<CardUnits> limit;
  std::optional<CardUnits> lend;
  std::int64_t weight = 1;
  friend bool operator==(const QuotaView&, const QuotaView&) = default;
};

struct QueueView {
  std::string name;
  std::string parent;
  std::string trust_domain;
  std::int64_t priority = 0;
  std::int64_t weight = 1;
  std::int64_t waiting = 0;  // jobs, with all below
  std::int64_t running = 0;
  CardUnits used = 0;    // cards, with all below
  CardUnits demand = 0;  // held and waiting
  CardUnits share = 0;   // its fair share now
  std::vector<QuotaView> quotas;
  friend bool operator==(const QueueView&, const QueueView&) = default;
};

struct UsageView {
  std::string queue;
  std::string model;
  std::string partition;
  std::int64_t gpu_ms = 0;  // since ever, with all below
  std::int64_t gpu_ms_in_month = 0;
  MicroMoney price_per_gpu_hour = 0;
  MicroMoney cost = 0;  // since ever, at today's price
  MicroMoney cost_in_month = 0;
  friend bool operator==(const UsageView&, const UsageView&) = default;
};

// One line of each kind for the whole cluster.
struct ClusterView {
  std::int64_t revision = 0;
  std::int64_t term = 0;
  TimeMs now = 0;
  std::string policy;
  std::int64_t nodes = 0;
  std::int64_t nodes_ready = 0;
  std::int64_t cards = 0;
  CardUnits cards_used = 0;
  std::int64_t waiting = 0;  // jobs
  std::int64_t running = 0;
  std::int64_t queues = 0;
  friend bool operator==(const ClusterView&, const ClusterView&) = default;
};

// What a write has changed, and the revision that has it.
struct Changed {
  std::string name;
  std::int64_t id = 0;  // of a job that was submitted; 0: of anything else
  std::int64_t revision = 0;
  friend bool operator==(const Changed&, const Changed&) = default;
};

}  // namespace berth::server

namespace berth {
BERTH_WORDS(server::JobStatus, "pending", "preparing", "running", "repairing", "releasing",
            "suspended", "succeeded", "failed", "cancelled");
}  // namespace berth

namespace berth::codec {

#define BERTH_DESCRIBE_VIEW(View)                           \
  template <>                                               \
  struct Describe<server::View> : Described<server::View> { \
    static const ObjectSchema<server::View>& schema();      \
  }
BERTH_DESCRIBE_VIEW(LeaseView);
BERTH_DESCRIBE_VIEW(JobView);
BERTH_DESCRIBE_VIEW(CardUse);
BERTH_DESCRIBE_VIEW(CardView);
BERTH_DESCRIBE_VIEW(NodeView);
BERTH_DESCRIBE_VIEW(QuotaView);
BERTH_DESCRIBE_VIEW(QueueView);
BERTH_DESCRIBE_VIEW(UsageView);
BERTH_DESCRIBE_VIEW(ClusterView);
BERTH_DESCRIBE_VIEW(EventView);
BERTH_DESCRIBE_VIEW(Changed);
#undef BERTH_DESCRIBE_VIEW

}  // namespace berth::codec
