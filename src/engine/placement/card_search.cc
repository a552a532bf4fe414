#include "engine/placement/card_search.h"

#include <algorithm>

namespace berth::engine {

bool CardSearch::is_needed(const Shape& shape) {
  const auto& devices = shape.request.devices;
  if (devices.empty() || shape.device_count() > kMostDevices) return false;
  if (devices.size() > 1) return true;
  const DeviceRequest& request = devices.front();
  return request.count > 1 && request.kind == ShareKind::kMig &&
         request.distinct == Distinct::kSameCardAllowed;
}

CardSearch::CardSearch(const ClusterState& state, const Slot& slot, const Shape& shape,
                       const CardCost& cost)
    : state_(state),
      shape_(shape),
      cost_(cost),
      cards_(slot.cards),
      dead_(shape.request.devices.size()) {}

std::optional<CardChoice> CardSearch::run() {
  if (!place_from(0)) return std::nullopt;
  return CardChoice{grants_, total_, cards_};
}

// Places the devices of the request and of all after it.
bool CardSearch::place_from(std::size_t request) {
  if (request == shape_.request.devices.size()) return true;
  CardList key = cards_;
  std::sort(key.begin(), key.end());
  if (dead_[request].contains(key)) return false;
  if (each_fits_alone(request) && place_next({request, 0, 0, -1, 0})) return true;
  dead_[request].insert(std::move(key));
  return false;
}

bool CardSearch::place_next(const Progress& progress) {
  if (progress.done == shape_.request.devices[progress.request].count) {
    return place_from(progress.request + 1);
  }
  for (const Option& option : options(progress)) {
    if (steps_left_ == 0) return false;
    --steps_left_;
    if (take(progress, option)) return true;
  }
  return false;
}

// Goes on with the option; undone when it leads nowhere.
bool CardSearch::take(const Progress& progress, const Option& option) {
  const std::size_t position = option.grant.card;
  const CardState before = cards_[position];
  cards_[position] = option.after;
  grants_.push_back(option.grant);
  total_ += option.cost;
  const std::uint32_t island = state_.card_kind(before.kind).island;
  if (place_next({progress.request, progress.done + 1, position, option.grant.placement, island})) {
    return true;
  }
  total_ -= option.cost;
  grants_.pop_back();
  cards_[position] = before;
  return false;
}

// Room only shrinks on the way down, so that a request that lacks cards now will lack them then.
bool CardSearch::each_fits_alone(std::size_t from) const {
  for (std::size_t r = from; r < shape_.request.devices.size(); ++r) {
    if (!fits_alone(r)) return false;
  }
  return true;
}

bool CardSearch::fits_alone(std::size_t request) const {
  const DeviceRequest& wanted = shape_.request.devices[request];
  const std::uint32_t least = wanted.distinct == Distinct::kDistinctCards ? wanted.count : 1;
  std::uint32_t found = 0;
  for (const CardState& card : cards_) {
    const CardAsk ask = state_.ask(shape_, request, card.kind);
    if (!sharing_mode(ask.mode).refuses(state_.card_kind(card.kind), card, ask)) ++found;
  }
  return found >= least;
}

// Cheapest first, then by card and start.
std::vector<CardSearch::Option> CardSearch::options(const Progress& progress) const {
  const bool distinct =
      shape_.request.devices[progress.request].distinct == Distinct::kDistinctCards;
  const std::size_t from = progress.position + (progress.done > 0 && distinct ? 1 : 0);
  std::vector<Option> found;
  for (std::size_t p = from; p < cards_.size(); ++p) {
    if (is_open(progress, p) && !is_repeat(progress, p)) add_options(progress, p, found);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Option& a, const Option& b) { return a.cost < b.cost; });
  return found;
}

bool CardSearch::is_open(const Progress& progress, std::size_t position) const {
  if (progress.done == 0 || !asks_island(shape_.request.devices[progress.request])) return true;
  return state_.card_kind(cards_[position].kind).island == progress.island;
}

// Whether a card before it is in the same state: what is possible on this one is possible there.
// The card of the last device does not count, as fewer of its starts are left to try.
bool CardSearch::is_repeat(const Progress& progress, std::size_t position) const {
  const std::size_t from = progress.done > 0 ? progress.position + 1 : 0;
  if (position < from) return false;
  const auto first = cards_.begin() + static_cast<std::ptrdiff_t>(from);
  const auto last = cards_.begin() + static_cast<std::ptrdiff_t>(position);
  return std::find(first, last, cards_[position]) != last;
}

void CardSearch::add_options(const Progress& progress, std::size_t position,
                             std::vector<Option>& options) const {
  const CardState& before = cards_[position];
  const CardKind& kind = state_.card_kind(before.kind);
  const CardAsk ask = state_.ask(shape_, progress.request, before.kind);
  const SharingMode& mode = sharing_mode(ask.mode);
  if (mode.refuses(kind, before, ask)) return;
  const auto add = [&](std::uint8_t placement) {
    CardGrant grant = mode.grant(kind, ask, placement);
    grant.card = static_cast<std::uint16_t>(position);
    const CardState after = mode.after_take(kind, before, grant, shape_.domain);
    options.push_back({cost_.of_change(kind, before, after), grant, after});
  };
  if (ask.mode != CardMode::kMig) return add(CardGrant::kNoPlacement);
  const bool same_card = progress.done > 0 && position == progress.position;
  for (MigOccupancy starts = creatable(kind, before, *ask.profile); starts != 0;
       starts &= starts - 1) {
    const int start = __builtin_ctzll(starts);
    if (!same_card || start > progress.placement) add(static_cast<std::uint8_t>(start));
  }
}

}  // namespace berth::engine
