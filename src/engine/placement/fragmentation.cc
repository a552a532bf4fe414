#include "engine/placement/fragmentation.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "engine/placement/card_choice.h"
#include "engine/placement/filters.h"
#include "engine/state/trial.h"

namespace berth::engine {
namespace {

constexpr std::array<std::string_view, kStrandedCauses> kWords = {
    "node-state",    "card-health",   "model",        "mode",        "trust-domain",
    "clients",       "mig-placement", "card-compute", "card-memory", "card-both",
    "too-few-cards", "domain",        "node-cpu",     "node-memory", "node-resource"};

// Cards of one island before all others.
class PreferIsland final : public CardCost {
 public:
  explicit PreferIsland(std::uint32_t island) : island_(island) {}
  std::int64_t of_change(const CardKind& kind, const CardState& /*before*/,
                         const CardState& /*after*/) const override {
    return kind.island == island_ ? 0 : 1;
  }

 private:
  std::uint32_t island_;
};

StrandedBy too_small(const CardState& card, const CardAsk& ask) {
  const bool compute = ask.compute > card.compute_free;
  const bool memory = ask.memory > card.memory_free;
  if (compute && memory) return StrandedBy::kCardBoth;
  return memory ? StrandedBy::kCardMemory : StrandedBy::kCardCompute;
}

// Why one request cannot use the card, which is of a node of that kind; nothing when it can.
std::optional<StrandedBy> refusal(const ClusterState& state, const NodeKind& node,
                                  const Shape& shape, std::size_t request, const CardState& card) {
  const CardKind& kind = state.card_kind(card.kind);
  const DeviceRequest& asked = shape.request.devices[request];
  if (!model_accepted(state, kind.model, asked) || !cards_selected(state, node, asked)) {
    return StrandedBy::kModel;
  }
  const CardAsk ask = state.ask(shape, request, card.kind);
  if (!ask.possible) return ask.mode == CardMode::kMig ? StrandedBy::kModel : StrandedBy::kMode;
  const auto rule = sharing_mode(ask.mode).refuses(kind, card, ask);
  if (!rule) return std::nullopt;
  switch (*rule) {
    case Rule::kCardHealth:
      return StrandedBy::kCardHealth;
    case Rule::kMigProfile:
      return StrandedBy::kModel;
    case Rule::kMigPlacement:
      return StrandedBy::kMigPlacement;
    case Rule::kTrustDomain:
      return StrandedBy::kTrustDomain;
    case Rule::kClients:
      return StrandedBy::kClients;
    case Rule::kCards:
    case Rule::kCardShort:
      return too_small(card, ask);
    default:
      return StrandedBy::kMode;
  }
}

// The cause of cards that have room, on a node that a filter before them refuses.
StrandedBy node_cause(const NodeFilter& filter) {
  switch (filter.rule) {
    case Rule::kCpu:
      return StrandedBy::kNodeCpu;
    case Rule::kHostMemory:
      return StrandedBy::kNodeMemory;
    case Rule::kCountable:
      return StrandedBy::kNodeResource;
    case Rule::kModel:
    case Rule::kSelector:
      return StrandedBy::kModel;
    default:
      return StrandedBy::kNodeState;
  }
}

class Meter {
 public:
  Meter(const ClusterState& state, const Shape& shape) : state_(state), shape_(shape) {}

  FragmentationGauge run() {
    for (const NodeRecord& node : state_.nodes()) {
      if (node.condition == NodeCondition::kRemoved) continue;
      const NodeFilter* refusal = first_refusal_beside_cards(state_, node, shape_);
      const bool outside = refusal != nullptr && refusal->rule == Rule::kPartition;
      if (!outside) add(node, refusal);
    }
    return gauge_;
  }

 private:
  // What the cards of one node state do for the shape.
  struct CardsVerdict {
    std::vector<std::optional<StrandedBy>> cards;  // parallel to the sorted cards of the slot
    std::optional<StrandedBy> together;            // why cards with room do not serve together
  };

  void add(const NodeRecord& node, const NodeFilter* refused_by) {
    if (node.slot.is_none()) {
      for (const CardState& card : node.cards) count(card, StrandedBy::kNodeState);
      return;
    }
    const Slot& slot = state_.slots().slot(node.slot);
    auto known = verdicts_.find(node.slot);
    if (known == verdicts_.end()) known = verdicts_.emplace(node.slot, judge(slot)).first;
    const CardsVerdict& verdict = known->second;
    for (std::size_t c = 0; c < slot.cards.size(); ++c) {
      std::optional<StrandedBy> cause = verdict.cards[c];
      if (!cause) cause = verdict.together;
      if (!cause && refused_by != nullptr) cause = node_cause(*refused_by);
      count(slot.cards[c], cause);
    }
  }

