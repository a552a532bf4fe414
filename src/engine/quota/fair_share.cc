#include "engine/quota/fair_share.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/check.h"
#include "engine/quota/max_min.h"

namespace berth::engine {
namespace {

using Wide = __int128;

// What one of several siblings asks.
struct Claim {
  CardUnits guarantee = 0;
  CardUnits demand = 0;
  std::uint32_t weight = 1;
  CardUnits head_start = 0;

  CardUnits guaranteed() const { return std::min(guarantee, demand); }
};

std::vector<CardUnits> scaled_guarantees(std::span<const Claim> claims, CardUnits amount) {
  std::vector<MaxMinClaim> promised;
  promised.reserve(claims.size());
  for (const Claim& claim : claims) promised.push_back({claim.guarantee, claim.guaranteed(), 0});
  return weighted_max_min(promised, amount);
}

std::vector<CardUnits> idle_shares(std::span<const Claim> claims, CardUnits idle) {
  std::vector<MaxMinClaim> wanted;
  wanted.reserve(claims.size());
  for (const Claim& claim : claims) {
    wanted.push_back({claim.weight, claim.demand - claim.guaranteed(), claim.head_start});
  }
  return weighted_max_min(wanted, idle);
}

std::vector<CardUnits> divide(std::span<const Claim> claims, CardUnits amount) {
  Wide guaranteed = 0;
  for (const Claim& claim : claims) guaranteed += claim.guaranteed();
  if (guaranteed > amount) return scaled_guarantees(claims, amount);
  auto shares = idle_shares(claims, amount - static_cast<CardUnits>(guaranteed));
  for (std::size_t i = 0; i < claims.size(); ++i) shares[i] += claims[i].guaranteed();
  return shares;
}

void check_preconditions(const ShareTree& tree) {
  BERTH_CHECK(tree.capacity >= 0 && tree.history_ppm >= 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const ShareNode& node = tree.nodes[i];
    BERTH_CHECK(!node.parent || *node.parent < i);
    BERTH_CHECK(node.guarantee >= 0 && node.demand >= 0 && node.history >= 0);
    BERTH_CHECK(!node.limit || *node.limit >= 0);
  }
}

class Division {
 public:
  explicit Division(const ShareTree& tree)
      : tree_(tree),
        subtrees_(subtrees_of(tree)),
        children_(tree.nodes.size()),
        shares_(tree.nodes.size(), 0) {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const auto parent = tree.nodes[i].parent;
      (parent ? children_[*parent] : roots_).push_back(i);
    }
    give(roots_, claims_of(roots_), tree.capacity);
    for (std::size_t i = 0; i < subtrees_.size(); ++i) {
      const std::vector<std::size_t>& children = children_[i];
      if (children.empty()) continue;
      std::vector<Claim> claims = claims_of(children);
      claims.push_back(own_claim(i));
      give(children, claims, shares_[i]);
    }
  }

  const std::vector<CardUnits>& shares() const { return shares_; }

 private:
  CardUnits head_start(CardUnits history) const {
    const Wide counted = static_cast<Wide>(history) * tree_.history_ppm / kPpmOne;
    return static_cast<CardUnits>(std::min<Wide>(counted, std::numeric_limits<CardUnits>::max()));
  }

  std::vector<Claim> claims_of(std::span<const std::size_t> siblings) const {
    std::vector<Claim> claims;
    claims.reserve(siblings.size() + 1);
    for (const std::size_t i : siblings) {
      const ShareNode& node = tree_.nodes[i];
      claims.push_back(
          {subtrees_[i].guarantee, subtrees_[i].demand, node.weight, head_start(node.history)});
    }
    return claims;
  }

  Claim own_claim(std::size_t i) const {
    const ShareNode& node = tree_.nodes[i];
    const ShareSubtree& subtree = subtrees_[i];
    const CardUnits history = std::max<CardUnits>(0, node.history - subtree.children_history);
    return {subtree.guarantee - subtree.children_guarantee, node.demand, 1, head_start(history)};
  }

  // The last claim may be the parent's own, which has no place in the result.
  void give(std::span<const std::size_t> siblings, std::span<const Claim> claims,
            CardUnits amount) {
    const std::vector<CardUnits> shares = divide(claims, amount);
    for (std::size_t i = 0; i < siblings.size(); ++i) shares_[siblings[i]] = shares[i];
  }

  const ShareTree& tree_;
  std::vector<ShareSubtree> subtrees_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> roots_;
  std::vector<CardUnits> shares_;
};

}  // namespace

// From the leaves up, as children come after their parents.
std::vector<ShareSubtree> subtrees_of(const ShareTree& tree) {
  std::vector<ShareSubtree> all(tree.nodes.size());
  for (std::size_t i = all.size(); i-- > 0;) {
    const ShareNode& node = tree.nodes[i];
    ShareSubtree& subtree = all[i];
    subtree.demand = saturating_add(subtree.demand, node.demand);
    if (node.limit) subtree.demand = std::min(subtree.demand, *node.limit);
    subtree.guarantee = std::max(node.guarantee, subtree.children_guarantee);
    if (!node.parent) continue;
    ShareSubtree& parent = all[*node.parent];
    parent.demand = saturating_add(parent.demand, subtree.demand);
    parent.children_guarantee = saturating_add(parent.children_guarantee, subtree.guarantee);
    parent.children_history = saturating_add(parent.children_history, node.history);
  }
  return all;
}

std::vector<CardUnits> fair_shares(const ShareTree& tree) {
  check_preconditions(tree);
  return Division(tree).shares();
}

}  // namespace berth::engine
