// Random trees: what fair shares promise. Tiny flat ones also against exhaustive search, and flat
// ones against handing out unit by unit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "engine/quota/fair_share.h"

namespace berth::engine {
namespace {

using Shares = std::vector<CardUnits>;
using Wide = __int128;

constexpr CardUnits kGreed = std::numeric_limits<CardUnits>::max() / 4;
constexpr int kTreesPerSeed = 64;

// Numbers below this: mostly small ones, where each unit of rounding shows; ones of real fleets;
// and guarantees whose sum is beyond what divides exactly.
CardUnits scale_of(Rng& rng) {
  const std::uint64_t draw = rng.below(8);
  if (draw == 0) return CardUnits{1} << 56;
  return draw < 3 ? 10'000 * kCard : 24;
}
CardUnits amount_below(Rng& rng, CardUnits bound) {
  return static_cast<CardUnits>(rng.below(static_cast<std::uint64_t>(bound)));
}

ShareNode random_node(Rng& rng, CardUnits scale) {
  ShareNode node;
  if (rng.below(3) != 0) node.guarantee = amount_below(rng, scale);
  node.weight = static_cast<std::uint32_t>(rng.below(5));
  if (rng.below(4) != 0) node.demand = amount_below(rng, 2 * scale);
  if (rng.below(4) == 0) node.demand = kGreed;
  if (rng.below(2) == 0) node.history = amount_below(rng, scale);
  if (rng.below(3) == 0) node.limit = amount_below(rng, 2 * scale);
  return node;
}

std::vector<std::size_t> children_of(const ShareTree& tree, std::optional<std::size_t> parent) {
  std::vector<std::size_t> children;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].parent == parent) children.push_back(i);
  }
  return children;
}

// What the header says of a subtree, the plain way.
CardUnits demand_of(const ShareTree& tree, std::size_t i) {
  CardUnits demand = tree.nodes[i].demand;
  for (const std::size_t child : children_of(tree, i)) {
    demand = saturating_add(demand, demand_of(tree, child));
  }
  return std::min(demand, tree.nodes[i].limit.value_or(demand));
}
CardUnits guarantee_of(const ShareTree& tree, std::size_t i) {
  CardUnits children = 0;
  for (const std::size_t child : children_of(tree, i)) {
    children = saturating_add(children, guarantee_of(tree, child));
  }
  return std::max(children, tree.nodes[i].guarantee);
}
CardUnits floor_of(const ShareTree& tree, std::size_t i) {
  return std::min(guarantee_of(tree, i), demand_of(tree, i));
}

ShareTree random_tree(Rng& rng) {
  const CardUnits scale = scale_of(rng);
  ShareTree tree;
  const std::uint64_t count = 1 + rng.below(9);
  for (std::uint64_t i = 0; i < count; ++i) {
    tree.nodes.push_back(random_node(rng, scale));
    if (i > 0 && rng.below(3) != 0) tree.nodes.back().parent = rng.below(i);
  }
  tree.capacity = amount_below(rng, 4 * scale);
  if (rng.below(2) == 0) tree.history_ppm = amount_below(rng, 2 * kPpmOne);
  return tree;
}

// One that passes the checks on load: no limit below the guarantee, and no more promised than there
// is.
ShareTree kept_promises(Rng& rng) {
  ShareTree tree = random_tree(rng);
  CardUnits promised = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const CardUnits guarantee = guarantee_of(tree, i);
    if (tree.nodes[i].limit) tree.nodes[i].limit = guarantee + *tree.nodes[i].limit;
    if (!tree.nodes[i].parent) promised += guarantee;
  }
  tree.capacity += promised;
  return tree;
}

std::size_t any_node(Rng& rng, const ShareTree& tree) { return rng.below(tree.nodes.size()); }

ShareTree flat_tree(Rng& rng, std::uint64_t most_nodes, CardUnits scale) {
  ShareTree tree;
  const std::uint64_t count = 1 + rng.below(most_nodes);
  for (std::uint64_t i = 0; i < count; ++i) tree.nodes.push_back(random_node(rng, scale));
  tree.capacity = amount_below(rng, 2 * scale + 1);
  if (rng.below(2) == 0) tree.history_ppm = amount_below(rng, 2 * kPpmOne);
  return tree;
}

// The one max-min division that a flat tree comes to: who starts from where, with what room.
struct Contender {
  CardUnits base = 0;   // share before it
  CardUnits start = 0;  // counts as held, besides what it gets
  CardUnits room = 0;
  CardUnits weight = 1;
};
struct Contest {
  std::vector<Contender> contenders;
  CardUnits amount = 0;
};

Contest contest_of(const ShareTree& tree) {
  Wide floors = 0;
  Wide demand = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    floors += floor_of(tree, i);
    demand += demand_of(tree, i);
  }
  Contest contest;
  const bool scaled = floors > tree.capacity;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const ShareNode& node = tree.nodes[i];
    const CardUnits floor = floor_of(tree, i);
    if (scaled) {
      contest.contenders.push_back({0, 0, floor, node.guarantee});
    } else {
      const auto start = static_cast<CardUnits>(Wide{node.history} * tree.history_ppm / kPpmOne);
      contest.contenders.push_back({floor, start, demand_of(tree, i) - floor, node.weight});
    }
  }
  contest.amount = static_cast<CardUnits>(std::min<Wide>(tree.capacity, demand)) -
                   (scaled ? 0 : static_cast<CardUnits>(floors));
  return contest;
}

