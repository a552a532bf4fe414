#include "engine/placement/shape_cost.h"

#include <algorithm>

#include "base/check.h"
#include "engine/placement/filters.h"
#include "engine/placement/worth_scan.h"

namespace berth::engine {

ShapeCost::Way ShapeCost::way_of(const Shape& shape) {
  const auto& devices = shape.request.devices;
  if (devices.empty()) return Way::kNoDevice;
  if (devices.size() > 1 || !devices.front().within.empty()) return Way::kAnything;
  const DeviceRequest& request = devices.front();
  if (request.kind == ShareKind::kWhole) return Way::kWholeCards;
  const bool plain = request.kind == ShareKind::kShare && request.count == 1;
  return plain && shape.share_mode != CardMode::kMig ? Way::kOneShare : Way::kAnything;
}

ShapeCost::ShapeCost(const NodeWorth& worth, const Shape& shape)
    : worth_(worth), shape_(shape), way_(way_of(shape)), milli_(milli_of(shape)) {
  if (way_ == Way::kWholeCards) {
    mode_ = &sharing_mode(CardMode::kWhole);
    whole_cards_ = static_cast<std::int32_t>(shape.request.devices.front().count);
  } else if (way_ == Way::kOneShare) {
    mode_ = &sharing_mode(shape.share_mode);
    hole_ = static_cast<std::int32_t>(shape.request.devices.front().compute);
  }
}

bool ShapeCost::look_up(const ClusterState& state, NodeKindIndex kind) {
  if (accepted_.size() <= kind.value()) accepted_.resize(state.node_kind_count(), -1);
  std::int8_t& known = accepted_[kind.value()];
  if (known < 0) {
    known = kind_admits(state, kind, shape_) ? 1 : 0;
  }
  return known == 1;
}

void ShapeCost::work_out_terms(const ClusterState& state) {
  while (terms_.size() < state.card_kind_count()) {
    const CardKindIndex next(static_cast<std::uint16_t>(terms_.size()));
    Terms terms;
    terms.ask = state.ask(shape_, 0, next);
    terms.grant = mode_->grant(state.card_kind(next), terms.ask, CardGrant::kNoPlacement);
    terms_.push_back(terms);
  }
}

bool ShapeCost::refuses(const ClusterState& state, const CardState& card) {
  return mode_->refuses(state.card_kind(card.kind), card, terms(state, card.kind).ask).has_value();
}

// Nothing when the card cannot serve the shape's share.
std::optional<CardTaking> ShapeCost::take_share(const ClusterState& state, const CardState& card) {
  if (card.compute_free < hole_ || refuses(state, card)) return std::nullopt;
  const CardKind& kind = state.card_kind(card.kind);
  const CardState after =
      mode_->after_take(kind, card, terms(state, card.kind).grant, shape_.domain);
  const std::int64_t fall = worth_.card_worth(kind, card) - worth_.card_worth(kind, after);
  return CardTaking{fall + NodeWorth::opening(card, after), fall, card.is_empty() ? 1 : 0};
}

ShapeCost::Offer ShapeCost::make_offer(const ClusterState& state, const CardState& card) {
  Offer offer;
  offer.charge = Offer::kRefused;
  if (way_ == Way::kWholeCards) {
    if (card.is_empty() && !refuses(state, card)) offer = {kCardWorth, kCardWorth, 1};
    return offer;
  }
  if (const auto taking = take_share(state, card)) {
    offer = {static_cast<std::int32_t>(taking->charge), static_cast<std::int32_t>(taking->worth),
             taking->whole_cards};
  }
  return offer;
}

// The card that costs least, ties by position; equal cards lie side by side.
std::optional<ShapeCost::Pick> ShapeCost::pick_share(const ClusterState& state, const Slot& slot) {
  std::optional<Pick> best;
  for (std::size_t p = 0; p < slot.cards.size(); ++p) {
    if (p > 0 && slot.cards[p] == slot.cards[p - 1]) continue;
    const auto taking = take_share(state, slot.cards[p]);
    if (!taking || (best && taking->charge >= best->taking.charge)) continue;
    best = Pick{p, *taking};
  }
  return best;
}

// What pick_share takes, by the known offers.
std::optional<CardTaking> ShapeCost::share_of(const ClusterState& state, const SlotLanes& lanes,
                                              SlotIndex index) {
  const CardRuns& runs = lanes.facts(index).runs;
  if (!runs.complete) {
    const auto pick = pick_share(state, state.slots().slot(index));
    return pick ? std::optional(pick->taking) : std::nullopt;
  }
  Offer best;
  best.charge = Offer::kRefused;
  for (std::size_t r = 0; r < runs.count; ++r) {
    const Offer& next = offer(state, lanes.card_states(), runs.run[r].state);
    if (next.charge < best.charge) best = next;
  }
  if (best.charge == Offer::kRefused) return std::nullopt;
  return CardTaking{best.charge, best.worth, best.whole_cards};
}

bool ShapeCost::holds_whole(const ClusterState& state, const Slot& slot) {
  std::int32_t left = whole_cards_;
  for (std::size_t p = 0; p < slot.cards.size() && left > 0; ++p) {
    const CardState& card = slot.cards[p];
    if (card.is_empty() && !refuses(state, card)) --left;
  }
  return left == 0;
}

// Whether holds_whole, by the known offers.
bool ShapeCost::has_whole(const ClusterState& state, const SlotLanes& lanes, SlotIndex index) {
  const CardRuns& runs = lanes.facts(index).runs;
  if (!runs.complete) return holds_whole(state, state.slots().slot(index));
  std::int32_t found = 0;
  for (std::size_t r = 0; r < runs.count; ++r) {
    const CardRun& run = runs.run[r];
    const bool refused = offer(state, lanes.card_states(), run.state).charge == Offer::kRefused;
    if (!refused) found += run.count;
  }
  return found >= whole_cards_;
}

std::optional<TaskCost> ShapeCost::of(const ClusterState& state, const SlotLanes& lanes,
                                      SlotIndex index) {
  const std::size_t block = index.value() / kLanes;
  const StateWorth& worth = lanes.facts(index).worth;
  if (way_ == Way::kAnything) {
    return worth_.cost(state, state.slots().slot(index), worth, shape_);
  }
  const ModelIndex model = lanes.model_of_block(block);
  const CpuMilli cpu_left = lanes.block(block).cpu[index.value() % kLanes] - cpu_milli();
  if (way_ == Way::kNoDevice) return worth_.cost(worth, model, cpu_left, nullptr);
  if (!accepts(state, state.slots().block_kind(block))) return std::nullopt;
  if (way_ == Way::kWholeCards) {
    if (!has_whole(state, lanes, index)) return std::nullopt;
    const std::int64_t sum = std::int64_t{whole_cards_} * kCardWorth;
    const CardTaking taking{sum, sum, whole_cards_};
    return worth_.cost(worth, model, cpu_left, &taking);
  }
  const auto taking = share_of(state, lanes, index);
  if (!taking) return std::nullopt;
  return worth_.cost(worth, model, cpu_left, &*taking);
}

CardGrants ShapeCost::grants(const ClusterState& state, const Slot& slot) {
  CardGrants grants;
  const auto grant = [&](std::size_t position) {
    CardGrant one = terms(state, slot.cards[position].kind).grant;
    one.card = static_cast<std::uint16_t>(position);
    grants.push_back(one);
  };
  switch (way_) {
    case Way::kNoDevice:
      return grants;
    case Way::kWholeCards:
      for (std::size_t p = 0; static_cast<std::int32_t>(grants.size()) < whole_cards_; ++p) {
        BERTH_CHECK(p < slot.cards.size());
        if (slot.cards[p].is_empty() && !refuses(state, slot.cards[p])) grant(p);
      }
      return grants;
    case Way::kOneShare: {
      const auto pick = pick_share(state, slot);
      BERTH_CHECK(pick.has_value());
      grant(pick->position);
      return grants;
    }
    case Way::kAnything:
      break;
  }
  return choose_cards(state, slot, shape_, worth_)->grants;
}

}  // namespace berth::engine
