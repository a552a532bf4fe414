#include "engine/placement/spread.h"

#include <algorithm>

#include "engine/reserve/vacancy.h"

namespace berth::engine {

std::uint64_t DomainScore::of(DomainIndex domain) {
  if (const std::uint64_t* known = known_.find(domain)) return *known;
  std::uint64_t coming = 0;
  const Domain& here = state_.topology_tree().domain(domain);
  for (const NodeIndex node : here.nodes) {
    const std::uint32_t most = room_.most_on(state_, node);
    const std::uint32_t now = room_.on_node(node);
    if (most <= now || !state_.node(node).takes_work()) continue;
    coming += std::uint64_t{most - now} * vacancy(state_, node, now_, kRoomComesUp);
  }
  std::uint64_t score = coming / 2;
  for (const DomainIndex child : here.children) score += of(child) - least(child);
  score += least(domain);
  known_.insert(domain, score);
  return score;
}

std::vector<DomainShare> Spread::over(DomainIndex scope, std::uint32_t tasks) {
  std::vector<DomainIndex> lowest;
  std::vector<DomainIndex> above;
  collect(scope, lowest, above);
  Plan best = fewest(std::move(lowest), tasks);
  if (best.shares.size() < 2) return best.shares;
  // as few inside one domain further up? the lowest such domain
  std::sort(above.begin(), above.end(), [&](DomainIndex a, DomainIndex b) {
    const Domain& left = tree().domain(a);
    const Domain& right = tree().domain(b);
    return left.rank != right.rank ? left.rank < right.rank : left.name < right.name;
  });
  const std::size_t count = best.shares.size();
  std::uint32_t rank = 0;  // of the domain that holds the best so far; 0: none
  for (const DomainIndex domain : above) {
    if (rank > 0 && tree().domain(domain).rank > rank) break;
    if (room_.in_domain(domain) < best.tasks) continue;
    std::vector<DomainIndex> inside;
    std::vector<DomainIndex> rest;
    collect(domain, inside, rest);
    Plan plan = fewest(std::move(inside), tasks);
    if (plan.tasks < best.tasks || plan.shares.size() > count) continue;
    if (rank > 0 && plan.score >= best.score) continue;
    rank = tree().domain(domain).rank;
    best = std::move(plan);
  }
  return leveled(std::move(best.shares));
}

// As equal as room allows, over the same domains.
std::vector<DomainShare> Spread::leveled(std::vector<DomainShare> shares) const {
  std::stable_sort(shares.begin(), shares.end(), [&](const DomainShare& a, const DomainShare& b) {
    return room_.in_domain(a.domain) > room_.in_domain(b.domain);
  });
  std::uint64_t rest = 0;
  for (const DomainShare& share : shares) rest += share.tasks;
  for (std::size_t left = shares.size(); left > 0; --left) {  // the one with the least room first
    DomainShare& share = shares[left - 1];
    share.tasks = static_cast<std::uint32_t>(std::min(rest / left, room_.in_domain(share.domain)));
    rest -= share.tasks;
  }
  return shares;
}

// Largest first, and the best of those that hold all that is left.
Spread::Plan Spread::fewest(std::vector<DomainIndex> domains, std::uint32_t tasks) {
  const auto room = [&](DomainIndex domain) { return room_.in_domain(domain); };
  std::sort(domains.begin(), domains.end(),
            [&](DomainIndex a, DomainIndex b) { return room(a) < room(b); });
  Plan plan;
  while (plan.tasks < tasks && !domains.empty()) {
    const std::uint64_t rest = tasks - plan.tasks;
    const std::uint64_t least = std::min(rest, room(domains.back()));
    const auto first =
        std::lower_bound(domains.begin(), domains.end(), least,
                         [&](DomainIndex d, std::uint64_t r) { return room(d) < r; });
    const auto chosen = first + static_cast<std::ptrdiff_t>(best_of({first, domains.end()}));
    plan.shares.push_back({*chosen, static_cast<std::uint32_t>(least)});
    plan.tasks += least;
    plan.score += score_.of(*chosen);
    domains.erase(chosen);
  }
  return plan;
}

std::size_t Spread::best_of(std::span<const DomainIndex> domains) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < domains.size(); ++i) {
    if (is_better(domains[i], domains[best])) best = i;
  }
  return best;
}

bool Spread::is_better(DomainIndex a, DomainIndex b) {
  if (is_used(a) != is_used(b)) return is_used(a);
  if (score_.least(a) > score_.of(b)) return false;
  const std::uint64_t left = score_.of(a);
  const std::uint64_t right = score_.of(b);
  return left != right ? left < right : tree().domain(a).name < tree().domain(b).name;
}

bool Spread::is_used(DomainIndex domain) const {
  return std::find(used_.begin(), used_.end(), domain) != used_.end();
}

void Spread::collect(DomainIndex scope, std::vector<DomainIndex>& lowest,
                     std::vector<DomainIndex>& above) const {
  const auto visit = [&](DomainIndex domain) {
    if (room_.in_domain(domain) == 0) return;
    if (tree().domain(domain).children.empty()) {
      lowest.push_back(domain);
    } else {
      above.push_back(domain);
      collect(domain, lowest, above);
    }
  };
  if (scope.is_none()) {
    for (const DomainIndex root : tree().roots()) visit(root);
    return;
  }
  if (tree().domain(scope).children.empty()) return lowest.push_back(scope);
  for (const DomainIndex child : tree().domain(scope).children) visit(child);
}

std::size_t fewest_domains(std::span<const std::size_t> largest_first, std::size_t nodes) {
  std::size_t count = 0;
  for (std::size_t held = 0; held < nodes && count < largest_first.size(); ++count) {
    held += largest_first[count];
  }
  return count;
}

std::vector<DomainIndex> lowest_domains(const TopologyTree& tree,
                                        std::span<const NodeIndex> nodes) {
  std::vector<DomainIndex> found;
  for (const NodeIndex node : nodes) {
    const DomainIndex domain = tree.lowest(node);
    if (!domain.is_none()) found.push_back(domain);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace berth::engine
