// Failures: draws when what fails, and for how long. Streams of its own from the seed of the run,
// so that the jobs are the same with and without failures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/rng.h"
#include "model/fleet.h"
#include "sim/run_result.h"
#include "sim/settings.h"

namespace berth::sim {

// What one failure takes: a card of a node, or whole nodes.
struct Strike {
  Interruption cause = Interruption::kNodeFailure;
  std::vector<NodeIndex> nodes;
  std::uint16_t card = 0;  // of the only node
  DurationMs repair_ms = 0;
};

class Failures {
 public:
  // Nodes are numbered in their order.
  Failures(const FailureSpec& spec, const TopologySpec& topology,
           const std::vector<PartitionSpec>& partitions, const std::vector<NodeSpec>& nodes,
           std::uint64_t seed);

  // Time to the next failure of the fleet, whatever is down already; kNever: nothing fails.
  DurationMs until_failure();
  Strike strike();
  // Time to the next notice to a spot node.
  DurationMs until_notice();
  NodeIndex noticed();
  DurationMs away() { return away_.draw(spots_); }

 private:
  std::size_t node_of_card(std::uint64_t card) const;

  FailureSpec spec_;
  DurationDraw reset_;
  DurationDraw hold_;
  DurationDraw away_;
  Rng hardware_;
  Rng spots_;
  std::vector<std::uint64_t> cards_before_;        // of node n + 1: cards of the nodes up to n
  std::vector<std::uint32_t> domain_;              // by node; kAlone: in none
  std::vector<std::vector<NodeIndex>> of_domain_;  // nodes by domain
  std::vector<NodeIndex> spot_;
};

// The level whose domains fail together must lie above the node.
Status check_failures(const FailureSpec& spec, const TopologySpec& topology);

}  // namespace berth::sim
