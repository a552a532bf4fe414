// Fleets as users write them: nodes, topology, queues, partitions, and fleet files in which one
// entry stands for many equal nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/schema.h"
#include "model/fleet.h"

namespace berth::codec {

// `count` equal cards of a node.
struct CardGroup : CardSpec {
  std::uint32_t count = 1;
  friend bool operator==(const CardGroup&, const CardGroup&) = default;
};

// A node, or many: "n-[001-100]" as name stands for a hundred nodes, and "leaf-[1-10]" as the name
// of a domain gives each of the ten an equal run of them, in order.
struct NodeGroup : NodeSpec {
  friend bool operator==(const NodeGroup&, const NodeGroup&) = default;
};

struct FleetFile {
  TopologySpec topology;
  std::vector<PartitionSpec> partitions;
  std::vector<QueueSpec> queues;
  std::vector<NodeGroup> nodes;
  friend bool operator==(const FleetFile&, const FleetFile&) = default;
};

inline constexpr std::size_t kFleetNodeLimit = 100'000;
// Cards, MIG instances, labels, domains and resources of all nodes together.
inline constexpr std::size_t kFleetEntryLimit = 2'000'000;

// Whether the group can stand for its nodes; the error's field is that of the group.
Status check(const NodeGroup& group);
// All nodes of the file, in its order; a name that comes twice is an error.
Result<std::vector<NodeSpec>> expand(const FleetFile& fleet);

template <>
struct Describe<MigInstanceSpec> : Described<MigInstanceSpec> {
  static const ObjectSchema<MigInstanceSpec>& schema();
};
template <>
struct Describe<CardGroup> : Described<CardGroup> {
  static const ObjectSchema<CardGroup>& schema();
};
template <>
struct Describe<NodeSpec> : Described<NodeSpec> {
  static const ObjectSchema<NodeSpec>& schema();
};
template <>
struct Describe<NodeGroup> : Described<NodeGroup> {
  static const ObjectSchema<NodeGroup>& schema();
};
template <>
struct Describe<LevelBandwidth> : Described<LevelBandwidth> {
  static const ObjectSchema<LevelBandwidth>& schema();
};

template <>
struct Describe<DomainSpec> : Described<DomainSpec> {
  static const ObjectSchema<DomainSpec>& schema();
};
template <>
struct Describe<TopologySpec> : Described<TopologySpec> {
  static const ObjectSchema<TopologySpec>& schema();
};
template <>
struct Describe<FlavourQuota> : Described<FlavourQuota> {
  static const ObjectSchema<FlavourQuota>& schema();
};
template <>
struct Describe<BudgetSpec> : Described<BudgetSpec> {
  static const ObjectSchema<BudgetSpec>& schema();
};
template <>
struct Describe<ClassLimit> : Described<ClassLimit> {
  static const ObjectSchema<ClassLimit>& schema();
};
template <>
struct Describe<QueueSpec> : Described<QueueSpec> {
  static const ObjectSchema<QueueSpec>& schema();
};
template <>
struct Describe<PartitionSpec> : Described<PartitionSpec> {
  static const ObjectSchema<PartitionSpec>& schema();
};
template <>
struct Describe<FleetFile> : Described<FleetFile> {
  static const ObjectSchema<FleetFile>& schema();
};

}  // namespace berth::codec