  CardsVerdict judge(const Slot& slot) const {
    CardsVerdict verdict;
    const NodeKind& kind = state_.node_kind(slot.kind);
    for (const CardState& card : slot.cards) verdict.cards.push_back(cause_of(kind, card));
    if (!cards_serve(state_, slot, shape_)) verdict.together = why_not(slot);
    return verdict;
  }

  // A card serves when any of the requests can use it; else the cause of the first request.
  std::optional<StrandedBy> cause_of(const NodeKind& kind, const CardState& card) const {
    if (!card.usable()) return StrandedBy::kCardHealth;
    std::optional<StrandedBy> first;
    for (std::size_t r = 0; r < shape_.request.devices.size(); ++r) {
      const auto cause = refusal(state_, kind, shape_, r, card);
      if (!cause) return std::nullopt;
      if (!first) first = cause;
    }
    return first;
  }

  // Cards that have room, each alone, but not all that are asked: too few, or in several domains.
  StrandedBy why_not(const Slot& slot) const {
    const NodeKind& kind = state_.node_kind(slot.kind);
    for (std::size_t r = 0; r < shape_.request.devices.size(); ++r) {
      const DeviceRequest& request = shape_.request.devices[r];
      const auto fitting =
          std::count_if(slot.cards.begin(), slot.cards.end(), [&](const CardState& card) {
            return !refusal(state_, kind, shape_, r, card).has_value();
          });
      if (fitting < static_cast<std::int64_t>(request.count)) return StrandedBy::kTooFewCards;
    }
    const bool bounded =
        std::any_of(shape_.request.devices.begin(), shape_.request.devices.end(), asks_island);
    return bounded ? StrandedBy::kDomain : StrandedBy::kTooFewCards;
  }

  void count(const CardState& card, std::optional<StrandedBy> cause) {
    const Charge free{card.compute_free, card.memory_free};
    gauge_.free += free;
    if (!cause) return;
    gauge_.stranded += free;
    gauge_.by_cause[static_cast<std::size_t>(*cause)] += free;
  }

  const ClusterState& state_;
  const Shape& shape_;
  FragmentationGauge gauge_;
  std::map<SlotIndex, CardsVerdict> verdicts_;
};

std::int64_t weighted(std::int64_t value, std::int64_t weight, std::int64_t total) {
  return static_cast<std::int64_t>(static_cast<__int128>(value) * weight / total);
}

class MoveSearch {
 public:
  MoveSearch(ClusterState& state, ShapeIndex shape) : state_(state), trial_(state), shape_(shape) {}

  std::optional<HelpfulMove> run() {
    for (const NodeIndex node : state_.nodes_by_name()) {
      if (serves_wanted(node)) return std::nullopt;
    }
    for (const LeaseId id : cheapest_first()) {
      const Lease& lease = state_.leases().at(id);
      if (!lease.holds_cards() || !helps_when_gone(lease)) continue;
      if (auto move = target_of(lease)) return move;
    }
    return std::nullopt;
  }

