// The fleet and its tenants as declared: nodes with their cards, the tree of topology domains,
// queues, partitions. Plain data; what is free or leased lives in the engine's state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "model/job.h"
#include "model/words.h"

namespace berth {

// One MIG instance of a static layout.
struct MigInstanceSpec {
  std::string profile;
  std::uint32_t start = 0;     // memory slot
  std::string partition = {};  // empty: the card's

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.profile, self.start, self.partition);
  }
  friend bool operator==(const MigInstanceSpec&, const MigInstanceSpec&) = default;
};

// A card of a node; its index in NodeSpec::cards is its rail.
struct CardSpec {
  std::string uuid;          // empty: unknown (simulator)
  std::uint32_t island = 0;  // domain of the level below the node: NVLink island, PCIe pair
  CardHealth health = CardHealth::kHealthy;
  MigRegime mig = MigRegime::kOff;
  std::vector<MigInstanceSpec> layout;   // static regime only
  std::uint32_t timeslice_replicas = 0;  // fixed number of equal shares; 0: any shares
  std::string partition = {};            // empty: the node's

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.uuid, self.island, self.health, self.mig, self.layout, self.timeslice_replicas,
          self.partition);
  }
  friend bool operator==(const CardSpec&, const CardSpec&) = default;
};

inline constexpr std::int64_t kBandwidthLimit = 1'000'000;  // GB/s
inline constexpr std::size_t kCardsPerNodeLimit = 64;
inline constexpr Mib kCardMemoryLimit = 16'777'216;  // 16 TiB; the engine's cards count to 256 TiB

// A machine with cards of one model.
struct NodeSpec {
  std::string name;
  std::string model;      // GPU model; empty: no cards
  std::string partition;  // empty: the default partition
  CpuMilli cpu_milli = 0;
  Mib memory_mib = 0;
  Mib card_memory_mib = 0;   // usable per card as the device reports; 0: the model's
  Mib card_reserve_mib = 0;  // charged on top for each client of a shared card
  std::vector<Countable> resources;
  std::vector<std::pair<std::string, std::string>> domains;  // level -> domain name, above the node
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<CardSpec> cards;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.name, self.model, self.partition, self.cpu_milli, self.memory_mib,
          self.card_memory_mib, self.card_reserve_mib, self.resources, self.domains, self.labels,
          self.cards);
  }
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

// A named domain with countable resources of its own (an NVL72 island's fabric channels).
struct DomainSpec {
  std::string level;
  std::string name;
  std::string parent;  // name of the domain one level up; empty: none
  std::vector<Countable> resources;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.level, self.name, self.parent, self.resources);
  }
  friend bool operator==(const DomainSpec&, const DomainSpec&) = default;
};

// What two cards have between them where this is the lowest level around both.
struct LevelBandwidth {
  std::string level;
  std::int64_t gb_per_s = 0;  // of each card, one way

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.level, self.gb_per_s);
  }
  friend bool operator==(const LevelBandwidth&, const LevelBandwidth&) = default;
};

// Levels are data, from the leaf to the root: {"card", "island", "node", "leaf", "pod", "fabric"}.
// One level may lie between the card and the node, whatever its name: CardSpec::island is about it.
struct TopologySpec {
  std::vector<std::string> levels = {"card", "island", "node"};
  std::vector<DomainSpec> domains;
  std::vector<LevelBandwidth> bandwidth =
      {};  // of a level without: that of the next one below with

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.levels, self.domains, self.bandwidth);
  }
  friend bool operator==(const TopologySpec&, const TopologySpec&) = default;
};

// Quota of one queue in one flavour (GPU model, partition). Amounts in card units. Without a model:
// of all GPU models of the partition together; with model kCpuQuota: of CPUs, one CPU = kCard.
inline constexpr const char* kCpuQuota = "cpu";
struct FlavourQuota {
  std::string model;
  std::string partition;
  CardUnits guarantee = 0;
  std::uint32_t weight = 1;        // share of idle capacity
  std::optional<CardUnits> limit;  // most it may hold
  std::optional<CardUnits> lend;   // most of its guarantee that others may borrow

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.model, self.partition, self.guarantee, self.weight, self.limit, self.lend);
  }
  friend bool operator==(const FlavourQuota&, const FlavourQuota&) = default;
};

struct BudgetSpec {
  MicroMoney per_month = 0;  // 0: none
  BudgetAction action = BudgetAction::kWarn;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.per_month, self.action);
  }
  friend bool operator==(const BudgetSpec&, const BudgetSpec&) = default;
};

struct ClassLimit {
  JobClass job_class = JobClass::kTraining;
  CardUnits limit = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job_class, self.limit);
  }
  friend bool operator==(const ClassLimit&, const ClassLimit&) = default;
};

// A node of the quota tree: organisation, team or project.
struct QueueSpec {
  std::string name;
  std::string parent;        // empty: a root
  std::string trust_domain;  // empty: the parent's, or its own name at a root
  std::int32_t priority = 0;
  std::uint32_t weight = 1;
  std::vector<FlavourQuota> quotas;
  std::vector<ClassLimit> class_limits;
  BudgetSpec budget;
  QueueOrder order = QueueOrder::kSubmission;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.name, self.parent, self.trust_domain, self.priority, self.weight, self.quotas,
          self.class_limits, self.budget, self.order);
  }
  friend bool operator==(const QueueSpec&, const QueueSpec&) = default;
};

// A part of the fleet with its own admission by latency class.
struct PartitionSpec {
  std::string name;
  PartitionKind kind = PartitionKind::kBatch;
  std::vector<JobClass> classes;      // who may enter; empty: the kind's default
  std::uint32_t warm_replicas = 0;    // serving headroom kept warm
  CardUnits cold_headroom = 0;        // serving headroom kept free
  bool lending = false;               // cold headroom may be lent
  MicroMoney price_per_gpu_hour = 0;  // reserved price

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.name, self.kind, self.classes, self.warm_replicas, self.cold_headroom, self.lending,
          self.price_per_gpu_hour);
  }
  friend bool operator==(const PartitionSpec&, const PartitionSpec&) = default;
};

// Whether jobs of the class may enter, by the list or by the kind's default.
bool admits(const PartitionSpec& partition, JobClass job_class, bool spot);

Status validate(const NodeSpec& node);
Status validate(const TopologySpec& topology);
Status validate(const QueueSpec& queue);
Status validate(const PartitionSpec& partition);

}  // namespace berth
