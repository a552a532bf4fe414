// JobSpec: what a job asks for. Plain data with one declaration of its fields for serialisation;
// names, units, defaults and ranges for users are declared in codec/job_codec.cc. A spec is
// immutable once submitted; it is shared, never copied, and holds no name, so that equal jobs have
// equal specs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "model/words.h"

namespace berth {

// An amount of a countable resource of a node or a domain: local disk, fabric channels, licences.
struct Countable {
  std::string resource;
  std::int64_t amount = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.resource, self.amount);
  }
  friend bool operator==(const Countable&, const Countable&) = default;
};

// Devices of one container: `count` cards, shares of cards, or MIG instances.
struct DeviceRequest {
  std::uint32_t count = 0;  // 0: no device
  ShareKind kind = ShareKind::kWhole;
  CardUnits compute = kCard;      // per device; of a share only
  std::optional<Mib> memory_mib;  // per device; absent: follows `compute`, rounded down to a MiB;
                                  // 0: not accounted (time-slice only)
  std::string mig_profile;        // of a MIG instance only
  Distinct distinct = Distinct::kDistinctCards;
  std::vector<std::string> models;  // accepted GPU models; empty: any
  std::string within;               // level all devices must share, below the node; empty: node
  Tier min_tier = Tier::kNone;      // a stronger tier than the rule gives; never a weaker one
  std::string selector;             // which devices: an expression, docs/selectors.md; empty: any

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.count, self.kind, self.compute, self.memory_mib, self.mig_profile, self.distinct,
          self.models, self.within, self.min_tier, self.selector);
  }
  friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

struct Container {
  std::string name;
  ContainerRole role = ContainerRole::kApp;
  CpuMilli cpu_milli = 0;
  Mib memory_mib = 0;
  std::vector<Countable> resources;
  DeviceRequest devices;
  std::string image;
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.name, self.role, self.cpu_milli, self.memory_mib, self.resources, self.devices,
          self.image, self.command, self.environment);
  }
  friend bool operator==(const Container&, const Container&) = default;
};

// "All tasks of `unit` lie inside one domain of level `within`."
struct TopologyRule {
  RuleUnit unit = RuleUnit::kRole;
  std::string within;
  RuleStrength strength = RuleStrength::kRequired;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.unit, self.within, self.strength);
  }
  friend bool operator==(const TopologyRule&, const TopologyRule&) = default;
};

// `count` equal tasks, of which at least `min` run or none.
struct Role {
  std::string name = "main";
  std::uint32_t count = 1;
  std::uint32_t min = 0;            // 0: all of `count`
  bool elastic = false;             // grows and shrinks between min and count
  bool optional = false;            // the job starts and runs on without it; it has min or none
  std::uint32_t segment_tasks = 0;  // tasks per segment for rules with unit `segment`; 0: none
  std::vector<Container> containers;
  std::vector<TopologyRule> topology;

  std::uint32_t min_tasks() const { return min == 0 ? count : min; }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.name, self.count, self.min, self.elastic, self.optional, self.segment_tasks,
          self.containers, self.topology);
  }
  friend bool operator==(const Role&, const Role&) = default;
};

// How a job saves its work, and what that costs.
struct CheckpointSpec {
  CheckpointMethod method = CheckpointMethod::kNone;
  DurationMs interval_ms = 0;  // 0: none on its own
  DurationMs duration_ms = 0;  // time to write one
  DurationMs restart_ms = 0;   // time from grant to working again
  Mib size_mib = 0;
  DurationMs grace_ms = 0;    // longest wait for the acknowledgement
  bool acknowledges = false;  // answers a request with a checkpoint id

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.method, self.interval_ms, self.duration_ms, self.restart_ms, self.size_mib,
          self.grace_ms, self.acknowledges);
  }
  friend bool operator==(const CheckpointSpec&, const CheckpointSpec&) = default;
};

