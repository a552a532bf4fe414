// Fair shares of one flavour (GPU model x partition): what each queue of the tree is entitled to
// hold now, by guarantees, weights, limits and demand.
//
// A pure function of its argument. It admits nothing, reclaims nothing, and knows no names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"

namespace berth::engine {

// A queue. Quantities are card units and >= 0.
struct ShareNode {
  std::optional<std::size_t> parent = {};  // before this node in the tree; none: a root
  CardUnits guarantee = 0;                 // of the subtree; counts as at least its children's sum
  std::uint32_t weight = 1;                // of what is idle; 0: only what siblings leave over
  std::optional<CardUnits> limit = {};     // most the subtree may hold; outranks the guarantee
  CardUnits demand = 0;                    // of its own jobs, held and waiting; not its children's
  CardUnits history = 0;                   // decayed past usage of the subtree
};

struct ShareTree {
  std::vector<ShareNode> nodes;  // parents before children
  CardUnits capacity = 0;        // >= 0
  Ppm history_ppm = 0;           // how much past usage counts; 0: not at all
};

// A node with everything below it.
struct ShareSubtree {
  CardUnits demand = 0;  // cut at its limit
  CardUnits guarantee = 0;
  CardUnits children_guarantee = 0;
  CardUnits children_history = 0;
};
// In the order of the nodes.
std::vector<ShareSubtree> subtrees_of(const ShareTree& tree);

// The share of each node's subtree, in the order of the nodes. Exact: the roots' shares add up to
// the capacity, or to the demand that limits let through; and a node's share is the sum of its
// children's and what is left for its own jobs.
//
// The demand of a subtree is its own and its children's, cut at its limit. Level by level, from the
// roots down, siblings divide what their parent got (the roots: the capacity):
//
// 1. Each gets min(guarantee, demand). Where that is more than there is, each gets the same part of
//    its guarantee, but not above its demand: weighted max-min with the guarantees as weights.
// 2. The rest goes by weighted max-min on what each holds above its guarantee, as if it held
//    history * history_ppm of that already.
//
// A node's own jobs are one more child, after the others, with the guarantee and the history that
// no child has, and weight 1. So what a child leaves of its guarantee serves its siblings first.
//
// A node gets min(guarantee, demand) whatever others demand, while guarantees fit the capacity and
// the limits above it. Raising a node's weight or demand never lowers its share. Rounding and the
// order among equals: max_min.h.
//
// Broken preconditions stop the program. O(n log n) for n siblings.
std::vector<CardUnits> fair_shares(const ShareTree& tree);

}  // namespace berth::engine
