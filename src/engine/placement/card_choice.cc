#include "engine/placement/card_choice.h"

#include <algorithm>
#include <bitset>

#include "base/check.h"
#include "engine/placement/card_search.h"

namespace berth::engine {
namespace {

using Positions = std::bitset<kCardsPerNodeLimit>;

struct Pick {
  std::size_t position = 0;
  CardGrant grant;
  CardState after;
  std::int64_t cost = 0;
};

class NoPreference final : public CardCost {
 public:
  std::int64_t of_change(const CardKind& /*kind*/, const CardState& /*before*/,
                         const CardState& /*after*/) const override {
    return 0;
  }
};

// One greedy attempt to serve a shape from the cards that `allowed` names.
class Chooser {
 public:
  Chooser(const ClusterState& state, const Slot& slot, const Shape& shape, const CardCost& cost)
      : state_(state), shape_(shape), cost_(cost), cards_(slot.cards) {}

  std::optional<CardChoice> choose(const Positions& allowed) {
    CardChoice choice;
    for (std::size_t r = 0; r < shape_.request.devices.size(); ++r) {
      const DeviceRequest& request = shape_.request.devices[r];
      Positions used;
      for (std::uint32_t i = 0; i < request.count; ++i) {
        const auto pick = best(r, allowed & ~used);
        if (!pick) return std::nullopt;
        if (request.distinct == Distinct::kDistinctCards) used.set(pick->position);
        cards_[pick->position] = pick->after;
        choice.grants.push_back(pick->grant);
        choice.cost += pick->cost;
      }
    }
    choice.after = cards_;
    return choice;
  }

 private:
  std::optional<Pick> best(std::size_t request, const Positions& allowed) const {
    std::optional<Pick> best;
    for (std::size_t p = 0; p < cards_.size(); ++p) {
      if (!allowed.test(p)) continue;
      // equal cards lie side by side; the first of a run stands for the rest
      if (p > 0 && cards_[p] == cards_[p - 1] && allowed.test(p - 1)) continue;
      consider(request, p, best);
    }
    return best;
  }

  void consider(std::size_t request, std::size_t position, std::optional<Pick>& best) const {
    const CardState& card = cards_[position];
    const CardKind& kind = state_.card_kind(card.kind);
    const CardAsk ask = state_.ask(shape_, request, card.kind);
    const SharingMode& mode = sharing_mode(ask.mode);
    if (mode.refuses(kind, card, ask)) return;
    if (ask.mode != CardMode::kMig) {
      offer(kind, mode, position, mode.grant(kind, ask, CardGrant::kNoPlacement), best);
      return;
    }
    for (MigOccupancy starts = creatable(kind, card, *ask.profile); starts != 0;
         starts &= starts - 1) {
      const auto placement = static_cast<std::uint8_t>(__builtin_ctzll(starts));
      offer(kind, mode, position, mode.grant(kind, ask, placement), best);
    }
  }

  void offer(const CardKind& kind, const SharingMode& mode, std::size_t position, CardGrant grant,
             std::optional<Pick>& best) const {
    const CardState& before = cards_[position];
    grant.card = static_cast<std::uint16_t>(position);
    const CardState after = mode.after_take(kind, before, grant, shape_.domain);
    const std::int64_t cost = cost_.of_change(kind, before, after);
    if (!best || cost < best->cost) best = Pick{position, grant, after, cost};
  }

  const ClusterState& state_;
  const Shape& shape_;
  const CardCost& cost_;
  CardList cards_;
};

// The cheapest of the islands; tasks of which any request names an island go into one as a whole.
std::optional<CardChoice> choose_in_one_island(const ClusterState& state, const Slot& slot,
                                               const Shape& shape, const CardCost& cost) {
  std::optional<CardChoice> best;
  Positions done;
  for (std::size_t p = 0; p < slot.cards.size(); ++p) {
    if (done.test(p)) continue;
    const std::uint32_t island = state.card_kind(slot.cards[p].kind).island;
    Positions members;
    for (std::size_t q = p; q < slot.cards.size(); ++q) {
      if (state.card_kind(slot.cards[q].kind).island == island) members.set(q);
    }
    done |= members;
    auto choice = Chooser(state, slot, shape, cost).choose(members);
    if (choice && (!best || choice->cost < best->cost)) best = std::move(choice);
  }
  return best;
}

}  // namespace

bool model_accepted(const ClusterState& state, ModelIndex model, const DeviceRequest& request) {
  const auto named = [&](const std::string& name) { return state.find_model(name) == model; };
  return request.models.empty() || std::any_of(request.models.begin(), request.models.end(), named);
}

bool model_accepted(const ClusterState& state, const NodeKind& kind, const Shape& shape) {
  const auto& devices = shape.request.devices;
  return std::all_of(devices.begin(), devices.end(), [&](const DeviceRequest& request) {
    return kind.cards > 0 && model_accepted(state, kind.model, request);
  });
}

bool cards_selected(const ClusterState& state, const NodeKind& kind, const DeviceRequest& request) {
  if (request.selector.empty()) return true;
  const SelectorIndex selector = state.selectors().find(request);
  return !kind.devices.is_none() &&
         state.selectors().answer(selector, kind.devices) == SelectorAnswer::kYes;
}

bool cards_serve(const ClusterState& state, const Slot& slot, const Shape& shape) {
  return choose_cards(state, slot, shape, NoPreference()).has_value();
}

std::optional<CardChoice> choose_cards(const ClusterState& state, const Slot& slot,
                                       const Shape& shape, const CardCost& cost) {
  const NodeKind& kind = state.node_kind(slot.kind);
  if (!model_accepted(state, kind, shape) || !cards_selected(state, kind, shape)) {
    return std::nullopt;
  }
  const auto& devices = shape.request.devices;
  auto choice = std::any_of(devices.begin(), devices.end(), asks_island)
                    ? choose_in_one_island(state, slot, shape, cost)
                    : Chooser(state, slot, shape, cost).choose(Positions().set());
  if (!choice && CardSearch::is_needed(shape)) choice = CardSearch(state, slot, shape, cost).run();
  return choice;
}

CardGrants on_node(const NodeRecord& node, const Slot& slot, const CardGrants& grants) {
  CardGrants named = grants;
  Positions taken;
  constexpr std::uint16_t kUnset = 0xFFFF;
  boost::container::small_vector<std::uint16_t, 8> card_at(slot.cards.size(), kUnset);
  for (CardGrant& grant : named) {
    std::uint16_t& card = card_at[grant.card];
    if (card == kUnset) {
      std::size_t c = 0;
      while (taken.test(c) || !(node.cards[c] == slot.cards[grant.card])) ++c;
      BERTH_CHECK(c < node.cards.size());
      taken.set(c);
      card = static_cast<std::uint16_t>(c);
    }
    grant.card = card;
  }
  return named;
}

}  // namespace berth::engine
