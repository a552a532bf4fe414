// Filters: what a node must be to serve a task of a shape, one small named object per rule, all in
// one table. The searches, `explain`, the fragmentation gauge and the repacker ask these and no
// others, so that what is told of a refusal is the rule that refused.
//
// A filter says what it reads: the kind of a node, its exact state (equal nodes share it), the node
// itself, or its cards. A search asks for each scope where it looks at such a thing, by
// `passes<scope>`, which costs no more than the conditions written out. Adding a filter = a struct
// and its name in NodeFilterTable; a cause in fragmentation.cc and a text in explain.cc if its rule
// is new. What one card must be for one device is a table of its own: the sharing modes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/placement/card_choice.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

enum class FilterScope : std::uint8_t { kKind, kState, kNode, kCards };

// The node belongs to the partition that the job runs in.
struct InPartition {
  static constexpr Rule kRule = Rule::kPartition;
  static constexpr std::string_view kName = "partition";
  static constexpr FilterScope kScope = FilterScope::kKind;
  static bool passes(const ClusterState& /*state*/, const NodeKind& kind, const Shape& shape) {
    return kind.partition == shape.partition;
  }
};

// The node has cards of a model that every device request accepts.
struct AcceptedModel {
  static constexpr Rule kRule = Rule::kModel;
  static constexpr std::string_view kName = "model";
  static constexpr FilterScope kScope = FilterScope::kKind;
  static bool passes(const ClusterState& state, const NodeKind& kind, const Shape& shape) {
    return model_accepted(state, kind, shape);
  }
};

// The node's cards are what the selector of every device request selects. Where it has no answer
// they are not.
struct SelectedDevice {
  static constexpr Rule kRule = Rule::kSelector;
  static constexpr std::string_view kName = "selector";
  static constexpr FilterScope kScope = FilterScope::kKind;
  static bool passes(const ClusterState& state, const NodeKind& kind, const Shape& shape) {
    return cards_selected(state, kind, shape);
  }
};

// The node takes new work: neither cordoned, draining nor lost. Only such nodes are in a slot.
struct TakesWork {
  static constexpr Rule kRule = Rule::kNodeState;
  static constexpr std::string_view kName = "node-state";
  static constexpr FilterScope kScope = FilterScope::kState;
  static bool passes(const ClusterState& /*state*/, const Slot& slot, const Shape& /*shape*/) {
    return slot.alive();
  }
  static bool passes(const ClusterState& /*state*/, const NodeRecord& node,
                     const Shape& /*shape*/) {
    return node.condition == NodeCondition::kReady;
  }
};

// Its room is kept for nobody. Only such nodes are in a slot.
struct NotKept {
  static constexpr Rule kRule = Rule::kReserved;
  static constexpr std::string_view kName = "reserved";
  static constexpr FilterScope kScope = FilterScope::kState;
  static bool passes(const ClusterState& /*state*/, const Slot& /*slot*/, const Shape& /*shape*/) {
    return true;
  }
  static bool passes(const ClusterState& /*state*/, const NodeRecord& node,
                     const Shape& /*shape*/) {
    return node.held_for.is_none();
  }
};

struct EnoughCpu {
  static constexpr Rule kRule = Rule::kCpu;
  static constexpr std::string_view kName = "cpu";
  static constexpr FilterScope kScope = FilterScope::kState;
  template <typename Place>  // whatever has free CPU
  static bool passes(const ClusterState& /*state*/, const Place& place, const Shape& shape) {
    return place.cpu_free >= shape.request.cpu_milli;
  }
};

struct EnoughHostMemory {
  static constexpr Rule kRule = Rule::kHostMemory;
  static constexpr std::string_view kName = "host-memory";
  static constexpr FilterScope kScope = FilterScope::kNode;
  template <typename Place>  // whatever has free host memory
  static bool passes(const ClusterState& /*state*/, const Place& place, const Shape& shape) {
    return place.memory_free >= shape.request.memory_mib;
  }
};

