// QueueOrder: whose turn it is. Down the queue tree, at each level the queue with the lowest share
// goes first; inside a queue, the line whose head comes first by class, priority and the policy's
// order. Nothing depends on names: what is otherwise equal goes by the order of submission.
//
// Made for one cycle. Only queues that come near their turn are looked at closely: until then a
// lower bound of their share stands for them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/quota/job_quota.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// Where a queue stands among its siblings; the least goes first.
struct ShareKey {
  bool borrows = false;  // the head would take it above its guarantee
  std::int64_t negative_priority = 0;
  CardUnits held = 0;      // within the guarantee: held / guarantee; above: excess / weight
  CardUnits of = 1;        // > 0
  std::uint64_t head = 0;  // job id; 0: not looked at yet

  friend bool operator<(const ShareKey& a, const ShareKey& b);
};

// Where a line stands in its queue; the least goes first.
struct LineKey {
  JobClass job_class = JobClass::kTraining;
  std::int64_t negative_priority = 0;  // ageing included
  std::uint8_t kind = 0;               // 0: hole of a running gang, 1: new work, 2: growth
  std::int64_t order = 0;              // by the policy
  JobId head;

  friend auto operator<=>(const LineKey&, const LineKey&) = default;
};

struct Turn {
  LineKey key;
  SpecIndex spec;  // of the head
};

class QueueOrder {
 public:
  QueueOrder(const ClusterState& state, AskFlavours& flavours, TimeMs now);

  // Something of the queue that wants to be looked at.
  void add(const Turn& turn);
  // Whose turn it is; nothing when all have had theirs. It stays that one until `end_turn`.
  std::optional<Turn> next();
  // The turn is over; the queue's usage may have changed. `again`: what stands there now.
  void end_turn(std::optional<Turn> again);

 private:
  // A queue among its siblings, or (index none) the queue's own lines among its children.
  struct Child {
    ShareKey key;
    QueueIndex queue;
    bool exact = false;
  };
  struct Node {
    bool active = false;
    bool built = false;
    std::vector<Turn> turns;           // own lines; a heap once built
    std::vector<QueueIndex> children;  // with something to look at
    std::vector<Child> heap;
  };

  Node& node(QueueIndex queue) { return queue.is_none() ? root_ : nodes_[queue.value()]; }
  void build(QueueIndex queue);
  const Turn* best(QueueIndex queue);
  const Turn* best_of(QueueIndex queue, const Child& child);
  ShareKey bound_of(QueueIndex parent, QueueIndex child) const;
  ShareKey key_of(QueueIndex parent, QueueIndex child, const Turn& turn) const;
  ShareKey share(QueueIndex queue, bool own, FlavourIndex flavour, const Charge& more) const;

  const ClusterState& state_;
  AskFlavours& flavours_;
  TimeMs now_;
  std::vector<FlavourIndex> all_flavours_;
  Node root_;
  std::vector<Node> nodes_;  // by queue
};

// The key of a pending line with this head.
LineKey line_key(const ClusterState& state, SpecIndex spec, JobId head, TimeMs now);

}  // namespace berth::engine
