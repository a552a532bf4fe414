#include "engine/quota/reclaim_right.h"

#include <algorithm>

#include "base/check.h"

namespace berth::engine {
namespace {

// From the root down.
std::vector<std::size_t> path_to(const ShareTree& tree, std::size_t node) {
  std::vector<std::size_t> path = {node};
  while (tree.nodes[path.back()].parent) path.push_back(*tree.nodes[path.back()].parent);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

std::vector<Standing> standings(const ShareTree& tree, std::span<const CardUnits> held,
                                Ppm dead_band) {
  BERTH_CHECK(held.size() == tree.nodes.size());
  const std::vector<CardUnits> shares = fair_shares(tree);
  const std::vector<ShareSubtree> subtrees = subtrees_of(tree);
  std::vector<Standing> all(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    Standing& one = all[i];
    one.share = shares[i];
    one.floor = std::min(subtrees[i].guarantee, subtrees[i].demand);
    one.owed = std::max<CardUnits>(0, one.floor - held[i]);
    const auto band =
        static_cast<CardUnits>(static_cast<__int128>(one.share) * dead_band / kPpmOne);
    const CardUnits below = std::max<CardUnits>(0, one.share - held[i]);
    one.wanting = std::max(one.owed, below > band ? below : 0);
    one.spare = std::max<CardUnits>(0, held[i] - std::max(one.share, one.floor));
  }
  return all;
}

CardUnits most_to_take(const ShareTree& tree, std::span<const Standing> standings,
                       std::size_t claimant, std::size_t victim) {
  const std::vector<std::size_t> up = path_to(tree, claimant);
  const std::vector<std::size_t> down = path_to(tree, victim);
  const auto [a, b] = std::mismatch(up.begin(), up.end(), down.begin(), down.end());
  if (a == up.end() || b == down.end()) return 0;  // one lies in the other
  CardUnits most = standings[*a].wanting;
  for (auto it = a; it != up.end(); ++it) most = std::min(most, standings[*it].wanting);
  for (auto it = b; it != down.end(); ++it) most = std::min(most, standings[*it].spare);
  return most;
}

}  // namespace berth::engine
