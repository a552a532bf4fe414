// MigSearch: finds the place where MIG instances cost least by MigWorths: least loss of worth, then
// the lowest node name, card and start. One instance is looked up in a table; a task that asks for
// several takes them one by one (see choose_cards).
//
// It keeps figures per slot that are derived from the state; forgetting them changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/placement/alive_slots.h"
#include "engine/placement/mig_worth.h"
#include "engine/placement/placer.h"

namespace berth::engine {

// Where one instance could go: the best start on one node.
struct MigPlace {
  std::int64_t loss = 0;
  std::uint64_t name = 0;  // name order of the node
  NodeIndex node;
  std::uint16_t card = 0;  // of the node
  std::uint8_t placement = 0;

  friend bool operator<(const MigPlace& a, const MigPlace& b) {
    return a.loss != b.loss ? a.loss < b.loss : a.name < b.name;
  }
};

class MigSearch {
 public:
  // Whether every device that the shape asks for is a MIG instance.
  static bool serves(const Shape& shape);
  static bool asks_one(const Shape& shape);  // a single instance

  std::optional<Candidate> find(const ClusterState& state, ShapeIndex shape,
                                const SearchScope& scope = {});

  // For a shape that asks for one instance: up to `most` nodes with their best starts, best first.
  std::vector<MigPlace> cheapest(const ClusterState& state, ShapeIndex shape, std::size_t most);
  // One card of a node on which a place must be free beside `live` too.
  struct Beside {
    static constexpr std::size_t kNowhere = 0xFFFF;
    std::size_t position = kNowhere;
    MigOccupancy live = 0;
  };
  // The best start among the cards of one node, as given; `node` and `name` stay empty. For the
  // same shapes, after a refresh.
  std::optional<MigPlace> best_on(const ClusterState& state, const Shape& shape,
                                  const CardList& cards, Beside beside) const;

  // Brings the tables up to the state as it is now.
  void refresh(const ClusterState& state);
  const MigWorths& worths() const { return *worths_; }

 private:
  struct Remembered {
    std::int64_t loss = 0;         // kNoRoom: the cards cannot serve the shape
    std::uint32_t generation = 0;  // of the slot when asked; 0: never asked
  };
  using Row = std::vector<Remembered>;  // by slot

  void offer(const ClusterState& state, NodeIndex node, std::int64_t loss, MigPlace& best) const;
  Row& row_of(const ClusterState& state, ShapeIndex shape);
  std::int64_t loss_on(const ClusterState& state, const Slot& slot, const Shape& shape) const;

  std::optional<MigWorths> worths_;
  MigWorths::Key key_;
  AliveSlots alive_;
  std::vector<Row> rows_;  // by shape
};

}  // namespace berth::engine
