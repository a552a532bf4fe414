#include "engine/state/topology_tree.h"

#include <algorithm>

#include "base/nearest.h"
#include "engine/state/topology_levels.h"

namespace berth::engine {

TopologyTree::TopologyTree(const TopologySpec& spec, std::uint64_t version)
    : levels_(levels_above_node(spec)), by_rank_(levels_.size()), version_(version) {
  set_bandwidth(spec);
  for (const DomainSpec& domain : spec.domains) {
    domains_[find_or_make(domain.level, domain.name).value()].free = domain.resources;
  }
  for (const DomainSpec& domain : spec.domains) {
    if (domain.parent.empty()) continue;
    const auto at = std::find(spec.levels.begin(), spec.levels.end(), domain.level);
    if (std::distance(at, spec.levels.end()) < 2) continue;
    connect(find(domain.level, domain.name), find_or_make(*std::next(at), domain.parent));
  }
}

// A level of which nothing is said has what the next lower one has; below the first that is said
// of, what that has.
void TopologyTree::set_bandwidth(const TopologySpec& spec) {
  if (spec.bandwidth.empty()) return;
  const auto said = [&](const std::string& level) {
    const auto same = [&](const LevelBandwidth& one) { return one.level == level; };
    const auto it = std::find_if(spec.bandwidth.begin(), spec.bandwidth.end(), same);
    return it == spec.bandwidth.end() ? 0 : it->gb_per_s;
  };
  std::int64_t last = 0;
  bool above = false;
  for (const std::string& level : spec.levels) {
    if (const std::int64_t own = said(level); own > 0) {
      last = own;
      for (std::int64_t& lower : bandwidth_) lower = lower == 0 ? own : lower;
    }
    above = above || level == "node";
    if (above) bandwidth_.push_back(last);
  }
  bandwidth_.push_back(last);
}

std::int64_t TopologyTree::bandwidth_among(std::span<const NodeIndex> nodes) const {
  if (bandwidth_.empty()) return 0;
  const auto same = [&](NodeIndex node) { return node == nodes.front(); };
  if (std::all_of(nodes.begin(), nodes.end(), same)) return bandwidth_.front();
  for (DomainIndex around = lowest(nodes.front()); !around.is_none();
       around = domain(around).parent) {
    const std::uint32_t rank = domain(around).rank;
    const auto inside = [&](NodeIndex node) { return at_rank(lowest(node), rank) == around; };
    if (std::all_of(nodes.begin(), nodes.end(), inside)) return bandwidth_[rank + 1];
  }
  return bandwidth_.back();
}

Status TopologyTree::check_levels(const NodeSpec& node) const {
  for (std::size_t i = 0; i < node.domains.size(); ++i) {
    const std::string& level = node.domains[i].first;
    if (std::find(levels_.begin(), levels_.end(), level) != levels_.end()) continue;
    const std::string accepted =
        levels_.empty() ? "; no level above 'node' is declared" : suggestion(level, levels_);
    return invalid("'" + level + "' is not a topology level above 'node'" + accepted,
                   "domains[" + std::to_string(i) + "]");
  }
  return {};
}

Status TopologyTree::check(const NodeSpec& node) const {
  if (auto s = check_levels(node); !s) return s;
  const auto path = path_of(node);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const DomainIndex child = find(path[i].first, path[i].second);
    if (child.is_none() || domain(child).parent.is_none()) continue;
    const Domain& parent = domain(domain(child).parent);
    if (parent.level != path[i + 1].first || parent.name == path[i + 1].second) continue;
    return invalid(path[i].first + " '" + path[i].second + "' lies in " + parent.level + " '" +
                       parent.name + "', not in '" + path[i + 1].second + "'",
                   "domains");
  }
  return {};
}

void TopologyTree::add(NodeIndex index, const NodeSpec& node) {
  ++version_;
  if (lowest_.size() <= index.value()) lowest_.resize(index.value() + 1);
  DomainIndex below;
  for (const auto& [level, name] : path_of(node)) {
    const DomainIndex at = find_or_make(level, name);
    if (below.is_none()) {
      lowest_[index.value()] = at;
      domains_[at.value()].nodes.push_back(index);
    } else {
      connect(below, at);
    }
    below = at;
  }
}

