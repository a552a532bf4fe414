#include "engine/placement/single_search.h"

#include <algorithm>

#include "base/lookup_map.h"
#include "engine/placement/blocks.h"
#include "engine/placement/spread.h"
#include "engine/reserve/vacancy.h"

namespace berth::engine {
namespace {

// What a task keeps from coming free: the worth of the whole node, as likely as that would be empty
// soon.
class VacancyToll final : public NodeToll {
 public:
  VacancyToll(const ClusterState& state, TimeMs now) : state_(state), now_(now) {}

  std::int64_t of(NodeIndex node) const override {
    constexpr DurationMs kSoon = 4 * kHourMs;
    const std::int64_t chance = vacancy(state_, node, now_, kSoon);
    const auto cards = static_cast<std::int64_t>(state_.node(node).cards.size());
    return kCardWorth * cards * chance / kCertain * state_.policy().locality_ppm / kPpmOne;
  }

 private:
  const ClusterState& state_;
  TimeMs now_;
};

}  // namespace

std::optional<Candidate> SingleSearch::find(ShapeIndex shape, const SearchScope& scope) {
  auto cheapest = placer_.find_in(state_, shape, scope);
  if (!cheapest) return cheapest;
  SearchScope there;
  there.models = scope.models;
  there.all_nodes = false;
  std::optional<Candidate> better;
  if (state_.node(cheapest->node).leases.empty()) {
    const NodeIndex best = in_best_domain(alike(cheapest->node, scope.nodes));
    there.nodes = {&best, 1};
    better = placer_.find_in(state_, shape, there);
  } else if (state_.policy().scores.empty()) {
    const std::vector<NodeIndex> used = used_nodes(cheapest->node, scope.nodes);
    const VacancyToll toll(state_, now_);
    there.nodes = used;
    there.toll = &toll;
    better = placer_.find_in(state_, shape, there);
  }
  return better ? better : cheapest;
}

// Nodes in the same state as this one, by name; the first of many.
std::vector<NodeIndex> SingleSearch::alike(NodeIndex node,
                                           std::span<const NodeIndex> within) const {
  const Slot& slot = state_.slots().slot(state_.node(node).slot);
  std::vector<NodeIndex> nodes;
  for (auto it = slot.nodes.rbegin(); it != slot.nodes.rend() && nodes.size() < kMostLooks; ++it) {
    const bool inside =
        within.empty() || std::find(within.begin(), within.end(), *it) != within.end();
    if (inside) nodes.push_back(*it);
  }
  return nodes;
}

// Nodes on which something runs, those in one state side by side; of very many those like `node`.
std::vector<NodeIndex> SingleSearch::used_nodes(NodeIndex node,
                                                std::span<const NodeIndex> within) const {
  const std::size_t all = within.empty() ? state_.nodes().size() : within.size();
  if (all > kMostLooks) return alike(node, within);
  std::vector<NodeIndex> nodes;
  for (std::uint32_t i = 0; i < all; ++i) {
    const NodeIndex one = within.empty() ? NodeIndex(i) : within[i];
    if (!state_.node(one).leases.empty() && !state_.node(one).slot.is_none()) nodes.push_back(one);
  }
  std::sort(nodes.begin(), nodes.end(), [&](NodeIndex a, NodeIndex b) {
    return state_.node(a).slot != state_.node(b).slot ? state_.node(a).slot < state_.node(b).slot
                                                      : a < b;
  });
  return nodes;
}

// The first by name of the empty nodes that lies where the fewest such nodes are and come up soon.
NodeIndex SingleSearch::in_best_domain(std::span<const NodeIndex> empty) const {
  struct Group {
    DomainIndex domain;
    NodeIndex first;
    std::uint64_t count = 0;
  };
  std::vector<Group> groups;
  LookupMap<DomainIndex, std::size_t> rows;
  for (const NodeIndex node : empty) {
    const DomainIndex domain = state_.topology_tree().lowest(node);
    if (rows.insert(domain, groups.size())) groups.push_back({domain, node, 0});
    ++groups[*rows.find(domain)].count;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.count < b.count; });
  const Group* best = nullptr;
  std::uint64_t least = 0;
  for (const Group& group : groups) {
    if (best != nullptr && group.count * kCertain > least) break;
    const std::uint64_t score = group.count * kCertain + coming_up(group.domain) / 2;
    const bool first = best == nullptr || score < least ||
                       (score == least &&
                        state_.node(group.first).name_order < state_.node(best->first).name_order);
    if (!first) continue;
    best = &group;
    least = score;
  }
  return best->first;
}

// Nodes of the domain that are in use and expected to be empty soon, in 1/kCertain.
std::uint64_t SingleSearch::coming_up(DomainIndex domain) const {
  std::uint64_t coming = 0;
  if (domain.is_none()) return coming;
  for (const NodeIndex node : state_.topology_tree().domain(domain).nodes) {
    if (state_.node(node).leases.empty() || !state_.node(node).takes_work()) continue;
    coming += vacancy(state_, node, now_, kRoomComesUp);
  }
  return coming;
}

}  // namespace berth::engine
