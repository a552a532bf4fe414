// PrivateCluster: equal nodes with so many cards free on each, as a tenant would have them alone.
// A task goes to the node with the fewest free cards that fits, the first among equals; a job has
// all its tasks or none.
#pragma once

#include <cstdint>
#include <vector>

namespace berth::learn {

// Cards of each task of a job, largest first.
using TaskCards = std::vector<std::uint32_t>;
// The node of each task.
using TaskNodes = std::vector<std::uint32_t>;

class PrivateCluster {
 public:
  // The last node has what is left of `cards`.
  PrivateCluster(std::uint32_t cards, std::uint32_t cards_per_node);

  bool fits(const TaskCards& tasks) const;
  // The job must fit.
  TaskNodes place(const TaskCards& tasks);
  void give(const TaskCards& tasks, const TaskNodes& nodes);

  std::uint32_t free_cards() const { return free_cards_; }
  std::uint32_t free_nodes() const { return counts_.back(); }  // whole ones

 private:
  void change(std::uint32_t node, std::uint32_t free);

  std::vector<std::uint32_t> free_;    // by node
  std::vector<std::uint32_t> counts_;  // of nodes by free cards
  std::uint32_t free_cards_ = 0;
};

}  // namespace berth::learn
