// Cover: units whose end makes room for tasks of one shape, found node by node. On each node the
// cheapest units whose end lets one more task in; of the nodes the cheapest first. A job that spans
// nodes costs each of them its part, by what of it is of use, and nothing once it is taken.
//
// It counts room and proposes; whether the tasks fit as their job wants them, the placement says.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "engine/placement/node_room.h"
#include "engine/reclaim/units.h"

namespace berth::engine {

// All units of a search, and where they lie. Which of them are taken is kept here and in the trial
// alike.
class UnitTable {
 public:
  UnitTable(Trial& trial, ReclaimRights& rights, std::vector<Unit> units, Budgets budgets,
            TimeMs now);

  std::size_t size() const { return units_.size(); }
  const Unit& unit(std::uint32_t index) const { return units_[index]; }
  // All of them, cheapest first; and some.
  std::vector<std::uint32_t> in_order() const;
  void put_in_order(std::span<std::uint32_t> indexes) const;
  // On the node, cheapest first; taken ones too.
  std::span<const std::uint32_t> on_node(NodeIndex node) const;
  bool is_open(std::uint32_t index) const { return states_[index] == State::kOpen; }

  // The node's room once the unit has gone.
  void give(std::uint32_t index, NodeIndex node, NodeRoom& room) const;

  // Takes the unit in the trial, where rights and host memory still allow it. False: it is not open
  // any more; or it is, but at another price, and whoever has counted on it must count again.
  bool take(std::uint32_t index);
  // It stays with its job after all; the trial has been told.
  void spare(std::uint32_t index) { set(index, State::kSpared); }
  // Units that are taken, by index.
  std::vector<std::uint32_t> taken() const;
  // Undoes what was taken or refused since; the trial is rolled back by whoever owns it.
  std::size_t mark() const { return log_.size(); }
  void back_to(std::size_t mark);
  // The same, but that the unit is not open any more.
  void back_without(std::size_t mark, std::uint32_t index);

 private:
  enum class State : std::uint8_t { kOpen, kTaken, kRefused, kSpared };

  void set(std::uint32_t index, State state);
  bool is_same_price(Unit& unit);
  bool absorb(const Unit& unit);
  bool may_take(const Unit& unit);
  bool has_surplus(const Unit& unit) const;
  bool within_budget(const Unit& unit) const;
  void sort_by_node();

  Trial& trial_;
  ReclaimRights& rights_;
  Budgets budgets_;
  TimeMs now_;
  std::vector<Unit> units_;
  std::vector<State> states_;
  std::vector<std::pair<std::uint32_t, State>> log_;     // changed units, with their state before
  std::map<JobId, std::vector<std::uint32_t>> elastic_;  // units of jobs that have several
  std::vector<std::uint32_t> first_;    // by node: where its units begin in `by_node_`
  std::vector<std::uint32_t> by_node_;  // indexes of units
};

class Cover {
 public:
  Cover(Trial& trial, UnitTable& units, ShapeIndex shape, CardUnits useful);

  // Takes units until `tasks` more fit on the nodes than before; how many more do.
  std::uint32_t run(std::span<const NodeIndex> nodes, std::uint32_t tasks);
  // What the next task would cost, elsewhere; none: nothing more can be had.
  std::optional<MicroMoney> next_price() const;

 private:
  struct Offer {
    NodeIndex node;
    std::uint64_t name = 0;  // order of the node's name
    std::uint32_t stamp = 0;
    std::uint32_t tasks = 0;  // that come to fit
    UnitCost cost;
    boost::container::small_vector<std::uint32_t, 8> units;
  };
  struct Later {
    bool operator()(const Offer& a, const Offer& b) const {
      return std::tuple(a.cost.key(), a.name) > std::tuple(b.cost.key(), b.name);
    }
  };

  void offer(NodeIndex node);
  std::uint32_t take(const Offer& offer);
  std::vector<NodeIndex> nodes_beside(const Offer& offer) const;
  std::uint32_t tasks_now(const std::vector<NodeIndex>& nodes) const;
  std::vector<std::uint32_t> open_units(NodeIndex node) const;
  std::uint32_t tasks_without(NodeIndex node, std::span<const std::uint32_t> units) const;
  void drop_needless(Offer& offer, std::uint32_t before) const;
  bool gives_the_same(std::uint32_t one, std::uint32_t other) const;
  UnitCost cost_of(const Offer& offer) const;
  MicroMoney part_of(const Unit& unit, NodeIndex node) const;

  Trial& trial_;
  const ClusterState& state_;
  UnitTable& units_;
  ShapeIndex shape_;
  const Shape& asked_;
  CardUnits useful_;
  bool is_inside(NodeIndex node) const {
    return std::binary_search(nodes_.begin(), nodes_.end(), node);
  }
  std::uint32_t& stamp_of(NodeIndex node) {
    const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), node);
    return stamps_[static_cast<std::size_t>(at - nodes_.begin())];
  }

  std::vector<NodeIndex> nodes_;       // that count, rising
  std::vector<std::uint32_t> stamps_;  // of them
  std::priority_queue<Offer, std::vector<Offer>, Later> offers_;
};

}  // namespace berth::engine
