// Explanation: why a shape fits nowhere now, as rejections with numbers. The first one is the
// primary reason: the rule at which the node that came furthest still failed. Where no node has the
// cards, these come before CPU and host memory.
#pragma once

#include <optional>

#include "engine/cycle/card_classes.h"
#include "engine/state/cluster_state.h"
#include "model/rejection.h"

namespace berth::engine {

// Empty when a task of the shape fits somewhere. `classes` must have caught up. O(slots), and the
// cards of each class once.
Rejections explain(const ClusterState& state, const CardClasses& classes, ShapeIndex shape);
Rejections explain(const ClusterState& state, ShapeIndex shape);

// Nodes that cannot take a task of a shape that fits elsewhere: by their condition, or because a
// countable resource is short there.
Rejections explain_refusals(const ClusterState& state, const CardClasses& classes,
                            ShapeIndex shape);

// Cards that are not healthy on nodes that the shape may use. O(slots)
std::optional<Rejection> explain_health(const ClusterState& state, const CardClasses& classes,
                                        ShapeIndex shape);

}  // namespace berth::engine
