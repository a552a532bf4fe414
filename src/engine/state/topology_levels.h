// Levels of a topology by where they stand. Levels are data, from the leaf to the root.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "model/fleet.h"

namespace berth::engine {

// What a shape calls the level between the card and the node, whatever the topology calls it.
inline constexpr const char* kBelowNode = "island";

inline bool has_level(const TopologySpec& topology, std::string_view level) {
  return std::find(topology.levels.begin(), topology.levels.end(), level) != topology.levels.end();
}

// The levels above `node`: those that a node says its domains of.
inline std::vector<std::string> levels_above_node(const TopologySpec& topology) {
  const auto node = std::find(topology.levels.begin(), topology.levels.end(), "node");
  if (node == topology.levels.end()) return {};
  return {node + 1, topology.levels.end()};
}

// Whether one task always lies in one domain of the level, as a task runs on one node.
inline bool holds_a_node(const TopologySpec& topology, std::string_view level) {
  const std::vector<std::string> above = levels_above_node(topology);
  return level == "node" || std::find(above.begin(), above.end(), level) != above.end();
}

// The level between the card and the node, of which CardSpec::island is; empty: there is none.
inline std::string level_below_node(const TopologySpec& topology) {
  for (const std::string& level : topology.levels) {
    if (level == "node") return {};
    if (level != "card" && level != "gpu") return level;
  }
  return {};
}

// The levels that the devices of a task can be asked to share.
inline std::vector<std::string> device_levels(const TopologySpec& topology) {
  std::vector<std::string> levels = {"node"};
  const std::string below = level_below_node(topology);
  if (!below.empty()) levels.insert(levels.begin(), below);
  return levels;
}

}  // namespace berth::engine
