#include "engine/placement/mig_search.h"

#include <algorithm>
#include <limits>

#include "engine/placement/filters.h"

namespace berth::engine {
namespace {

constexpr std::int64_t kNoRoom = std::numeric_limits<std::int64_t>::max();

bool takes_instances(const CardState& card) {
  return card.usable() && (card.is_empty() || card.mode == CardMode::kMig);
}

}  // namespace

bool MigSearch::serves(const Shape& shape) {
  const auto& devices = shape.request.devices;
  return !devices.empty() && std::all_of(devices.begin(), devices.end(), [](const auto& request) {
    return request.kind == ShareKind::kMig;
  });
}

bool MigSearch::asks_one(const Shape& shape) {
  return serves(shape) && shape.request.devices.size() == 1 &&
         shape.request.devices.front().count == 1;
}

void MigSearch::refresh(const ClusterState& state) {
  const MigWorths::Key key = MigWorths::key_of(state);
  if (!worths_ || !(key == key_)) {
    worths_.emplace(state);
    key_ = key;
    rows_.clear();
  }
}

MigSearch::Row& MigSearch::row_of(const ClusterState& state, ShapeIndex shape) {
  refresh(state);
  alive_.catch_up(state.slots());
  constexpr std::size_t kMostRemembered = 8'000'000;  // 128 MB; then all is forgotten
  const std::size_t slots = state.slots().slots().size();
  if (rows_.size() * slots > kMostRemembered) rows_.clear();
  if (shape.value() >= rows_.size()) rows_.resize(shape.value() + 1);
  Row& row = rows_[shape.value()];
  row.resize(slots);
  for (const SlotIndex s : alive_.all()) {
    const Slot& slot = state.slots().slot(s);
    Remembered& known = row[s.value()];
    if (known.generation == slot.generation) continue;
    known = {loss_on(state, slot, state.shapes().at(shape)), slot.generation};
  }
  return row;
}

std::int64_t MigSearch::loss_on(const ClusterState& state, const Slot& slot,
                                const Shape& shape) const {
  if (!slot_admits(state, slot, shape)) return kNoRoom;
  if (!asks_one(shape)) {
    const auto choice = choose_cards(state, slot, shape, CardLoss(*worths_));
    return choice ? choice->cost : kNoRoom;
  }
  const auto place = best_on(state, shape, slot.cards, {});
  return place ? place->loss : kNoRoom;
}

std::optional<MigPlace> MigSearch::best_on(const ClusterState& state, const Shape& shape,
                                           const CardList& cards, Beside beside) const {
  std::optional<MigPlace> best;
  for (std::size_t p = 0; p < cards.size(); ++p) {
    const CardState& card = cards[p];
    if (!takes_instances(card)) continue;
    const bool special = p == beside.position || p == beside.position + 1;
    if (p > 0 && !special && card == cards[p - 1]) continue;  // the same place again
    const CardKind& kind = state.card_kind(card.kind);
    const CardAsk ask = state.ask(shape, 0, card.kind);
    if (!ask.possible) continue;
    std::optional<MigWorths::Start> start;
    if (p == beside.position) {
      const MigOccupancy open = creatable(kind, card, *ask.profile);
      start = worths_->best_start_among(kind, card.mig, open & kind.mig->creatable(beside.live));
    } else {
      start = worths_->best_start(kind, card.mig, *ask.profile);
    }
    if (!start || (best && start->loss >= best->loss)) continue;
    best = MigPlace{start->loss, 0, NodeIndex::none(), static_cast<std::uint16_t>(p),
                    start->placement};
  }
  return best;
}

void MigSearch::offer(const ClusterState& state, NodeIndex node, std::int64_t loss,
                      MigPlace& best) const {
  const MigPlace place{loss, state.node(node).name_order, node, 0, 0};
  if (best.node.is_none() || place < best) best = place;
}

std::optional<Candidate> MigSearch::find(const ClusterState& state, ShapeIndex index,
                                         const SearchScope& scope) {
  const Row& row = row_of(state, index);
  const Shape& shape = state.shapes().at(index);
  MigPlace best{kNoRoom, 0, NodeIndex::none(), 0, 0};
  for (const SlotIndex s : scope.all_nodes ? alive_.all() : std::span<const SlotIndex>()) {
    const std::int64_t loss = row[s.value()].loss;
    const Slot& slot = state.slots().slot(s);
    if (loss == kNoRoom || loss > best.loss || !is_among(state, slot.kind, scope.models)) continue;
    if (loss == best.loss && slot.first_name > best.name) continue;
    const NodeIndex node = first_with_room(state, slot, shape);
    if (!node.is_none()) offer(state, node, loss, best);
  }
  for (const NodeIndex node : scope.nodes) {
    const NodeRecord& record = state.node(node);
    if (record.slot.is_none() || !is_among(state, record.kind, scope.models)) continue;
    const std::int64_t loss = row[record.slot.value()].loss;
    if (loss == kNoRoom || loss > best.loss || !has_room(state, node, shape)) continue;
    offer(state, node, loss, best);
  }
  if (best.node.is_none()) return std::nullopt;
  const Slot& slot = state.slots().slot(state.node(best.node).slot);
  const auto choice = choose_cards(state, slot, shape, CardLoss(*worths_));
  return Candidate{best.node, on_node(state.node(best.node), slot, choice->grants), choice->cost};
}

std::vector<MigPlace> MigSearch::cheapest(const ClusterState& state, ShapeIndex index,
                                          std::size_t most) {
  const Row& row = row_of(state, index);
  const Shape& shape = state.shapes().at(index);
  std::vector<MigPlace> places;
  for (const SlotIndex s : alive_.all()) {
    const std::int64_t loss = row[s.value()].loss;
    const Slot& slot = state.slots().slot(s);
    if (loss == kNoRoom) continue;
    if (places.size() == most && loss > places.back().loss) continue;
    std::size_t found = 0;
    for (auto it = slot.nodes.rbegin(); it != slot.nodes.rend() && found < most; ++it) {
      if (!has_room(state, *it, shape)) continue;
      ++found;
      const MigPlace place{loss, state.node(*it).name_order, *it, 0, 0};
      places.insert(std::upper_bound(places.begin(), places.end(), place), place);
    }
    if (places.size() > most) places.resize(most);
  }
  for (MigPlace& place : places) {
    const auto start = best_on(state, shape, state.node(place.node).cards, {});
    place.card = start->card;
    place.placement = start->placement;
  }
  return places;
}

}  // namespace berth::engine
