// Events about nodes and their cards; see model/event.h.
#pragma once

#include <cstdint>
#include <memory>

#include "base/ids.h"
#include "base/units.h"
#include "model/fleet.h"
#include "model/words.h"

namespace berth {

struct NodeJoined {
  NodeIndex node;
  std::shared_ptr<const NodeSpec> spec;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.node, self.spec);
  }
};
struct NodeConditionChanged {
  NodeIndex node;
  NodeCondition condition = NodeCondition::kReady;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.node, self.condition);
  }
};
// What a node that is lost will be once it is back.
struct NodeConditionWanted {
  NodeIndex node;
  NodeCondition condition = NodeCondition::kReady;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.node, self.condition);
  }
};
struct CardHealthChanged {
  NodeIndex node;
  std::uint16_t card = 0;
  CardHealth health = CardHealth::kHealthy;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.node, self.card, self.health);
  }
};
// The provider takes the node away at the deadline.
struct InterruptionNoticed {
  NodeIndex node;
  TimeMs deadline = kNever;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.node, self.deadline);
  }
};

}  // namespace berth
