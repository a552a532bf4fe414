#include "learn/private_cluster.h"

#include <algorithm>

namespace berth::learn {

PrivateCluster::PrivateCluster(std::uint32_t cards, std::uint32_t cards_per_node)
    : counts_(cards_per_node + 1, 0), free_cards_(cards) {
  for (std::uint32_t left = cards; left > 0; left -= free_.back()) {
    free_.push_back(std::min(left, cards_per_node));
    ++counts_[free_.back()];
  }
}

// By counts alone: which of equal nodes a task takes changes nothing for the next one.
bool PrivateCluster::fits(const TaskCards& tasks) const {
  if (tasks.size() == 1) {
    for (std::size_t free = tasks.front(); free < counts_.size(); ++free) {
      if (counts_[free] > 0) return true;
    }
    return false;
  }
  std::vector<std::uint32_t> counts = counts_;
  for (const std::uint32_t cards : tasks) {
    std::size_t free = cards;
    while (free < counts.size() && counts[free] == 0) ++free;
    if (free >= counts.size()) return false;
    --counts[free];
    ++counts[free - cards];
  }
  return true;
}

TaskNodes PrivateCluster::place(const TaskCards& tasks) {
  TaskNodes nodes;
  for (const std::uint32_t cards : tasks) {
    std::uint32_t free = cards;
    while (counts_[free] == 0) ++free;
    const auto it = std::find(free_.begin(), free_.end(), free);
    nodes.push_back(static_cast<std::uint32_t>(it - free_.begin()));
    change(nodes.back(), free - cards);
  }
  return nodes;
}

void PrivateCluster::give(const TaskCards& tasks, const TaskNodes& nodes) {
  for (std::size_t i = 0; i < tasks.size(); ++i) change(nodes[i], free_[nodes[i]] + tasks[i]);
}

void PrivateCluster::change(std::uint32_t node, std::uint32_t free) {
  --counts_[free_[node]];
  ++counts_[free];
  free_cards_ += free - free_[node];
  free_[node] = free;
}

}  // namespace berth::learn
