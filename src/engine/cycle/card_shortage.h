// How the cards of one node fall short of one device request, for explanations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/state/cluster_state.h"
#include "model/rejection.h"

namespace berth::engine {

struct CardShortage {
  Rejection rejection;
  std::int64_t nearness = 0;     // more is nearer to success
  std::uint64_t name_order = 0;  // of the node
};

// Of the shape's request of this number; the cards of the node cannot take it.
CardShortage card_shortage(const ClusterState& state, const Shape& shape, const NodeRecord& node,
                           std::size_t request);

}  // namespace berth::engine