struct EnoughCountables {
  static constexpr Rule kRule = Rule::kCountable;
  static constexpr std::string_view kName = "countable";
  static constexpr FilterScope kScope = FilterScope::kNode;
  static bool passes(const ClusterState& /*state*/, const NodeRecord& node, const Shape& shape) {
    return lacking_resource(node, shape.request.resources) == nullptr;
  }
};

// The cards can take all devices of the task together.
struct CardsHaveRoom {
  static constexpr Rule kRule = Rule::kCards;
  static constexpr std::string_view kName = "cards";
  static constexpr FilterScope kScope = FilterScope::kCards;
  static bool passes(const ClusterState& state, const Slot& slot, const Shape& shape) {
    return cards_serve(state, slot, shape);
  }
};

// A row of the table, to be asked about a node as it is now.
struct NodeFilter {
  Rule rule;
  std::string_view name;
  FilterScope scope;
  bool (*passes)(const ClusterState& state, const NodeRecord& node, const Shape& shape);
};

template <typename... Filters>
struct FilterTable {
  static constexpr std::size_t kCount = sizeof...(Filters);

  // Whether the place passes all filters of one scope.
  template <FilterScope scope, typename Place>
  static bool passes(const ClusterState& state, const Place& place, const Shape& shape) {
    return (passes_if<Filters, scope>(state, place, shape) && ...);
  }

  static constexpr std::array<NodeFilter, kCount> rows() {
    return {NodeFilter{Filters::kRule, Filters::kName, Filters::kScope, &of_node<Filters>}...};
  }

 private:
  template <typename Filter, FilterScope scope, typename Place>
  static bool passes_if(const ClusterState& state, const Place& place, const Shape& shape) {
    if constexpr (Filter::kScope == scope) {
      return Filter::passes(state, place, shape);
    } else {
      return true;
    }
  }

  template <typename Filter>
  static bool of_node(const ClusterState& state, const NodeRecord& node, const Shape& shape) {
    if constexpr (Filter::kScope == FilterScope::kKind) {
      return Filter::passes(state, state.node_kind(node.kind), shape);
    } else if constexpr (Filter::kScope == FilterScope::kCards) {
      return !node.slot.is_none() && Filter::passes(state, state.slots().slot(node.slot), shape);
    } else {
      return Filter::passes(state, node, shape);
    }
  }
};

// THE table. The order is that of explanations: a node's reason is the first filter it fails, and
// the nodes that came furthest give the primary reason of a shape. What may become ready by itself
// (a fabric claim, a licence) comes after what only room can cure.
using NodeFilterTable = FilterTable<InPartition, AcceptedModel, SelectedDevice, TakesWork, NotKept,
                                    EnoughCpu, EnoughHostMemory, CardsHaveRoom, EnoughCountables>;
inline constexpr auto kNodeFilters = NodeFilterTable::rows();

// The first of the filters that the node fails; null when it passes all.
const NodeFilter* first_refusal(const ClusterState& state, const NodeRecord& node,
                                const Shape& shape);
// The same but for the one that looks at the cards.
const NodeFilter* first_refusal_beside_cards(const ClusterState& state, const NodeRecord& node,
                                             const Shape& shape);

// Whether a task of the shape fits on the node now.
inline bool serves(const ClusterState& state, const NodeRecord& node, const Shape& shape) {
  return first_refusal(state, node, shape) == nullptr;
}

// Whether nodes of the kind may serve the shape at all.
inline bool kind_admits(const ClusterState& state, NodeKindIndex kind, const Shape& shape) {
  return NodeFilterTable::passes<FilterScope::kKind>(state, state.node_kind(kind), shape);
}

// What a slot must have besides its cards.
inline bool slot_admits(const ClusterState& state, const Slot& slot, const Shape& shape) {
  return NodeFilterTable::passes<FilterScope::kState>(state, slot, shape) &&
         kind_admits(state, slot.kind, shape);
}

// What nodes of one slot may differ in.
inline bool has_room(const ClusterState& state, NodeIndex node, const Shape& shape) {
  return NodeFilterTable::passes<FilterScope::kNode>(state, state.node(node), shape);
}

// The first node by name of the slot that has_room for the shape; none where there is none.
NodeIndex first_with_room(const ClusterState& state, const Slot& slot, const Shape& shape);

}  // namespace berth::engine