Shares with_base(const Contest& contest, Shares extra) {
  for (std::size_t i = 0; i < extra.size(); ++i) extra[i] += contest.contenders[i].base;
  return extra;
}

// How high each would stand, highest first. One without weight stands above all that have one.
struct Height {
  CardUnits held = 0;
  CardUnits weight = 1;
  bool above_all = false;
};
int compare(const Height& a, const Height& b) {
  if (a.above_all != b.above_all) return a.above_all ? 1 : -1;
  return compare_ratios(a.held, a.weight, b.held, b.weight);
}
Height height_of(const Contender& contender, CardUnits extra) {
  const bool none = contender.weight == 0;
  return {contender.start + extra, none ? 1 : contender.weight, none};
}

std::vector<Height> heights(const Contest& contest, const Shares& extra) {
  std::vector<Height> heights;
  for (std::size_t i = 0; i < extra.size(); ++i) {
    heights.push_back(height_of(contest.contenders[i], extra[i]));
  }
  std::sort(heights.begin(), heights.end(),
            [](const Height& a, const Height& b) { return compare(a, b) > 0; });
  return heights;
}

// Negative where `a` is fairer: the highest stands lower, or else the second highest, and so on.
int compare_fairness(const std::vector<Height>& a, const std::vector<Height>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (const int order = compare(a[i], b[i]); order != 0) return order;
  }
  return 0;
}

// Every division of the amount.
class Exhaustive {
 public:
  explicit Exhaustive(const Contest& contest)
      : contest_(contest), tried_(contest.contenders.size(), 0) {
    extend(0, contest.amount);
  }
  const std::vector<Shares>& all() const { return all_; }

  // The fairest; among equally fair ones the one that serves the earlier.
  Shares fairest() const {
    const Shares* best = &all_.front();
    for (const Shares& shares : all_) {
      const int order = compare_fairness(heights(contest_, shares), heights(contest_, *best));
      if (order < 0 || (order == 0 && shares > *best)) best = &shares;
    }
    return *best;
  }

 private:
  void extend(std::size_t i, CardUnits left) {
    if (i == tried_.size()) {
      if (left == 0) all_.push_back(tried_);
      return;
    }
    const CardUnits most = std::min(left, contest_.contenders[i].room);
    for (tried_[i] = 0; tried_[i] <= most; ++tried_[i]) extend(i + 1, left - tried_[i]);
  }

  const Contest& contest_;
  Shares tried_;
  std::vector<Shares> all_;
};

Shares unit_by_unit(const Contest& contest) {
  Shares extra(contest.contenders.size(), 0);
  for (CardUnits unit = 0; unit < contest.amount; ++unit) {
    std::optional<std::size_t> lowest;
    for (std::size_t i = 0; i < extra.size(); ++i) {
      const Contender& contender = contest.contenders[i];
      if (extra[i] == contender.room) continue;
      if (!lowest) lowest = i;
      const int order = compare(height_of(contender, extra[i] + 1),
                                height_of(contest.contenders[*lowest], extra[*lowest] + 1));
      const bool heavier = contender.weight > contest.contenders[*lowest].weight;
      if (order < 0 || (order == 0 && heavier)) lowest = i;
    }
    ++extra[*lowest];
  }
  return extra;
}

RC_GTEST_PROP(FairShareProperty, SharesAddUpToCapacityOrDemand, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < kTreesPerSeed; ++n) {
    const ShareTree tree = random_tree(rng);
    const Shares shares = fair_shares(tree);
    Wide demand = 0;
    Wide given = 0;
    for (const std::size_t root : children_of(tree, std::nullopt)) {
      demand += demand_of(tree, root);
      given += shares[root];
    }
    RC_ASSERT(given == std::min<Wide>(tree.capacity, demand));
    for (std::size_t i = 0; i < shares.size(); ++i) {
      CardUnits own = shares[i];
      for (const std::size_t child : children_of(tree, i)) own -= shares[child];
      RC_ASSERT(own >= 0 && own <= tree.nodes[i].demand);
    }
  }
}

RC_GTEST_PROP(FairShareProperty, NeverAboveDemandOrLimit, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < kTreesPerSeed; ++n) {
    const ShareTree tree = random_tree(rng);
    const Shares shares = fair_shares(tree);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      RC_ASSERT(shares[i] >= 0 && shares[i] <= demand_of(tree, i));
    }
  }
}

RC_GTEST_PROP(FairShareProperty, GuaranteesAreMetWhateverOthersDemand, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < kTreesPerSeed; ++n) {
    ShareTree tree = kept_promises(rng);
    tree.nodes[any_node(rng, tree)].demand = kGreed;
    const Shares shares = fair_shares(tree);
    for (std::size_t i = 0; i < shares.size(); ++i) RC_ASSERT(shares[i] >= floor_of(tree, i));
  }
}

