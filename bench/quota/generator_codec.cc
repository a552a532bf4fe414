#include "bench/quota/generator_codec.h"

#include "codec/file.h"
#include "codec/scalar.h"
#include "model/job.h"

namespace berth::codec {
namespace {

using bench::quota::CohortSet;
using bench::quota::Generator;
using bench::quota::NodeCapacity;
using bench::quota::QueueSet;
using bench::quota::ResourceFlavor;
using bench::quota::TopologyLevel;
using bench::quota::TopologyShape;
using bench::quota::WorkloadSet;
using bench::quota::WorkloadTemplate;

constexpr std::int64_t kMostOfAKind = 100'000;
constexpr DurationMs kLongest = 24 * kHourMs;

auto any_count() { return integer(1, kMostOfAKind); }
auto any_ms() { return integer(1, kLongest); }

// CPUs as Kubernetes writes them: numbers may stand in quotes.
class QuotedCpu {
 public:
  template <std::integral M>
  std::optional<M> read(const Document& value, ReadContext& context) const {
    return cpu_.read<M>(unquoted(value), context);
  }
  template <std::integral M>
  Document write(const M& value, WriteStyle style) const {
    return cpu_.write(value, style);
  }
  template <std::integral M>
  TypeInfo info() const {
    return cpu_.info<M>();
  }

 private:
  static Document unquoted(const Document& value) {
    if (!value.is(Document::Kind::kString)) return value;
    auto plain = plain_scalar(value.as_string());
    return plain && plain->is_scalar() ? std::move(*plain).at(value.position()) : value;
  }

