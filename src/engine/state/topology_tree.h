// TopologyTree: the domains above the nodes (leaf, pod, an NVL72 island of 18 nodes ...) as levels
// that the operator names, each domain with its countable resources. Derived from what is declared
// and from the nodes that joined; never saved.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "model/fleet.h"

namespace berth::engine {

struct Domain {
  std::string level;
  std::string name;
  std::uint32_t rank = 0;  // of its level: 0 is the lowest above the node
  DomainIndex parent;      // none: a root
  std::vector<DomainIndex> children;
  std::vector<NodeIndex> nodes;  // whose lowest domain this is, in the order in which they joined
  std::vector<Countable> free;   // countable resources of the domain
};

class TopologyTree {
 public:
  // Without nodes.
  explicit TopologyTree(const TopologySpec& spec, std::uint64_t version = 0);

  // Whether the node's domains are of known levels above the node and contradict no parent.
  Status check(const NodeSpec& node) const;
  // The node must pass `check`.
  void add(NodeIndex index, const NodeSpec& node);

  const Domain& domain(DomainIndex index) const { return domains_[index.value()]; }
  std::size_t size() const { return domains_.size(); }
  bool empty() const { return domains_.empty(); }
  // Domains without a parent, in the order in which they came up.
  std::vector<DomainIndex> roots() const;
  // Changes when domains or the nodes in them do.
  std::uint64_t version() const { return version_; }
  // Its rank among the levels above the node; none where the level is not one of them.
  std::optional<std::uint32_t> rank_of(std::string_view level) const;
  // All domains of the rank, in the order in which they came up.
  std::span<const DomainIndex> of_rank(std::uint32_t rank) const {
    return rank < by_rank_.size() ? std::span(by_rank_[rank]) : std::span<const DomainIndex>();
  }
  // The lowest domain of the node; none: in no domain.
  DomainIndex lowest(NodeIndex node) const {
    return node.value() < lowest_.size() ? lowest_[node.value()] : DomainIndex::none();
  }
  // The domain of that rank around (or equal to) another; none where there is none.
  DomainIndex at_rank(DomainIndex domain, std::uint32_t rank) const;
  // All nodes of the domain and of those below, in no particular order.
  void collect_nodes(DomainIndex domain, std::vector<NodeIndex>& nodes) const;
  // The nearest domain at or above this one that has the countable resource; none: nobody has it.
  DomainIndex owner_of(std::string_view resource, DomainIndex domain) const;
  // What the owner has left of it.
  std::int64_t free_of(std::string_view resource, DomainIndex domain) const;
  // The first of them of which the owner has too little; null when each has enough.
  const Countable* lacking(DomainIndex domain, const std::vector<Countable>& wanted) const;
  // Takes (or, negative, gives) an amount from the owner.
  void take(DomainIndex domain, std::string_view resource, std::int64_t amount);
  // Whether the topology says what cards have between them.
  bool states_bandwidth() const { return !bandwidth_.empty(); }
  // What cards of these nodes have between them, in GB/s; 0 where nothing is said. The lowest
  // domain around them all counts. They must not be empty.
  std::int64_t bandwidth_among(std::span<const NodeIndex> nodes) const;
  // None when there is none of that name at the level.
  DomainIndex find(std::string_view level, std::string_view name) const;
  // The domain of the node at the level; none where it has none.
  DomainIndex of_node(NodeIndex node, std::string_view level) const;

 private:
  // The node's domains as (level, name), lowest first.
  std::vector<std::pair<std::string, std::string>> path_of(const NodeSpec& node) const;
  DomainIndex find_or_make(const std::string& level, const std::string& name);
  void connect(DomainIndex child, DomainIndex parent);

  Status check_levels(const NodeSpec& node) const;
  void set_bandwidth(const TopologySpec& spec);

  std::vector<std::string> levels_;      // above the node, lowest first
  std::vector<std::int64_t> bandwidth_;  // of the node, then by rank, then of all; empty: not said
  std::vector<Domain> domains_;
  std::vector<std::vector<DomainIndex>> by_rank_;
  std::map<std::pair<std::string, std::string>, DomainIndex, std::less<>> by_name_;
  std::vector<DomainIndex> lowest_;  // by node; none: in no domain
  std::uint64_t version_ = 0;
};

}  // namespace berth::engine
