#include "codec/fleet_codec.h"

#include <algorithm>
#include <set>

#include "codec/card_list.h"
#include "codec/job_codec.h"

namespace berth::codec {
namespace {

constexpr std::int64_t kWeightLimit = 1'000'000;

ObjectSchema<MigInstanceSpec> mig_instance_schema() {
  ObjectSchema<MigInstanceSpec> s("mig_instance", "One MIG instance of a static layout.");
  s.field("profile", &MigInstanceSpec::profile, text(64)).required().text("MIG profile.");
  s.field("start", &MigInstanceSpec::start, integer(0, 31)).required().text("First memory slot.");
  s.field("partition", &MigInstanceSpec::partition, optional_name())
      .when_absent("the card's")
      .text("Partition it belongs to; only that of the node is accepted yet.");
  return s;
}

// The model's rules for a card, told of the group rather than of a card among the node's.
Status validate_group(const CardGroup& group) {
  if (!group.uuid.empty() && group.count > 1) {
    return invalid("one uuid cannot name " + std::to_string(group.count) + " cards", "uuid");
  }
  NodeSpec node;
  node.name = "node";
  node.model = "model";
  node.cards = {group};
  Status status = validate(node);
  constexpr std::string_view kPrefix = "cards[0].";
  if (!status && status.error().field.starts_with(kPrefix)) {
    status.error().field.erase(0, kPrefix.size());
  }
  return status;
}

ObjectSchema<CardGroup> card_schema() {
  ObjectSchema<CardGroup> s("card", "Equal cards of a node, in the order of their rails.");
  s.field("count", &CardGroup::count, integer(1, kCardsPerNodeLimit)).text("How many.");
  s.field("uuid", &CardGroup::uuid, text(128))
      .text("Identity that the driver reports.")
      .not_used_yet();
  s.field("island", &CardGroup::island, integer(0, 1023))
      .text("Domain of the level below the node: NVLink island, PCIe pair.");
  s.field("health", &CardGroup::health, words()).text("Health at the start.");
  s.field("mig", &CardGroup::mig, words()).text("How MIG geometry changes.");
  s.field("layout", &CardGroup::layout, list_of(object()).sized(0, 32))
      .text("Instances, for mig static.");
  s.field("timeslice_replicas", &CardGroup::timeslice_replicas, integer(0, 1000))
      .text("Fixed number of equal shares; 0: any shares.");
  s.field("partition", &CardGroup::partition, optional_name())
      .when_absent("the node's")
      .text("Partition it belongs to; only that of the node is accepted yet.");
  s.rule(&validate_group);
  return s;
}

template <typename T>
void add_node_fields(ObjectSchema<T>& s) {
  s.field("model", &T::model, text(64)).when_absent("no cards").text("GPU model of its cards.");
  s.field("partition", &T::partition, optional_name())
      .when_absent("the default partition")
      .text("Partition it belongs to.");
  s.field("cpu", &T::cpu_milli, cpu(0, kAmountLimit)).member("cpu_milli").text("CPUs.");
  s.field("memory", &T::memory_mib, any_memory()).member("memory_mib").text("Host memory.");
  s.field("card_memory", &T::card_memory_mib, any_memory())
      .member("card_memory_mib")
      .when_absent("the model's")
      .text("Usable memory of each card.");
  s.field("card_reserve", &T::card_reserve_mib, any_memory())
      .member("card_reserve_mib")
      .text("Memory charged on top for each client of a shared card.");
  s.field("resources", &T::resources, countables()).text("Countable resources.");
  s.field("domains", &T::domains, map_of<std::string>(name(), text(kNameLimit)).at_most(16))
      .text("Domains above the node: level to name.");
  s.field("labels", &T::labels, map_of<std::string>(text(317), text(256)).at_most(256))
      .text("Labels: selectors see them as attributes of the node's cards (docs/selectors.md).");
  s.field("cards", &T::cards, CardList()).text("Its cards.");
}

ObjectSchema<NodeSpec> node_schema() {
  ObjectSchema<NodeSpec> s("node", "A machine with cards of one model.");
  s.field("name", &NodeSpec::name, codec::name()).required().text("Its name.");
  add_node_fields(s);
  s.rule([](const NodeSpec& node) { return validate(node); });
  return s;
}

ObjectSchema<NodeGroup> node_group_schema() {
  ObjectSchema<NodeGroup> s("node_group", "A machine, or many: n-[001-100] names a hundred.");
  s.field("name", &NodeGroup::name, text(kNameLimit)).required().text("Its name, or a range.");
  add_node_fields(s);
  s.rule(&check);
  return s;
}

ObjectSchema<DomainSpec> domain_schema() {
  ObjectSchema<DomainSpec> s("domain", "A topology domain with resources of its own.");
  s.field("level", &DomainSpec::level, name()).required().text("One of the levels.");
  s.field("name", &DomainSpec::name, name()).required().text("Its name.");
  s.field("parent", &DomainSpec::parent, optional_name()).text("Domain one level up.");
  s.field("resources", &DomainSpec::resources, countables()).text("Countable resources.");
  return s;
}

ObjectSchema<LevelBandwidth> bandwidth_schema() {
  ObjectSchema<LevelBandwidth> s("bandwidth",
                                 "What two cards have between them where this is the lowest level "
                                 "around both.");
  s.field("level", &LevelBandwidth::level, name()).required().text("One of the levels.");
  s.field("gb_per_s", &LevelBandwidth::gb_per_s, integer(1, kBandwidthLimit).unit("GB/s"))
      .required()
      .text("Of each card, one way.");
  return s;
}

ObjectSchema<TopologySpec> topology_schema() {
  ObjectSchema<TopologySpec> s("topology", "The tree of domains.");
  s.field("levels", &TopologySpec::levels, list_of(name()).sized(1, 16))
      .text("Levels from the leaf to the root; one may lie between the card and the node.");
  s.field("domains", &TopologySpec::domains, list_of(object()).sized(0, 10'000))
      .text("Domains that have resources or a parent.");
  s.field("bandwidth", &TopologySpec::bandwidth, list_of(object()).sized(0, 16))
      .text(
          "Bandwidth by level; with it `locality` of the policy weighs what a gang loses by its "
          "place against packing. Of a level without: that of the next one below with.");
  s.rule([](const TopologySpec& topology) { return validate(topology); });
  return s;
}

ObjectSchema<FlavourQuota> quota_schema() {
  ObjectSchema<FlavourQuota> s("quota", "What a queue has of the GPUs (or CPUs) of one partition.");
  s.field("model", &FlavourQuota::model, text(64))
      .when_absent("all GPU models of the partition together")
      .text("GPU model; `cpu` counts CPUs instead of cards.");
  s.field("partition", &FlavourQuota::partition, optional_name())
      .when_absent("the default partition")
      .text("Partition.");
  s.field("guarantee", &FlavourQuota::guarantee, any_cards()).text("What it can always have.");
  s.field("weight", &FlavourQuota::weight, integer(0, kWeightLimit))
      .text("Share of idle capacity, relative to its siblings.");
  s.field("limit", &FlavourQuota::limit, optional(any_cards()))
      .when_absent("none")
      .text("Most it may hold.");
  s.field("lend", &FlavourQuota::lend, optional(any_cards()))
      .when_absent("all of it")
      .text("Most of its guarantee that others may borrow.");
  return s;
}

ObjectSchema<BudgetSpec> budget_schema() {
  ObjectSchema<BudgetSpec> s("queue_budget", "Money of a queue.");
  s.field("per_month", &BudgetSpec::per_month, any_money()).text("Per month; 0: none.");
  s.field("action", &BudgetSpec::action, words()).text("What happens when it is spent.");
  return s;
}

ObjectSchema<ClassLimit> class_limit_schema() {
  ObjectSchema<ClassLimit> s("class_limit", "Most that jobs of one class may hold in a queue.");
  s.field("class", &ClassLimit::job_class, words())
      .member("job_class")
      .required()
      .text("Latency class.");
  s.field("limit", &ClassLimit::limit, any_cards()).required().text("Most it may hold.");
  return s;
}

ObjectSchema<QueueSpec> queue_schema() {
  ObjectSchema<QueueSpec> s("queue", "A node of the quota tree.");
  s.field("name", &QueueSpec::name, codec::name()).required().text("Its name.");
  s.field("parent", &QueueSpec::parent, optional_name()).text("Queue above; empty: a root.");
  s.field("trust_domain", &QueueSpec::trust_domain, optional_name())
      .when_absent("the parent's; at a root its own name")
      .text("Whom its jobs may share a card with.");
  s.field("priority", &QueueSpec::priority, integer(-1'000'000, 1'000'000))
      .text("Among siblings a higher one goes first, whatever their shares.");
  s.field("weight", &QueueSpec::weight, integer(0, kWeightLimit))
      .text("Share of idle capacity, relative to its siblings.");
  s.field("quotas", &QueueSpec::quotas, list_of(object()).sized(0, 256)).text("Its quotas.");
  s.field("class_limits", &QueueSpec::class_limits, list_of(object()).sized(0, 16))
      .text("Limits per class.");
  s.field("budget", &QueueSpec::budget, object()).when_absent("none").text("Its budget.");
  s.field("order", &QueueSpec::order, words())
      .text(
          "Order of its own jobs, after class, priority and holes of running gangs; submission: as "
          "the policy says.");
  s.rule([](const QueueSpec& queue) { return validate(queue); });
  return s;
}

ObjectSchema<PartitionSpec> partition_schema() {
  ObjectSchema<PartitionSpec> s("partition", "A part of the fleet with its own admission.");
  s.field("name", &PartitionSpec::name, codec::name()).required().text("Its name.");
  s.field("kind", &PartitionSpec::kind, words()).text("What it is for.");
  s.field("classes", &PartitionSpec::classes, list_of(words()).sized(0, 16))
      .when_absent("the kind's")
      .text("Who may enter.");
  s.field("warm_replicas", &PartitionSpec::warm_replicas, integer(0, kTaskLimit))
      .text("Serving replicas kept warm.")
      .not_used_yet();
  s.field("cold_headroom", &PartitionSpec::cold_headroom, any_cards())
      .text("Capacity kept free for serving.")
      .not_used_yet();
  s.field("lending", &PartitionSpec::lending, flag())
      .text("The headroom may be lent.")
      .not_used_yet();
  s.field("price_per_gpu_hour", &PartitionSpec::price_per_gpu_hour, any_money())
      .text("Reserved price.")
      .not_used_yet();
  s.rule([](const PartitionSpec& partition) { return validate(partition); });
  return s;
}

// The first name that comes twice, with its place.
template <typename T>
Status distinct(const std::vector<T>& items, const std::string& field) {
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (names.insert(items[i].name).second) continue;
    return invalid("'" + items[i].name + "' is named twice",
                   field + "[" + std::to_string(i) + "].name");
  }
  return {};
}

Status validate_fleet(const FleetFile& fleet) {
  if (auto status = distinct(fleet.partitions, "partitions"); !status) return status;
  if (auto status = distinct(fleet.queues, "queues"); !status) return status;
  const auto nodes = expand(fleet);
  return nodes ? Status{} : tl::unexpected<Error>(nodes.error());
}

ObjectSchema<FleetFile> fleet_schema() {
  ObjectSchema<FleetFile> s("fleet", "A fleet and its tenants.");
  s.field("topology", &FleetFile::topology, object())
      .when_absent("levels card, island and node")
      .text("Topology.");
  s.field("partitions", &FleetFile::partitions, list_of(object()).sized(0, 1000))
      .text("Partitions.");
  s.field("queues", &FleetFile::queues, list_of(object()).sized(0, 100'000)).text("Queues.");
  s.field("nodes", &FleetFile::nodes, list_of(object()).sized(1, kFleetNodeLimit))
      .required()
      .text("Nodes.");
  s.rule(&validate_fleet);
  return s;
}

}  // namespace

const ObjectSchema<MigInstanceSpec>& Describe<MigInstanceSpec>::schema() {
  static const ObjectSchema<MigInstanceSpec> kSchema = mig_instance_schema();
  return kSchema;
}
const ObjectSchema<CardGroup>& Describe<CardGroup>::schema() {
  static const ObjectSchema<CardGroup> kSchema = card_schema();
  return kSchema;
}
const ObjectSchema<NodeSpec>& Describe<NodeSpec>::schema() {
  static const ObjectSchema<NodeSpec> kSchema = node_schema();
  return kSchema;
}
const ObjectSchema<NodeGroup>& Describe<NodeGroup>::schema() {
  static const ObjectSchema<NodeGroup> kSchema = node_group_schema();
  return kSchema;
}
const ObjectSchema<LevelBandwidth>& Describe<LevelBandwidth>::schema() {
  static const ObjectSchema<LevelBandwidth> kSchema = bandwidth_schema();
  return kSchema;
}

const ObjectSchema<DomainSpec>& Describe<DomainSpec>::schema() {
  static const ObjectSchema<DomainSpec> kSchema = domain_schema();
  return kSchema;
}
const ObjectSchema<TopologySpec>& Describe<TopologySpec>::schema() {
  static const ObjectSchema<TopologySpec> kSchema = topology_schema();
  return kSchema;
}
const ObjectSchema<FlavourQuota>& Describe<FlavourQuota>::schema() {
  static const ObjectSchema<FlavourQuota> kSchema = quota_schema();
  return kSchema;
}
const ObjectSchema<BudgetSpec>& Describe<BudgetSpec>::schema() {
  static const ObjectSchema<BudgetSpec> kSchema = budget_schema();
  return kSchema;
}
const ObjectSchema<ClassLimit>& Describe<ClassLimit>::schema() {
  static const ObjectSchema<ClassLimit> kSchema = class_limit_schema();
  return kSchema;
}
const ObjectSchema<QueueSpec>& Describe<QueueSpec>::schema() {
  static const ObjectSchema<QueueSpec> kSchema = queue_schema();
  return kSchema;
}
const ObjectSchema<PartitionSpec>& Describe<PartitionSpec>::schema() {
  static const ObjectSchema<PartitionSpec> kSchema = partition_schema();
  return kSchema;
}
const ObjectSchema<FleetFile>& Describe<FleetFile>::schema() {
  static const ObjectSchema<FleetFile> kSchema = fleet_schema();
  return kSchema;
}

}  // namespace berth::codec
