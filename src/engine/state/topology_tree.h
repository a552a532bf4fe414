// TopologyTree: the domains above the nodes (leaf, pod, an NVL72 island of 18 nodes ...) as levels
// that the operator names, each domain with its countable resources. Derived from what is declared
// and from the nodes that joined; never saved.
#pragma once

#include <cstdint>
#include <map>
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
  DomainIndex parent;  // none: a root
  std::vector<DomainIndex> children;
  std::vector<NodeIndex> nodes;  // whose lowest domain this is, in the order in which they joined
  std::vector<Countable> free;   // countable resources of the domain
};

class TopologyTree {
 public:
  // Without nodes.
  explicit TopologyTree(const TopologySpec& spec);

  // Whether the node's domains are of known levels above the node and contradict no parent.
  Status check(const NodeSpec& node) const;
  // The node must pass `check`.
  void add(NodeIndex index, const NodeSpec& node);

  const Domain& domain(DomainIndex index) const { return domains_[index.value()]; }
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

  std::vector<std::string> levels_;  // above the node, lowest first
  std::vector<Domain> domains_;
  std::map<std::pair<std::string, std::string>, DomainIndex, std::less<>> by_name_;
  std::vector<DomainIndex> lowest_;  // by node; none: in no domain
};

}  // namespace berth::engine