  Quantity cpu_ = cpu(0, kAmountLimit);
};

QuotedCpu any_cpu() { return {}; }

ObjectSchema<WorkloadTemplate> workload_schema() {
  ObjectSchema<WorkloadTemplate> s("workload", "What one workload asks for.");
  s.field("className", &WorkloadTemplate::class_name, name()).required().text("Its class.");
  s.field("runtimeMs", &WorkloadTemplate::runtime_ms, any_ms()).required().text("Runs so long.");
  s.field("priority", &WorkloadTemplate::priority, integer(-1'000'000, 1'000'000))
      .text("The highest goes first.");
  s.field("request", &WorkloadTemplate::request_milli, any_cpu())
      .required()
      .text("CPUs of each pod.");
  s.field("podCount", &WorkloadTemplate::pods, any_count()).text("Equal pods.");
  s.field("tasConstraint", &WorkloadTemplate::constraint, words())
      .text("How the pods lie to the level.");
  s.field("tasLevel", &WorkloadTemplate::level, optional_name()).text("Label of the level.");
  s.field("sliceSize", &WorkloadTemplate::slice_pods, integer(0, kMostOfAKind))
      .text("Pods of a slice; balanced only.");
  return s;
}

ObjectSchema<WorkloadSet> workload_set_schema() {
  ObjectSchema<WorkloadSet> s("workloads", "Workloads at equal distances.");
  s.field("count", &WorkloadSet::count, any_count()).required().text("How many times.");
  s.field("creationIntervalMs", &WorkloadSet::interval_ms, any_ms())
      .required()
      .text("Before each of them.");
  s.field("workloads", &WorkloadSet::workloads, list_of(object()).sized(1, 1'000))
      .required()
      .text("Created each time.");
  return s;
}

ObjectSchema<QueueSet> queue_set_schema() {
  ObjectSchema<QueueSet> s("queues", "Equal queues of a cohort.");
  s.field("className", &QueueSet::class_name, name()).required().text("Their class.");
  s.field("count", &QueueSet::count, any_count()).required().text("How many.");
  s.field("nominalQuota", &QueueSet::nominal_milli, any_cpu()).required().text("CPUs of each.");
  s.field("borrowingLimit", &QueueSet::borrowing_milli, optional(any_cpu()))
      .when_absent("no limit")
      .text("CPUs that each may hold above it.");
  s.field("reclaimWithinCohort", &QueueSet::reclaim_within_cohort, text(64)).text("Not used.");
  s.field("withinClusterQueue", &QueueSet::within_cluster_queue, text(64)).text("Not used.");
  s.field("workloadsSets", &QueueSet::workload_sets, list_of(object()).sized(0, 1'000))
      .text("What each of them creates, all sets at once.");
  return s;
}

ObjectSchema<CohortSet> cohort_set_schema() {
  ObjectSchema<CohortSet> s("cohorts", "Equal cohorts: queues that borrow from one another.");
  s.field("className", &CohortSet::class_name, name()).required().text("Their class.");
  s.field("count", &CohortSet::count, any_count()).required().text("How many.");
  s.field("queuesSets", &CohortSet::queue_sets, list_of(object()).sized(1, 1'000))
      .required()
      .text("The queues of each.");
  return s;
}

ObjectSchema<NodeCapacity> capacity_schema() {
  ObjectSchema<NodeCapacity> s("capacity", "What a node has.");
  s.field("cpu", &NodeCapacity::cpu_milli, any_cpu()).text("CPUs.");
  s.field("memory", &NodeCapacity::memory_mib, memory(0, kAmountLimit)).text("Memory.");
  return s;
}

ObjectSchema<TopologyLevel> level_schema() {
  ObjectSchema<TopologyLevel> s("level", "A level of the topology.");
  s.field("name", &TopologyLevel::name, name()).required().text("Its name.");
  s.field("count", &TopologyLevel::count, any_count()).required().text("In each one above.");
  s.field("nodeLabel", &TopologyLevel::label, name()).required().text("Label of its nodes.");
  s.field("capacity", &TopologyLevel::capacity, object())
      .when_absent("none")
      .text("Of a node, at the lowest level.");
  return s;
}

ObjectSchema<TopologyShape> topology_schema() {
  ObjectSchema<TopologyShape> s("topology", "The nodes as a tree.");
  s.field("name", &TopologyShape::name, name()).required().text("Its name.");
  s.field("levels", &TopologyShape::levels, list_of(object()).sized(1, 16))
      .required()
      .text("From the root to the node.");
  return s;
}

ObjectSchema<ResourceFlavor> flavor_schema() {
  ObjectSchema<ResourceFlavor> s("flavor", "What the quota is of.");
  s.field("name", &ResourceFlavor::name, name()).required().text("Its name.");
  s.field("nodeLabel", &ResourceFlavor::node_label, optional_name()).text("Label of its nodes.");
  s.field("topologyName", &ResourceFlavor::topology_name, optional_name())
      .text("Topology of its nodes.");
  return s;
}

ObjectSchema<Generator> generator_schema() {
  ObjectSchema<Generator> s("generator", "Cohorts of queues and what they create.");
  s.field("topology", &Generator::topology, object()).when_absent("none").text("The nodes.");
  s.field("resourceFlavor", &Generator::flavor, object()).when_absent("one").text("The flavour.");
  s.field("cohorts", &Generator::cohorts, list_of(object()).sized(1, 1'000))
      .required()
      .text("The cohorts.");
  return s;
}

}  // namespace

const ObjectSchema<WorkloadTemplate>& Describe<WorkloadTemplate>::schema() {
  static const ObjectSchema<WorkloadTemplate> kSchema = workload_schema();
  return kSchema;
}
const ObjectSchema<WorkloadSet>& Describe<WorkloadSet>::schema() {
  static const ObjectSchema<WorkloadSet> kSchema = workload_set_schema();
  return kSchema;
}
const ObjectSchema<QueueSet>& Describe<QueueSet>::schema() {
  static const ObjectSchema<QueueSet> kSchema = queue_set_schema();
  return kSchema;
}
const ObjectSchema<CohortSet>& Describe<CohortSet>::schema() {
  static const ObjectSchema<CohortSet> kSchema = cohort_set_schema();
  return kSchema;
}
const ObjectSchema<NodeCapacity>& Describe<NodeCapacity>::schema() {
  static const ObjectSchema<NodeCapacity> kSchema = capacity_schema();
  return kSchema;
}
const ObjectSchema<TopologyLevel>& Describe<TopologyLevel>::schema() {
  static const ObjectSchema<TopologyLevel> kSchema = level_schema();
  return kSchema;
}
const ObjectSchema<TopologyShape>& Describe<TopologyShape>::schema() {
  static const ObjectSchema<TopologyShape> kSchema = topology_schema();
  return kSchema;
}
const ObjectSchema<ResourceFlavor>& Describe<ResourceFlavor>::schema() {
  static const ObjectSchema<ResourceFlavor> kSchema = flavor_schema();
  return kSchema;
}
const ObjectSchema<Generator>& Describe<Generator>::schema() {
  static const ObjectSchema<Generator> kSchema = generator_schema();
  return kSchema;
}

}  // namespace berth::codec

namespace berth::bench::quota {

Result<Generator> parse_generator(std::string_view yaml, const std::string& source) {
  auto parsed = codec::from_text<Generator>(yaml, codec::TextFormat::kYaml, source);
  if (!parsed) return tl::unexpected(parsed.error().to_error());
  return std::move(*parsed);
}

Result<Generator> read_generator(const std::string& path) {
  auto parsed = codec::load<Generator>(path);
  if (!parsed) return tl::unexpected(parsed.error().to_error());
  return std::move(*parsed);
}

}  // namespace berth::bench::quota