RC_GTEST_PROP(FairShareProperty, MoreWeightNeverLowersTheShare, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < kTreesPerSeed; ++n) {
    ShareTree tree = random_tree(rng);
    const std::size_t raised = any_node(rng, tree);
    const CardUnits before = fair_shares(tree)[raised];
    tree.nodes[raised].weight += static_cast<std::uint32_t>(1 + rng.below(4));
    RC_ASSERT(fair_shares(tree)[raised] >= before);
  }
}

RC_GTEST_PROP(FairShareProperty, MoreDemandNeverLowersTheShare, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < kTreesPerSeed; ++n) {
    ShareTree tree = random_tree(rng);
    const std::size_t raised = any_node(rng, tree);
    const CardUnits before = fair_shares(tree)[raised];
    tree.nodes[raised].demand += 1 + amount_below(rng, rng.below(2) == 0 ? 3 : kGreed);
    RC_ASSERT(fair_shares(tree)[raised] >= before);
  }
}

// With one more unit, whoever has unmet demand stands at or above each sibling that holds idle
// capacity.
RC_GTEST_PROP(FairShareProperty, NoEnvyBeyondOneUnit, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < kTreesPerSeed; ++n) {
    const ShareTree tree = kept_promises(rng);
    const Shares shares = fair_shares(tree);
    const auto standing = [&](std::size_t i, CardUnits more) {
      const ShareNode& node = tree.nodes[i];
      const auto start = static_cast<CardUnits>(Wide{node.history} * tree.history_ppm / kPpmOne);
      const Contender contender{0, start, 0, node.weight};
      return height_of(contender, shares[i] - floor_of(tree, i) + more);
    };
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (shares[i] == demand_of(tree, i)) continue;
      for (const std::size_t sibling : children_of(tree, tree.nodes[i].parent)) {
        if (shares[sibling] == floor_of(tree, sibling)) continue;
        RC_ASSERT(compare(standing(sibling, 0), standing(i, 1)) <= 0);
      }
    }
  }
}

// The same tree with its nodes in another order, parents still first; and where each went.
std::pair<ShareTree, std::vector<std::size_t>> reordered(Rng& rng, const ShareTree& tree) {
  ShareTree other{.nodes = {}, .capacity = tree.capacity, .history_ppm = tree.history_ppm};
  std::vector<std::size_t> ready = children_of(tree, std::nullopt);
  std::vector<std::size_t> place(tree.nodes.size());
  while (!ready.empty()) {
    const auto next = ready.begin() + static_cast<std::ptrdiff_t>(rng.below(ready.size()));
    const std::size_t i = *next;
    ready.erase(next);
    place[i] = other.nodes.size();
    other.nodes.push_back(tree.nodes[i]);
    if (const auto parent = tree.nodes[i].parent) other.nodes.back().parent = place[*parent];
    for (const std::size_t child : children_of(tree, i)) ready.push_back(child);
  }
  return {other, place};
}

RC_GTEST_PROP(FairShareProperty, OrderMovesAtMostOneUnit, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < kTreesPerSeed; ++n) {
    const ShareTree tree = random_tree(rng);
    const auto [other, place] = reordered(rng, tree);
    const Shares shares = fair_shares(tree);
    const Shares others = fair_shares(other);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      RC_ASSERT(shares[i] - others[place[i]] <= 1 && others[place[i]] - shares[i] <= 1);
    }
  }
}

RC_GTEST_PROP(FairShareProperty, TheFairestOfAllDivisions, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < kTreesPerSeed; ++n) {
    const ShareTree tree = flat_tree(rng, 4, 4);
    const Contest contest = contest_of(tree);
    const Exhaustive exhaustive(contest);
    RC_ASSERT(fair_shares(tree) == with_base(contest, exhaustive.fairest()));
  }
}

// Of equal weights, the division whose highest stand lowest is the one whose lowest stand highest.
RC_GTEST_PROP(FairShareProperty, EqualWeightsAreMaxMin, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < kTreesPerSeed; ++n) {
    ShareTree tree = flat_tree(rng, 4, 4);
    for (ShareNode& node : tree.nodes) node.weight = 1;
    for (ShareNode& node : tree.nodes) node.guarantee = 0;
    const Contest contest = contest_of(tree);
    const auto ascending = [&](const Shares& shares) {
      std::vector<CardUnits> held;
      for (const Height& height : heights(contest, shares)) held.push_back(height.held);
      std::reverse(held.begin(), held.end());
      return held;
    };
    const auto ours = ascending(fair_shares(tree));
    const Exhaustive exhaustive(contest);
    for (const Shares& shares : exhaustive.all()) RC_ASSERT(ascending(shares) <= ours);
  }
}

RC_GTEST_PROP(FairShareProperty, EqualsHandingOutUnitByUnit, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int n = 0; n < kTreesPerSeed; ++n) {
    const ShareTree tree = flat_tree(rng, 9, 60);
    const Contest contest = contest_of(tree);
    RC_ASSERT(fair_shares(tree) == with_base(contest, unit_by_unit(contest)));
  }
}

}  // namespace
}  // namespace berth::engine