struct SloSpec {
  DurationMs latency_ms = 0;  // target at `quantile_ppm`; 0: no SLO
  Ppm quantile_ppm = 990'000;
  DurationMs start_within_ms = 0;         // a replica must serve this soon; 0: not asked
  MicroMoney penalty_per_hour = 0;        // price of missing it, per replica
  DurationMs reclaim_slack_ms = 0;        // how late lent capacity may come back
  std::vector<std::string> spill_models;  // slower models that may take the overflow

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.latency_ms, self.quantile_ppm, self.start_within_ms, self.penalty_per_hour,
          self.reclaim_slack_ms, self.spill_models);
  }
  friend bool operator==(const SloSpec&, const SloSpec&) = default;
};

struct JobSpec {
  std::string queue;
  std::string partition;         // empty: the class's default
  std::string trust_domain;      // empty: the queue's
  std::string kind;              // jobs of one kind share learned run times; empty: by shape
  std::string group;             // jobs of one queue that first start together; empty: alone
  std::uint32_t group_jobs = 0;  // how many they are
  JobClass job_class = JobClass::kTraining;
  std::int32_t priority = 0;
  std::vector<Role> roles;
  std::vector<Countable> domain_resources;  // of the domain that hosts the job
  bool spot = false;
  bool is_protected = false;              // never preempted; must fit inside the guarantee
  std::optional<DurationMs> run_time_ms;  // declared; absent: learned
  CheckpointSpec checkpoint;
  SloSpec slo;
  MicroMoney bid_per_gpu_hour = 0;    // spot only; most it pays
  MicroMoney budget = 0;              // most it may cost in all; 0: unbounded
  DurationMs start_timeout_ms = 0;    // from the grant to all tasks prepared; 0: policy's
  DurationMs repair_within_ms = 0;    // replace a lost member within; 0: policy's
  DurationMs at_most_once_ms = 0;     // given up when its node is silent this long; 0: never
  DurationMs min_run_ms = 0;          // not preempted before
  std::uint32_t max_unavailable = 0;  // replicas that may be down at once; 0: any
  Ppm ageing_ppm = kPpmOne;           // speed at which waiting raises its rank
  std::uint32_t restarts = 0;         // restarts after a failure of its own

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.queue, self.partition, self.trust_domain, self.kind, self.group, self.group_jobs,
          self.job_class, self.priority, self.roles, self.domain_resources, self.spot,
          self.is_protected, self.run_time_ms, self.checkpoint, self.slo, self.bid_per_gpu_hour,
          self.budget, self.start_timeout_ms, self.repair_within_ms, self.at_most_once_ms,
          self.min_run_ms, self.max_unavailable, self.ageing_ppm, self.restarts);
  }
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};
using JobSpecPtr = std::shared_ptr<const JobSpec>;

// What one task takes at its peak. Containers of a task run on one node; init containers run before
// the others and one at a time, so the peak is the larger of the largest init and of all apps and
// sidecars together, and does not depend on their order.
struct TaskRequest {
  CpuMilli cpu_milli = 0;
  Mib memory_mib = 0;
  std::vector<Countable> resources;    // sorted by name, one entry each
  std::vector<DeviceRequest> devices;  // one per container that asks for devices, sorted

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.cpu_milli, self.memory_mib, self.resources, self.devices);
  }
  friend bool operator==(const TaskRequest&, const TaskRequest&) = default;
};

TaskRequest task_request(const Role& role);

// Ranges and rules over several fields; what needs the state (does the queue exist?) is decided
// there. The error names the field.
Status validate(const JobSpec& spec);

// Longest names and largest numbers that any input may hold.
inline constexpr std::size_t kNameLimit = 128;
inline constexpr std::size_t kSelectorLimit = 10 * 1024;  // bytes; Kubernetes' limit
inline constexpr std::uint32_t kTaskLimit = 1'000'000;
inline constexpr std::int64_t kAmountLimit = 1'000'000'000'000;  // of any resource

// Letters, digits, '.', '-', '_' and '/', starting with a letter or digit, at most kNameLimit long.
Status validate_name(const std::string& name, const std::string& field);

}  // namespace berth
