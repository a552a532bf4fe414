// SingleSearch: where a task that comes alone lies best on a fleet with domains. Beside the
// engine's own cost it counts what others will want whole: a node in use is dearer the likelier it
// is to be empty soon, and an empty one is taken where the fewest are and come up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/placement/placer.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

class SingleSearch {
 public:
  SingleSearch(const ClusterState& state, Placer& placer, TimeMs now)
      : state_(state), placer_(placer), now_(now) {}

  // Nothing when it fits nowhere in the scope.
  std::optional<Candidate> find(ShapeIndex shape, const SearchScope& scope);

 private:
  static constexpr std::size_t kMostLooks = 1024;  // at nodes

  std::vector<NodeIndex> alike(NodeIndex node, std::span<const NodeIndex> within) const;
  std::vector<NodeIndex> used_nodes(NodeIndex node, std::span<const NodeIndex> within) const;
  NodeIndex in_best_domain(std::span<const NodeIndex> empty) const;
  std::uint64_t coming_up(DomainIndex domain) const;

  const ClusterState& state_;
  Placer& placer_;
  TimeMs now_;
};

}  // namespace berth::engine