 private:
  std::vector<LeaseId> cheapest_first() const {
    std::vector<std::tuple<CardUnits, MemoryEighths, LeaseId>> keys;
    for (const LeaseId id : state_.leases().sorted_ids()) {
      Charge charge;
      for (const CardGrant& grant : state_.leases().at(id).placement.grants) {
        charge += Charge{grant.compute, grant.memory};
      }
      keys.emplace_back(charge.compute, charge.memory, id);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<LeaseId> ids;
    for (const auto& key : keys) ids.push_back(std::get<LeaseId>(key));
    return ids;
  }

  bool serves_wanted(NodeIndex node) const {
    return serves(state_, state_.node(node), state_.shapes().at(shape_));
  }

  ShapeIndex shape_of(const Lease& lease) const {
    return state_.spec_of(*state_.find_job(lease.job)).shapes[lease.placement.role];
  }

  bool helps_when_gone(const Lease& lease) {
    const Trial::Checkpoint start = trial_.checkpoint();
    trial_.give(shape_of(lease), lease.placement.node, lease.placement.grants);
    const bool helps = serves_wanted(lease.placement.node);
    trial_.rollback(start);
    return helps;
  }

  std::optional<HelpfulMove> target_of(const Lease& lease) {
    const ShapeIndex moved = shape_of(lease);
    const Shape& shape = state_.shapes().at(moved);
    for (const NodeIndex node : state_.nodes_by_name()) {
      for (const CardGrants& grants : places(node, shape)) {
        const Trial::Checkpoint start = trial_.checkpoint();
        trial_.take(moved, node, grants);
        trial_.give(moved, lease.placement.node, lease.placement.grants);
        const bool helps = serves_wanted(lease.placement.node);
        trial_.rollback(start);
        if (helps) return HelpfulMove{lease.id, node, grants};
      }
    }
    return std::nullopt;
  }

  // The places of a task on the node, as it is now.
  std::vector<CardGrants> places(NodeIndex index, const Shape& shape) const {
    std::vector<CardGrants> found;
    const NodeRecord& node = state_.node(index);
    if (first_refusal_beside_cards(state_, node, shape) != nullptr) return found;
    const bool single =
        shape.request.devices.size() == 1 && shape.request.devices.front().count == 1;
    if (single) return single_places(node, shape);
    const Slot& slot = state_.slots().slot(node.slot);
    for (const std::uint32_t island : islands_of(node)) {
      const auto choice = choose_cards(state_, slot, shape, PreferIsland(island));
      if (!choice) break;
      found.push_back(on_node(node, slot, choice->grants));
    }
    return found;
  }

  // At least one, so that a node without cards has its place for tasks without devices.
  std::set<std::uint32_t> islands_of(const NodeRecord& node) const {
    std::set<std::uint32_t> islands;
    for (const CardState& card : node.cards) islands.insert(state_.card_kind(card.kind).island);
    if (islands.empty()) islands.insert(0);
    return islands;
  }

  std::vector<CardGrants> single_places(const NodeRecord& node, const Shape& shape) const {
    std::vector<CardGrants> found;
    for (std::size_t c = 0; c < node.cards.size(); ++c) {
      const CardState& card = node.cards[c];
      const CardKind& kind = state_.card_kind(card.kind);
      if (refusal(state_, state_.node_kind(node.kind), shape, 0, card)) continue;
      const CardAsk ask = state_.ask(shape, 0, card.kind);
      const auto add = [&](std::uint8_t placement) {
        CardGrant grant = sharing_mode(ask.mode).grant(kind, ask, placement);
        grant.card = static_cast<std::uint16_t>(c);
        found.push_back(CardGrants(1, grant));
      };
      if (ask.mode != CardMode::kMig) {
        add(CardGrant::kNoPlacement);
        continue;
      }
      for (MigOccupancy starts = creatable(kind, card, *ask.profile); starts != 0;
           starts &= starts - 1) {
        add(static_cast<std::uint8_t>(__builtin_ctzll(starts)));
      }
    }
    return found;
  }

  ClusterState& state_;
  Trial trial_;
  ShapeIndex shape_;
};

}  // namespace

std::string_view stranded_word(StrandedBy cause) { return kWords[static_cast<std::size_t>(cause)]; }

FragmentationGauge gauge_of(const ClusterState& state, ShapeIndex shape) {
  return Meter(state, state.shapes().at(shape)).run();
}

FragmentationGauge gauge_of(const ClusterState& state, std::span<const WeightedShape> mix) {
  std::int64_t total = 0;
  for (const WeightedShape& entry : mix) total = saturating_add(total, entry.weight);
  FragmentationGauge expected;
  if (total <= 0) return expected;
  for (const WeightedShape& entry : mix) {
    const FragmentationGauge one = gauge_of(state, entry.shape);
    expected.free += {weighted(one.free.compute, entry.weight, total),
                      weighted(one.free.memory, entry.weight, total)};
    for (std::size_t c = 0; c < kStrandedCauses; ++c) {
      const Charge part{weighted(one.by_cause[c].compute, entry.weight, total),
                        weighted(one.by_cause[c].memory, entry.weight, total)};
      expected.by_cause[c] += part;
      expected.stranded += part;
    }
  }
  return expected;
}

std::optional<HelpfulMove> find_helpful_move(ClusterState& state, ShapeIndex shape) {
  return MoveSearch(state, shape).run();
}

}  // namespace berth::engine
