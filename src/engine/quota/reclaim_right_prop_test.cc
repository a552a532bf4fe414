// Random trees in which queues take back what they may until nobody may take any more.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "engine/quota/reclaim_right.h"

namespace berth::engine {
namespace {

using Held = std::vector<CardUnits>;

// Queues that demand what they hold and more; only leaves have jobs.
class Fleet {
 public:
  explicit Fleet(std::uint64_t seed) : rng_(seed) {
    const std::uint64_t count = 2 + rng_.below(7);
    for (std::uint64_t i = 0; i < count; ++i) {
      ShareNode node;
      if (i > 0 && rng_.below(2) == 0) node.parent = rng_.below(i);
      if (rng_.below(2) == 0) node.guarantee = amount(6);
      node.weight = static_cast<std::uint32_t>(rng_.below(4));
      tree_.nodes.push_back(node);
    }
    held_.resize(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_leaf(i)) continue;
      const CardUnits own = amount(10);
      tree_.nodes[i].demand = own + amount(12);
      add(i, own);
      tree_.capacity += own;
    }
    tree_.capacity += amount(4);
    if (rng_.below(4) == 0) tree_.capacity = tree_.capacity / 2;  // some of it was lost
  }

  const ShareTree& tree() const { return tree_; }
  const Held& held() const { return held_; }
  Rng& rng() { return rng_; }
  std::size_t size() const { return held_.size(); }
  bool is_leaf(std::size_t node) const {
    return std::none_of(tree_.nodes.begin(), tree_.nodes.end(),
                        [&](const ShareNode& other) { return other.parent == node; });
  }
  void move(std::size_t to, std::size_t from, CardUnits units) {
    add(to, units);
    add(from, -units);
  }

 private:
  CardUnits amount(std::uint64_t below) {
    return static_cast<CardUnits>(rng_.below(below)) * kCard / 2;
  }
  void add(std::size_t node, CardUnits units) {
    held_[node] += units;
    for (auto up = tree_.nodes[node].parent; up; up = tree_.nodes[*up].parent) held_[*up] += units;
  }

  Rng rng_;
  ShareTree tree_;
  Held held_;
};

// How far all queues are above their shares and floors together.
CardUnits potential(const Fleet& fleet) {
  CardUnits sum = 0;
  for (const Standing& one : standings(fleet.tree(), fleet.held(), 0)) sum += one.spare;
  return sum;
}

struct Claim {
  std::size_t to = 0;
  std::size_t from = 0;
  CardUnits most = 0;
};

std::vector<Claim> claims(const Fleet& fleet, Ppm dead_band) {
  std::vector<Claim> found;
  const auto all = standings(fleet.tree(), fleet.held(), dead_band);
  for (std::size_t a = 0; a < fleet.size(); ++a) {
    for (std::size_t b = 0; b < fleet.size(); ++b) {
      if (a == b || !fleet.is_leaf(a) || !fleet.is_leaf(b)) continue;
      const CardUnits most = most_to_take(fleet.tree(), all, a, b);
      if (most > 0) found.push_back({a, b, most});
    }
  }
  return found;
}

void check_seed(std::uint64_t seed) {
  Fleet fleet(seed);
  const Ppm dead_band = static_cast<Ppm>(fleet.rng().below(3)) * kPpmOne / 10;
  std::set<std::pair<std::size_t, std::size_t>> taken;  // who took, from whom
  CardUnits before = potential(fleet);
  for (auto open = claims(fleet, dead_band); !open.empty(); open = claims(fleet, dead_band)) {
    const Claim claim = open[fleet.rng().below(open.size())];
    const auto was = standings(fleet.tree(), fleet.held(), dead_band);
    const CardUnits units =
        1 + static_cast<CardUnits>(fleet.rng().below(static_cast<std::uint64_t>(claim.most)));
    fleet.move(claim.to, claim.from, fleet.rng().below(2) == 0 ? claim.most : units);
    RC_ASSERT(!taken.contains({claim.from, claim.to}));
    taken.insert({claim.to, claim.from});
    RC_ASSERT(fleet.held()[claim.from] >= was[claim.from].floor);
    RC_ASSERT(fleet.held()[claim.to] <= std::max(was[claim.to].share, was[claim.to].floor));
    const CardUnits now = potential(fleet);
    RC_ASSERT(now < before);
    before = now;
  }
}

RC_GTEST_PROP(ReclaimRight, EndsAndNoTwoTakeFromEachOther, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 50; ++i) check_seed(seed * 50 + i);
}

// Two queues of equal weight on 20 cards.
ShareTree two(CardUnits guarantee) {
  ShareTree tree;
  tree.capacity = 20 * kCard;
  tree.nodes = {{.guarantee = guarantee, .demand = 20 * kCard}, {.demand = 20 * kCard}};
  return tree;
}

TEST(ReclaimRightTest, ShortByNoMoreThanTheDeadBandTakesNothing) {
  const ShareTree tree = two(0);
  const auto most = [&](CardUnits held, Ppm dead_band) {
    const Held all = {held, 20 * kCard - held};
    return most_to_take(tree, standings(tree, all, dead_band), 0, 1);
  };
  EXPECT_EQ(most(9 * kCard, kPpmOne / 10), 0);
  EXPECT_EQ(most(9 * kCard - 1, kPpmOne / 10), kCard + 1);
  EXPECT_EQ(most(9 * kCard, 0), kCard);
}

TEST(ReclaimRightTest, WhatIsGuaranteedIsTakenBackInsideTheDeadBand) {
  const ShareTree tree = two(8 * kCard);
  const Held held = {15 * kCard / 2, 25 * kCard / 2};
  EXPECT_EQ(most_to_take(tree, standings(tree, held, kPpmOne), 0, 1), kCard / 2);
}

TEST(ReclaimRightTest, ASiblingGivesBeforeOthersDo) {
  ShareTree tree;
  tree.capacity = 20 * kCard;
  tree.nodes = {{},
                {},
                {.parent = 0, .demand = 20 * kCard},
                {.parent = 0, .demand = 20 * kCard},
                {.parent = 1, .demand = 20 * kCard}};
  const Held held = {10 * kCard, 10 * kCard, 2 * kCard, 8 * kCard, 10 * kCard};
  const auto all = standings(tree, held, 0);
  EXPECT_EQ(most_to_take(tree, all, 2, 3), 3 * kCard);
  EXPECT_EQ(most_to_take(tree, all, 2, 4), 0);
}

}  // namespace
}  // namespace berth::engine
