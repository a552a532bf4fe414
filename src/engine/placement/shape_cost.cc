#include "engine/placement/shape_cost.h"

#include <algorithm>

#include "base/check.h"
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

ShapeCost::ShapeCost(const ClusterState& state, const NodeWorth& worth, const Shape& shape)
    : worth_(worth), shape_(shape), way_(way_of(shape)), milli_(milli_of(shape)) {
  if (way_ == Way::kWholeCards) {
    mode_ = &sharing_mode(CardMode::kWhole);
    whole_cards_ = static_cast<std::int32_t>(shape.request.devices.front().count);
  } else if (way_ == Way::kOneShare) {
    mode_ = &sharing_mode(shape.share_mode);
    hole_ = static_cast<std::int32_t>(shape.request.devices.front().compute);
  }
  static_cast<void>(state);
}

bool ShapeCost::look_up(const ClusterState& state, NodeKindIndex kind) {
  if (accepted_.size() <= kind.value()) accepted_.resize(state.node_kind_count(), -1);
  std::int8_t& known = accepted_[kind.value()];
  if (known < 0) {
    Slot any;
    any.kind = kind;
    const bool partition = state.node_kind(kind).partition == shape_.partition;
    known = partition && model_accepted(state, any, shape_) ? 1 : 0;
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

// The card that costs least, ties by position; equal cards lie side by side.
std::optional<ShapeCost::Pick> ShapeCost::pick_share(const ClusterState& state, const Slot& slot) {
  std::optional<Pick> best;
  for (std::size_t p = 0; p < slot.cards.size(); ++p) {
    const CardState& card = slot.cards[p];
    if (card.compute_free < hole_ || (p > 0 && card == slot.cards[p - 1])) continue;
    if (refuses(state, card)) continue;
    const CardKind& kind = state.card_kind(card.kind);
    const CardState after =
        mode_->after_take(kind, card, terms(state, card.kind).grant, shape_.domain);
    const std::int64_t fall = worth_.card_worth(kind, card) - worth_.card_worth(kind, after);
    const std::int64_t charge = fall + NodeWorth::opening(card, after);
    if (best && charge >= best->taking.charge) continue;
    best = Pick{p, {charge, fall, card.is_empty() ? 1 : 0}};
  }
  return best;
}

bool ShapeCost::holds_whole(const ClusterState& state, const Slot& slot) {
  std::int32_t left = whole_cards_;
  bool refused = true;
  for (std::size_t p = 0; p < slot.cards.size() && left > 0; ++p) {
    const CardState& card = slot.cards[p];
    if (!card.is_empty()) continue;
    if (p == 0 || !(card == slot.cards[p - 1])) refused = refuses(state, card);
    if (!refused) --left;
  }
  return left == 0;
}

std::optional<TaskCost> ShapeCost::of(const ClusterState& state, const Slot& slot,
                                      const StateWorth& worth) {
  const ModelIndex model = state.node_kind(slot.kind).model;
  const CpuMilli cpu_left = slot.cpu_free - cpu_milli();
  switch (way_) {
    case Way::kNoDevice:
      return worth_.cost(worth, model, cpu_left, nullptr);
    case Way::kWholeCards: {
      if (!accepts(state, slot.kind) || !holds_whole(state, slot)) return std::nullopt;
      const std::int64_t sum = std::int64_t{whole_cards_} * kCardWorth;
      const CardTaking taking{sum, sum, whole_cards_};
      return worth_.cost(worth, model, cpu_left, &taking);
    }
    case Way::kOneShare: {
      if (!accepts(state, slot.kind)) return std::nullopt;
      const auto pick = pick_share(state, slot);
      if (!pick) return std::nullopt;
      return worth_.cost(worth, model, cpu_left, &pick->taking);
    }
    case Way::kAnything:
      break;
  }
  return worth_.cost(state, slot, worth, shape_);
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
