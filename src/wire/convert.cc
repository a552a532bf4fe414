// Nodes, grants and tasks, both ways.
#include "wire/convert.h"

#include <utility>

namespace berth::wire {
namespace {

constexpr std::size_t kTextLimit = 64 * 1024;  // of a command's word or a variable's value
constexpr std::size_t kListLimit = 1024;       // of words, variables, labels
constexpr std::size_t kContainersLimit = 64;
constexpr std::size_t kInstancesLimit = 64;  // of one card
constexpr std::int64_t kCardMemoryEighths = kCardMemoryLimit * kEighthsPerMib;

template <typename List>
void put_labels(const List& from, google::protobuf::RepeatedPtrField<v1::Label>& to) {
  for (const auto& [key, value] : from) {
    v1::Label& label = *to.Add();
    label.set_key(key);
    label.set_value(value);
  }
}

void put_amounts(const std::vector<Countable>& from,
                 google::protobuf::RepeatedPtrField<v1::Amount>& to) {
  for (const Countable& one : from) {
    v1::Amount& amount = *to.Add();
    amount.set_resource(one.resource);
    amount.set_amount(one.amount);
  }
}

void put_container(const Container& from, v1::Container& to) {
  to.set_name(from.name);
  to.set_role(wire_word<v1::ContainerRole>(from.role));
  to.set_cpu_milli(from.cpu_milli);
  to.set_memory_mib(from.memory_mib);
  put_amounts(from.resources, *to.mutable_resources());
  to.set_devices(from.devices.count);
  to.set_image(from.image);
  for (const std::string& word : from.command) to.add_command(word);
  put_labels(from.environment, *to.mutable_environment());
}

void put_checkpoint(const CheckpointSpec& from, v1::Checkpoint& to) {
  to.set_method(wire_word<v1::CheckpointMethod>(from.method));
  to.set_interval_ms(from.interval_ms);
  to.set_duration_ms(from.duration_ms);
  to.set_restart_ms(from.restart_ms);
  to.set_size_mib(from.size_mib);
  to.set_grace_ms(from.grace_ms);
  to.set_acknowledges(from.acknowledges);
}

void put_task(const agent::TaskSpec& from, v1::TaskSpec& to) {
  to.set_job_class(wire_word<v1::JobClass>(from.job_class));
  to.set_role(from.role);
  to.set_tasks(from.tasks);
  to.set_min_tasks(from.min_tasks);
  for (const Container& container : from.containers) put_container(container, *to.add_containers());
  put_checkpoint(from.checkpoint, *to.mutable_checkpoint());
  if (from.run_time_ms) to.set_run_time_ms(*from.run_time_ms);
  to.set_start_timeout_ms(from.start_timeout_ms);
  to.set_at_most_once_ms(from.at_most_once_ms);
}

}  // namespace

void put(const agent::LeaseKey& key, v1::LeaseKey& to) {
  to.set_lease(key.lease.value());
  to.set_epoch(key.epoch);
}

void put(const CardGrants& cards, google::protobuf::RepeatedPtrField<v1::CardGrant>& to) {
  for (const CardGrant& grant : cards) {
    v1::CardGrant& card = *to.Add();
    card.set_card(grant.card);
    card.set_mode(wire_word<v1::CardMode>(grant.mode));
    card.set_placement(grant.placement);
    card.set_compute(grant.compute);
    card.set_memory(grant.memory);
  }
}

void put(const agent::Grant& grant, v1::Grant& to) {
  put(grant.key, *to.mutable_key());
  to.set_term(grant.term);
  to.set_job(grant.job.value());
  to.set_role(grant.role);
  to.set_task(grant.task);
  to.set_node(grant.node);
  put(grant.cards, *to.mutable_cards());
  put_task(grant.spec, *to.mutable_spec());
}

void put(const std::vector<MigInstanceSpec>& layout,
         google::protobuf::RepeatedPtrField<v1::MigInstance>& to) {
  for (const MigInstanceSpec& one : layout) {
    v1::MigInstance& instance = *to.Add();
    instance.set_profile(one.profile);
    instance.set_start(one.start);
    instance.set_partition(one.partition);
  }
}

void put(const NodeSpec& node, v1::Inventory& to) {
  to.set_name(node.name);
  to.set_model(node.model);
  to.set_partition(node.partition);
  to.set_cpu_milli(node.cpu_milli);
  to.set_memory_mib(node.memory_mib);
  to.set_card_memory_mib(node.card_memory_mib);
  to.set_card_reserve_mib(node.card_reserve_mib);
  put_amounts(node.resources, *to.mutable_resources());
  put_labels(node.domains, *to.mutable_domains());
  put_labels(node.labels, *to.mutable_labels());
  for (const CardSpec& card : node.cards) {
    v1::Card& one = *to.add_cards();
    one.set_uuid(card.uuid);
    one.set_island(card.island);
    one.set_health(wire_word<v1::CardHealth>(card.health));
    one.set_mig(wire_word<v1::MigRegime>(card.mig));
    put(card.layout, *one.mutable_layout());
    one.set_timeslice_replicas(card.timeslice_replicas);
    one.set_partition(card.partition);
  }
}

std::int64_t Reader::range(std::int64_t value, std::int64_t least, std::int64_t most,
                           const char* field) {
  if (value >= least && value <= most) return value;
  refuse("is " + std::to_string(value) + "; " + std::to_string(least) + " to " +
             std::to_string(most) + " is accepted",
         field);
  return least;
}

std::string Reader::text(const std::string& value, std::size_t most, const char* field) {
  if (value.size() <= most) return value;
  refuse("has " + std::to_string(value.size()) + " bytes; at most " + std::to_string(most) +
             " are accepted",
         field, ErrorCode::kLimitExceeded);
  return {};
}

agent::LeaseKey Reader::key(const v1::LeaseKey& from) {
  const auto lease = at_most<std::uint64_t>(from.lease(), LeaseId::kNoneValue - 1, "key.lease");
  return {LeaseId(lease), from.epoch()};
}

CardGrants Reader::cards(const google::protobuf::RepeatedPtrField<v1::CardGrant>& from) {
  CardGrants grants;
  if (!count(from, kCardsPerNodeLimit, "cards")) return grants;
  for (const v1::CardGrant& card : from) {
    CardGrant grant;
    grant.card = at_most<std::uint16_t>(card.card(), kCardsPerNodeLimit - 1, "cards.card");
    grant.mode = word_of<CardMode>(card.mode(), "cards.mode");
    grant.placement =
        at_most<std::uint8_t>(card.placement(), CardGrant::kNoPlacement, "cards.placement");
    grant.compute = range(card.compute(), 0, kCard, "cards.compute");
    grant.memory = range(card.memory(), 0, kCardMemoryEighths, "cards.memory");
    grants.push_back(grant);
  }
  return grants;
}

agent::Grant Reader::grant(const v1::Grant& from) {
  agent::Grant grant;
  grant.key = key(from.key());
  grant.term = from.term();
  grant.job = JobId(at_most<std::uint64_t>(from.job(), JobId::kNoneValue - 1, "job"));
  grant.role = at_most<std::uint16_t>(from.role(), UINT16_MAX, "role");
  grant.task = at_most<std::uint32_t>(from.task(), kTaskLimit, "task");
  grant.node = text(from.node(), kNameLimit, "node");
  grant.cards = cards(from.cards());
  grant.spec = task(from.spec());
  return grant;
}

agent::TaskSpec Reader::task(const v1::TaskSpec& from) {
  agent::TaskSpec spec;
  spec.job_class = word_of<JobClass>(from.job_class(), "spec.job_class");
  spec.role = text(from.role(), kNameLimit, "spec.role");
  spec.tasks = at_most<std::uint32_t>(from.tasks(), kTaskLimit, "spec.tasks");
  spec.min_tasks = at_most<std::uint32_t>(from.min_tasks(), kTaskLimit, "spec.min_tasks");
  if (count(from.containers(), kContainersLimit, "spec.containers")) {
    for (const v1::Container& one : from.containers()) spec.containers.push_back(container(one));
  }
  spec.checkpoint = checkpoint(from.checkpoint());
  if (from.has_run_time_ms()) spec.run_time_ms = amount(from.run_time_ms(), "spec.run_time_ms");
  spec.start_timeout_ms = amount(from.start_timeout_ms(), "spec.start_timeout_ms");
  spec.at_most_once_ms = amount(from.at_most_once_ms(), "spec.at_most_once_ms");
  return spec;
}

Container Reader::container(const v1::Container& from) {
  Container to;
  to.name = text(from.name(), kNameLimit, "containers.name");
  to.role = word_of<ContainerRole>(from.role(), "containers.role");
  to.cpu_milli = amount(from.cpu_milli(), "containers.cpu_milli");
  to.memory_mib = amount(from.memory_mib(), "containers.memory_mib");
  to.resources = amounts(from.resources());
  to.devices.count =
      at_most<std::uint32_t>(from.devices(), kCardsPerNodeLimit * 64, "containers.devices");
  to.image = text(from.image(), kTextLimit, "containers.image");
  if (count(from.command(), kListLimit, "containers.command")) {
    for (const std::string& word : from.command()) {
      to.command.push_back(text(word, kTextLimit, "containers.command"));
    }
  }
  to.environment = labels(from.environment(), "containers.environment", kTextLimit);
  return to;
}

CheckpointSpec Reader::checkpoint(const v1::Checkpoint& from) {
  CheckpointSpec to;
  to.method = word_of<CheckpointMethod>(from.method(), "checkpoint.method");
  to.interval_ms = amount(from.interval_ms(), "checkpoint.interval_ms");
  to.duration_ms = amount(from.duration_ms(), "checkpoint.duration_ms");
  to.restart_ms = amount(from.restart_ms(), "checkpoint.restart_ms");
  to.size_mib = amount(from.size_mib(), "checkpoint.size_mib");
  to.grace_ms = amount(from.grace_ms(), "checkpoint.grace_ms");
  to.acknowledges = from.acknowledges();
  return to;
}

std::vector<MigInstanceSpec> Reader::layout(
    const google::protobuf::RepeatedPtrField<v1::MigInstance>& from) {
  std::vector<MigInstanceSpec> to;
  if (!count(from, kInstancesLimit, "layout")) return to;
  for (const v1::MigInstance& one : from) {
    to.push_back({text(one.profile(), kNameLimit, "layout.profile"), one.start(),
                  text(one.partition(), kNameLimit, "layout.partition")});
  }
  return to;
}

CardSpec Reader::card(const v1::Card& from) {
  CardSpec to;
  to.uuid = text(from.uuid(), kNameLimit, "cards.uuid");
  to.island = from.island();
  to.health = word_of<CardHealth>(from.health(), "cards.health");
  to.mig = word_of<MigRegime>(from.mig(), "cards.mig");
  to.layout = layout(from.layout());
  to.timeslice_replicas = from.timeslice_replicas();
  to.partition = text(from.partition(), kNameLimit, "cards.partition");
  return to;
}

std::vector<Countable> Reader::amounts(const google::protobuf::RepeatedPtrField<v1::Amount>& from) {
  std::vector<Countable> to;
  if (!count(from, kListLimit, "resources")) return to;
  for (const v1::Amount& one : from) {
    to.push_back({text(one.resource(), kNameLimit, "resources.resource"),
                  amount(one.amount(), "resources.amount")});
  }
  return to;
}

std::vector<std::pair<std::string, std::string>> Reader::labels(
    const google::protobuf::RepeatedPtrField<v1::Label>& from, const char* field,
    std::size_t longest) {
  std::vector<std::pair<std::string, std::string>> to;
  if (!count(from, kListLimit, field)) return to;
  for (const v1::Label& one : from) {
    to.emplace_back(text(one.key(), kNameLimit * 2, field), text(one.value(), longest, field));
  }
  return to;
}

// What the model says of a node holds here too.
NodeSpec Reader::node(const v1::Inventory& from) {
  NodeSpec to;
  to.name = text(from.name(), kNameLimit, "name");
  to.model = text(from.model(), kNameLimit, "model");
  to.partition = text(from.partition(), kNameLimit, "partition");
  to.cpu_milli = amount(from.cpu_milli(), "cpu_milli");
  to.memory_mib = amount(from.memory_mib(), "memory_mib");
  to.card_memory_mib = amount(from.card_memory_mib(), "card_memory_mib");
  to.card_reserve_mib = amount(from.card_reserve_mib(), "card_reserve_mib");
  to.resources = amounts(from.resources());
  to.domains = labels(from.domains(), "domains", kNameLimit);
  to.labels = labels(from.labels(), "labels", kTextLimit);
  if (count(from.cards(), kCardsPerNodeLimit, "cards")) {
    for (const v1::Card& one : from.cards()) to.cards.push_back(card(one));
  }
  if (auto s = validate(to); !s) refuse(s.error().message, s.error().field, s.error().code);
  return to;
}

}  // namespace berth::wire
