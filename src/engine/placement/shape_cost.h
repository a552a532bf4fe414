// ShapeCost: what a task of one shape costs on any slot, with all that does not depend on the slot
// worked out once. The same figures as NodeWorth::cost; shapes that ask for cards of one sort (the
// many) take a short way to them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/placement/card_choice.h"
#include "engine/placement/node_worth.h"
#include "engine/placement/slot_lanes.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

class ShapeCost {
 public:
  ShapeCost(const NodeWorth& worth, const Shape& shape);

  // The worth of cards is another.
  void start_over() { offers_.clear(); }

  const Shape& shape() const { return shape_; }
  CpuMilli cpu_milli() const { return shape_.request.cpu_milli; }
  // What a slot must show to be worth a look: the largest free compute of a usable card, and empty
  // usable cards.
  std::int32_t hole() const { return hole_; }
  std::int32_t whole_cards() const { return whole_cards_; }
  std::int64_t milli() const { return milli_; }  // thousandths of a card it takes

  // Whether nodes of the kind may serve the shape at all: their partition and their model.
  bool accepts(const ClusterState& state, NodeKindIndex kind) {
    const bool known = kind.value() < accepted_.size() && accepted_[kind.value()] >= 0;
    return known ? accepted_[kind.value()] == 1 : look_up(state, kind);
  }
  // Nothing when the cards of the slot cannot serve it. CPU and host memory are not checked.
  std::optional<TaskCost> of(const ClusterState& state, const SlotLanes& lanes, SlotIndex index);
  // The grants of that choice, by position in Slot::cards; it must exist.
  CardGrants grants(const ClusterState& state, const Slot& slot);

 private:
  enum class Way : std::uint8_t { kNoDevice, kWholeCards, kOneShare, kAnything };
  // The shape against one kind of card.
  struct Terms {
    CardAsk ask;
    CardGrant grant;
  };
  struct Pick {
    std::size_t position = 0;
    CardTaking taking;
  };
  // What the shape takes of a card in one state.
  struct Offer {
    static constexpr std::int32_t kUnknown = std::numeric_limits<std::int32_t>::min();
    static constexpr std::int32_t kRefused = std::numeric_limits<std::int32_t>::max();
    std::int32_t charge = kUnknown;
    std::int32_t worth = 0;
    std::int32_t whole_cards = 0;
  };

  static Way way_of(const Shape& shape);
  bool look_up(const ClusterState& state, NodeKindIndex kind);
  const Terms& terms(const ClusterState& state, CardKindIndex kind) {
    if (kind.value() >= terms_.size()) work_out_terms(state);
    return terms_[kind.value()];
  }
  void work_out_terms(const ClusterState& state);
  std::optional<Pick> pick_share(const ClusterState& state, const Slot& slot);
  bool holds_whole(const ClusterState& state, const Slot& slot);
  bool refuses(const ClusterState& state, const CardState& card);
  std::optional<CardTaking> take_share(const ClusterState& state, const CardState& card);
  Offer make_offer(const ClusterState& state, const CardState& card);
  const Offer& offer(const ClusterState& state, const CardTable& cards, CardStateId id) {
    if (id >= offers_.size()) offers_.resize(cards.size());
    Offer& known = offers_[id];
    if (known.charge == Offer::kUnknown) known = make_offer(state, cards.at(id));
    return known;
  }
  std::optional<CardTaking> share_of(const ClusterState& state, const SlotLanes& lanes,
                                     SlotIndex index);
  bool has_whole(const ClusterState& state, const SlotLanes& lanes, SlotIndex index);

  const NodeWorth& worth_;
  Shape shape_;
  Way way_;
  const SharingMode* mode_ = nullptr;
  std::int32_t hole_ = 0;
  std::int32_t whole_cards_ = 0;
  std::int64_t milli_ = 0;
  std::vector<Terms> terms_;           // by card kind
  std::vector<std::int8_t> accepted_;  // by node kind; -1: not known
  std::vector<Offer> offers_;          // by card state
};

}  // namespace berth::engine
