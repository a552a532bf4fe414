#include "sim/gang_spreads.h"

#include <algorithm>
#include <functional>

#include "engine/placement/spread.h"

namespace berth::sim {
namespace {

struct Bucket {
  const char* name;
  std::size_t most;  // nodes
};
constexpr Bucket kBuckets[] = {{"2-3 nodes", 3},
                               {"4-7 nodes", 7},
                               {"8-15 nodes", 15},
                               {"16-31 nodes", 31},
                               {"32 nodes and more", ~std::size_t{0}}};

}  // namespace

GangSpreads::GangSpreads(const engine::ClusterState& state) {
  const engine::TopologyTree& tree = state.topology_tree();
  for (std::uint32_t d = 0; d < tree.size(); ++d) {
    const std::size_t nodes = tree.domain(DomainIndex(d)).nodes.size();
    if (nodes > 0) sizes_.push_back(nodes);
  }
  std::sort(sizes_.begin(), sizes_.end(), std::greater<>());
  for (const Bucket& bucket : kBuckets) groups_.push_back({bucket.name, 0, 0, 0, 0});
}

void GangSpreads::started(const engine::ClusterState& state, const engine::JobRecord& job) {
  if (sizes_.empty()) return;
  std::vector<NodeIndex> nodes;
  for (const LeaseId id : job.leases) nodes.push_back(state.find_lease(id)->placement.node);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (nodes.size() < 2) return;
  const auto domains = engine::lowest_domains(state.topology_tree(), nodes).size();
  const auto* bucket = std::find_if(std::begin(kBuckets), std::end(kBuckets),
                                    [&](const Bucket& b) { return nodes.size() <= b.most; });
  GangSpread& group = groups_[static_cast<std::size_t>(bucket - std::begin(kBuckets))];
  ++group.gangs;
  group.in_one += domains == 1 ? 1 : 0;
  group.domains += static_cast<double>(domains);
  group.least += static_cast<double>(engine::fewest_domains(sizes_, nodes.size()));
}

std::vector<GangSpread> GangSpreads::result() const {
  std::vector<GangSpread> groups = groups_;
  std::erase_if(groups, [](const GangSpread& group) { return group.gangs == 0; });
  for (GangSpread& group : groups) {
    group.domains /= static_cast<double>(group.gangs);
    group.least /= static_cast<double>(group.gangs);
  }
  return groups;
}

}  // namespace berth::sim
