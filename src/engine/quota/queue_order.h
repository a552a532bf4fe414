// QueueOrder: whose turn it is. Down the queue tree, at each level the queue with the lowest share
// goes first; inside a queue, the line whose head comes first by class, priority and the queue's or
// the policy's order. Where the policy's is the predicted GPU time, or the attained service, it
// also decides between queues, in place of their shares; by attained service who stays within his
// guarantee goes first. Nothing depends on names: what is otherwise equal goes by the order of
// submission.
//
// Made for one cycle. Only queues that come near their turn are looked at closely: until then a
// lower bound of their share stands for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/quota/job_quota.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

// Where a queue stands among its siblings; the least goes first.
struct ShareKey {
  // 0: the head keeps it within its guarantee, 1: takes it above; by predicted GPU time the head's
  // tier (lending.h).
  std::uint8_t rank = 0;
  std::int64_t negative_priority = 0;  // ageing lifts it to the highest beside it at most
  std::uint8_t after_holes = 1;        // 0: the head is the hole of a running gang
  // Within the guarantee: held / guarantee; above: excess / weight. By predicted GPU time: that of
  // the head / 1.
  CardUnits held = 0;
  CardUnits of = 1;        // > 0
  std::uint64_t head = 0;  // job id

  friend bool operator<(const ShareKey& a, const ShareKey& b);
};

// Where a line stands in its queue; the least goes first.
struct LineKey {
  JobClass job_class = JobClass::kTraining;
  std::int64_t negative_priority = 0;  // ageing included
  std::uint8_t kind = 0;               // 0: hole of a running gang, 1: new work, 2: growth
  std::uint8_t tier = 0;               // by the standings of the queues (lending.h)
  std::int64_t order = 0;              // by `order_inside`
  JobId head;

  friend auto operator<=>(const LineKey&, const LineKey&) = default;
};

struct Turn {
  LineKey key;
  SpecIndex spec;        // of the head
  bool borrows = false;  // it found no room where its queue stays within its guarantee
};

// Where the lines of queues come from, when there are too many to add one by one: asked only about
// queues that come near their turn.
class LineSource {
 public:
  virtual ~LineSource() = default;
  // What the queue itself has to be looked at, in any order.
  virtual std::vector<Turn> turns_of(QueueIndex queue) = 0;
  // Whether it may be placed now; what may not has no part in the order. Usage only grows until
  // the end of the cycle and room only shrinks, so that it is not asked again once it may not.
  virtual bool in_play(const Turn& turn) = 0;
};

class QueueOrder {
 public:
  // Without a source all that is added is in play.
  QueueOrder(const ClusterState& state, AskFlavours& flavours, TimeMs now,
             LineSource* source = nullptr);

  // Something of the queue that wants to be looked at.
  void add(const Turn& turn);
  // The source has this line.
  void open(const PendingLine& line);
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
  // Flavours as bits; those past the last bit but one share it, the last stands for work of none.
  using FlavourBits = std::uint64_t;
  static constexpr unsigned kSharedBit = 62;
  static constexpr unsigned kNoFlavourBit = 63;

  struct Node {
    bool active = false;
    bool open = false;
    bool built = false;
    // What bounds keys: flavours that lines may run in, and the oldest head of those of none, whose
    // keys are all equal.
    struct Reach {
      FlavourBits flavours = 0;
      JobId head;
      bool holes = false;  // of running gangs

      void widen(const Reach& other) {
        flavours |= other.flavours;
        head = std::min(head, other.head);
        holes = holes || other.holes;
      }
      bool holds(const Reach& other) const {
        return (flavours & other.flavours) == other.flavours && head <= other.head &&
               (holes || !other.holes);
      }
    };
    // Of its lines: those that quota can't refuse go before all of lower rank, so that only the
    // best of them count; the others count each.
    bool unlimited = false;
    std::pair<JobClass, std::int64_t> rank = {JobClass::kTraining, INT64_MAX};  // of the best
    Reach best;
    Reach others;
    Reach all;  // of both, and of all queues below

    Reach own() const {
      Reach sum = others;
      sum.widen(best);
      return sum;
    }
    std::vector<Turn> turns;           // own lines; a heap once built
    std::vector<QueueIndex> children;  // with something to look at
    std::vector<Child> heap;
  };

  bool by_gpu_time() const;
  bool by_level() const;
  Turn ranked(Turn turn) const;
  std::int64_t gpu_time(const SpecRecord& spec) const;
  Node& node(QueueIndex queue) { return queue.is_none() ? root_ : nodes_[queue.value()]; }
  void note(QueueIndex queue);
  void note_opened();
  FlavourBits bits_of(AskIndex ask);
  void build(QueueIndex queue);
  const Turn* best(QueueIndex queue);
  const Turn* best_of(QueueIndex queue, const Child& child);
  ShareKey bound_of(QueueIndex parent, QueueIndex child);
  ShareKey key_of_none(QueueIndex queue) const;
  ShareKey key_of(QueueIndex parent, QueueIndex child, const Turn& turn) const;
  ShareKey share(QueueIndex queue, bool own, FlavourIndex flavour, const Charge& more,
                 bool borrows = false) const;
  ShareKey share_of(QueueIndex queue, bool own, const Turn& turn) const;
  std::int64_t aged(QueueIndex queue, std::int64_t steps) const;

  const ClusterState& state_;
  AskFlavours& flavours_;
  TimeMs now_;
  LineSource* source_;
  std::vector<FlavourIndex> all_flavours_;
  std::vector<FlavourBits> bits_;   // by ask; 0: not worked out yet
  std::vector<QueueIndex> opened_;  // not noted yet
  Node root_;
  std::vector<Node> nodes_;  // by queue
};

// The order of a queue's own jobs: the queue's, where it asks for another than that of submission,
// else the policy's.
berth::QueueOrder order_inside(const ClusterState& state, QueueIndex queue);

// The level of so much service: 0 below one hour, 1 below two, 2 below four, and so on.
std::int64_t service_level(DurationMs run_ms);
// Of what the job has had until `now`: the time that it has run on all its cards. By time and not
// by cards x time, so that a job is not passed over for being large (bench/tenants: 2,604 s of mean
// wait against 3,101 s at s5).
std::int64_t attained_level(const ClusterState& state, JobId job, TimeMs now);

// The key of a pending line with this head.
LineKey line_key(const ClusterState& state, SpecIndex spec, JobId head, TimeMs now);

}  // namespace berth::engine