DomainIndex TopologyTree::find(std::string_view level, std::string_view name) const {
  const auto it = by_name_.find(std::pair(std::string(level), std::string(name)));
  return it == by_name_.end() ? DomainIndex::none() : it->second;
}

DomainIndex TopologyTree::of_node(NodeIndex node, std::string_view level) const {
  DomainIndex at = node.value() < lowest_.size() ? lowest_[node.value()] : DomainIndex::none();
  while (!at.is_none() && domain(at).level != level) at = domain(at).parent;
  return at;
}

std::vector<DomainIndex> TopologyTree::roots() const {
  std::vector<DomainIndex> roots;
  for (std::uint32_t d = 0; d < domains_.size(); ++d) {
    if (domains_[d].parent.is_none()) roots.emplace_back(d);
  }
  return roots;
}

std::optional<std::uint32_t> TopologyTree::rank_of(std::string_view level) const {
  const auto it = std::find(levels_.begin(), levels_.end(), level);
  if (it == levels_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(it - levels_.begin());
}

DomainIndex TopologyTree::at_rank(DomainIndex at, std::uint32_t rank) const {
  while (!at.is_none() && domain(at).rank < rank) at = domain(at).parent;
  return !at.is_none() && domain(at).rank == rank ? at : DomainIndex::none();
}

void TopologyTree::collect_nodes(DomainIndex index, std::vector<NodeIndex>& nodes) const {
  const Domain& here = domain(index);
  nodes.insert(nodes.end(), here.nodes.begin(), here.nodes.end());
  for (const DomainIndex child : here.children) collect_nodes(child, nodes);
}

DomainIndex TopologyTree::owner_of(std::string_view resource, DomainIndex index) const {
  const auto has = [&](const Countable& one) { return one.resource == resource; };
  while (!index.is_none()) {
    const std::vector<Countable>& free = domain(index).free;
    if (std::any_of(free.begin(), free.end(), has)) break;
    index = domain(index).parent;
  }
  return index;
}

std::int64_t TopologyTree::free_of(std::string_view resource, DomainIndex index) const {
  const DomainIndex owner = owner_of(resource, index);
  if (owner.is_none()) return 0;
  for (const Countable& free : domain(owner).free) {
    if (free.resource == resource) return free.amount;
  }
  return 0;
}

const Countable* TopologyTree::lacking(DomainIndex index,
                                       const std::vector<Countable>& wanted) const {
  const auto it = std::find_if(wanted.begin(), wanted.end(), [&](const Countable& one) {
    return free_of(one.resource, index) < one.amount;
  });
  return it == wanted.end() ? nullptr : &*it;
}

void TopologyTree::take(DomainIndex index, std::string_view resource, std::int64_t amount) {
  const DomainIndex owner = owner_of(resource, index);
  if (owner.is_none()) return;
  for (Countable& free : domains_[owner.value()].free) {
    if (free.resource == resource) free.amount -= amount;
  }
}

std::vector<std::pair<std::string, std::string>> TopologyTree::path_of(const NodeSpec& node) const {
  std::vector<std::pair<std::string, std::string>> path;
  for (const std::string& level : levels_) {
    const auto it = std::find_if(node.domains.begin(), node.domains.end(),
                                 [&](const auto& domain) { return domain.first == level; });
    if (it != node.domains.end()) path.push_back(*it);
  }
  return path;
}

DomainIndex TopologyTree::find_or_make(const std::string& level, const std::string& name) {
  const DomainIndex next(static_cast<std::uint32_t>(domains_.size()));
  const auto [it, is_new] = by_name_.try_emplace(std::pair(level, name), next);
  if (is_new) {
    ++version_;
    const std::uint32_t rank = *rank_of(level);
    domains_.push_back({level, name, rank, DomainIndex::none(), {}, {}, {}});
    by_rank_[rank].push_back(next);
  }
  return it->second;
}

void TopologyTree::connect(DomainIndex child, DomainIndex parent) {
  if (!domains_[child.value()].parent.is_none()) return;  // the first one said counts
  domains_[child.value()].parent = parent;
  domains_[parent.value()].children.push_back(child);
}

}  // namespace berth::engine
