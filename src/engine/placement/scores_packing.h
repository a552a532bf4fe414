// The packing rules that FGD (USENIX ATC'23) was measured against, with their exact integer scores.
// Source: its artifact, hkust-adsl/kubernetes-scheduler-simulator commit 8f3d641. There a higher
// score wins; the costs here are those scores with the sign turned.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/placement/score.h"

namespace berth::engine {

// Where free amounts and request, as vectors of CPU and GPU, have the smallest dot product.
class DotProduct final : public Score {
 public:
  std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                  const CardChoice& choice) const override;
};

// Where least CPU and GPU is left, both against fixed normalisers.
class BestFitOfFgd final : public Score {
 public:
  std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                  const CardChoice& choice) const override;
};

// Used cards before free ones, used nodes before free ones.
class Packing final : public Score {
 public:
  std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                  const CardChoice& choice) const override;
};

// Nodes that hold tasks of the same class (a share, or one, two, four or eight cards).
class Clustering final : public Score {
 public:
  void refresh(const ClusterState& state) override;
  std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                  const CardChoice& choice) const override;
  bool tells_nodes_apart() const override { return true; }
  std::int64_t of_node(const ClusterState& state, NodeIndex node,
                       const Shape& shape) const override;

 private:
  void add(const ClusterState& state, const Lease& lease);

  // Classes that the leases of each node have, one bit a class. A place that a cycle only tries
  // counts once it is leased.
  std::vector<std::uint8_t> classes_;
  std::size_t leases_ = 0;  // counted in classes_
  LeaseId next_ = LeaseId(1);
};

}  // namespace berth::engine
