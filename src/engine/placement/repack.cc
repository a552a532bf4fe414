#include "engine/placement/repack.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "engine/placement/filters.h"

namespace berth::engine {
namespace {

constexpr std::size_t kNodesPerState = 2;  // equal nodes whose leases are looked at

std::uint64_t place_key(NodeIndex node, std::size_t card, int placement) {
  return static_cast<std::uint64_t>(node.value()) << 32 | card << 8 |
         static_cast<std::uint64_t>(placement);
}

}  // namespace

bool moves_allowed(Ppm credit, int moves, int slots, int card_slots) {
  if (credit < moves * kPpmOne) return false;
  const std::int64_t price = kMovePriceEmpty * (kMostMoveCredit - credit);
  return std::int64_t{slots} * 8 * kMostMoveCredit >= price * moves * card_slots;
}

// What a node would be after some of the moves.
struct Repacker::Draft {
  NodeIndex node;
  CardList cards;
  CpuMilli cpu_free = 0;
  Mib memory_free = 0;
  void add(const Shape& shape, int sign) {
    cpu_free -= sign * shape.request.cpu_milli;
    memory_free -= sign * shape.request.memory_mib;
  }
};

// The instance that the job would get, and who must leave for it.
struct Repacker::Push {
  NodeIndex node;
  std::uint16_t card = 0;
  std::uint8_t placement = 0;
  boost::container::small_vector<const Lease*, kMostMoves> out;
};

struct Repacker::Plan {
  Push push;
  CardGrant grant;  // of the job
  std::int64_t gain = 0;
  std::vector<Draft> drafts;  // the pushed node first
  std::vector<Move> moves;
};

Repacker::Repacker(const ClusterState& state, MigSearch& search, std::vector<LeaseId> pinned)
    : state_(state), search_(search), pinned_(std::move(pinned)) {
  std::sort(pinned_.begin(), pinned_.end());
  search_.refresh(state);
}

Repacker::~Repacker() = default;

std::optional<Repacking> Repacker::find(ShapeIndex index, Ppm credit) {
  const Shape& shape = state_.shapes().at(index);
  if (credit < kPpmOne || !MigSearch::asks_one(shape)) return std::nullopt;
  index_leases();
  best_ = nullptr;
  for (const Slot& slot : state_.slots().slots()) {
    if (!slot.alive() || !kind_admits(state_, slot.kind, shape)) continue;
    std::size_t looked_at = 0;
    for (auto it = slot.nodes.rbegin(); it != slot.nodes.rend(); ++it) {
      if (++looked_at > kNodesPerState) break;
      consider_node(*it, shape, credit);
    }
  }
  if (best_ == nullptr) return std::nullopt;
  return answer(*best_);
}

void Repacker::consider_node(NodeIndex index, const Shape& shape, Ppm credit) {
  const NodeRecord& node = state_.node(index);
  for (std::size_t c = 0; c < node.cards.size(); ++c) {
    const CardState& card = node.cards[c];
    const CardKind& kind = state_.card_kind(card.kind);
    if (card.mode != CardMode::kMig || !card.usable()) continue;
    if (kind.regime != MigRegime::kDynamic) continue;
    const CardAsk ask = state_.ask(shape, 0, card.kind);
    if (!ask.possible) continue;
    consider_card({index, static_cast<std::uint16_t>(c), 0, {}}, shape, *ask.profile, credit);
  }
}

// Every start from which at most kMostMoves instances keep the job away.
void Repacker::consider_card(const Push& push, const Shape& shape, MigProfileIndex profile,
                             Ppm credit) {
  const CardState& card = state_.node(push.node).cards[push.card];
  const CardKind& kind = state_.card_kind(card.kind);
  const int slots = kind.gpu->mig_profiles[profile.value()].memory_slots;
  for (MigOccupancy starts = kind.mig->placements_of(profile); starts != 0; starts &= starts - 1) {
    const MigPlacementIndex start(static_cast<std::uint8_t>(std::countr_zero(starts)));
    const MigOccupancy in_the_way = kind.mig->conflicts(start) & card.mig;
    const int moves = std::popcount(in_the_way);
    if (moves == 0 || moves > kMostMoves) continue;
    if (best_ != nullptr && moves > static_cast<int>(best_->moves.size())) continue;
    if (!moves_allowed(credit, moves, slots, kind.gpu->memory_slots)) continue;
    if ((kind.mig->creatable(card.mig & ~in_the_way) & MigGeometry::bit(start)) == 0) continue;
    Push candidate = push;
    candidate.placement = start.value();
    for (MigOccupancy out = in_the_way; out != 0; out &= ~std::bit_floor(out)) {
      const int last = 63 - std::countl_zero(out);
      if (const Lease* lease = occupant(push.node, push.card, last)) candidate.out.push_back(lease);
    }
    if (static_cast<int>(candidate.out.size()) == moves) try_push(std::move(candidate), shape);
  }
}

void Repacker::try_push(Push push, const Shape& shape) {
  const CardState before = state_.node(push.node).cards[push.card];
  const CardKind& kind = state_.card_kind(before.kind);
  const SharingMode& mode = sharing_mode(CardMode::kMig);
  Plan plan;
  Draft draft = draft_of(push.node);
  CardState& card = draft.cards[push.card];
  for (const Lease* lease : push.out) {
    card = mode.after_give(kind, card, lease->placement.grants.front());
    draft.add(state_.shapes().at(shape_of(*lease)), -1);
  }
  if (!has_room(draft, shape)) return;
  plan.grant = mode.grant(kind, state_.ask(shape, 0, card.kind), push.placement);
  plan.grant.card = push.card;
  card = mode.after_take(kind, card, plan.grant, shape.domain);
  draft.add(shape, 1);
  plan.gain = -search_.worths().loss(kind, before, card);
  plan.drafts.push_back(std::move(draft));
  MigOccupancy live = before.mig;
  plan.push = std::move(push);
  for (const Lease* lease : plan.push.out) {
    if (!make_way(plan, *lease, live)) return;
  }
  if (!is_better(plan)) return;
  best_ = std::make_unique<Plan>(std::move(plan));
}

// Adds the move of one task to where it costs least. `live` is all that the pushed card has carried
// so far: a place on it must be free beside that.
bool Repacker::make_way(Plan& plan, const Lease& lease, MigOccupancy& live) {
  const ShapeIndex index = shape_of(lease);
  const Shape& shape = state_.shapes().at(index);
  const auto target = best_target(plan, index, live);
  if (!target) return false;
  const auto same = [&](const Draft& d) { return d.node == target->node; };
  auto draft = std::find_if(plan.drafts.begin(), plan.drafts.end(), same);
  if (draft == plan.drafts.end()) {
    draft = plan.drafts.insert(plan.drafts.end(), draft_of(target->node));
  }
  CardState& card = draft->cards[target->card];
  const CardKind& kind = state_.card_kind(card.kind);
  const SharingMode& mode = sharing_mode(CardMode::kMig);
  CardGrant grant = mode.grant(kind, state_.ask(shape, 0, card.kind), target->placement);
  grant.card = target->card;
  card = mode.after_take(kind, card, grant, shape.domain);
  draft->add(shape, 1);
  if (draft == plan.drafts.begin() && target->card == plan.push.card) {
    live |= MigGeometry::bit(MigPlacementIndex(target->placement));
  }
  Move move;
  move.lease = lease.id;
  move.target = {lease.placement.role, lease.placement.task, target->node, {grant}};
  plan.moves.push_back(std::move(move));
  plan.gain -= target->loss;
  return true;
}

// The cheapest place: of the nodes that the plan changes as they would be, of the rest as they are.
std::optional<MigPlace> Repacker::best_target(const Plan& plan, ShapeIndex index,
                                              MigOccupancy live) {
  const Shape& shape = state_.shapes().at(index);
  std::optional<MigPlace> best;
  for (const MigPlace& place : places_of(index)) {
    const auto same = [&](const Draft& d) { return d.node == place.node; };
    if (std::any_of(plan.drafts.begin(), plan.drafts.end(), same)) continue;
    best = place;
    break;
  }
  for (std::size_t d = 0; d < plan.drafts.size(); ++d) {
    const Draft& draft = plan.drafts[d];
    const NodeRecord& node = state_.node(draft.node);
    if (!kind_admits(state_, node.kind, shape) || !has_room(draft, shape)) continue;
    MigSearch::Beside beside;
    if (d == 0) beside = {plan.push.card, live};
    auto place = search_.best_on(state_, shape, draft.cards, beside);
    if (!place) continue;
    place->node = draft.node;
    place->name = node.name_order;
    if (!best || *place < *best) best = place;
  }
  return best;
}

// A plan changes at most kMostMoves nodes before its last move, so one more place is enough.
const std::vector<MigPlace>& Repacker::places_of(ShapeIndex shape) {
  if (const auto* known = places_.find(shape)) return *known;
  places_.insert(shape, search_.cheapest(state_, shape, kMostMoves + 1));
  return *places_.find(shape);
}

Repacker::Draft Repacker::draft_of(NodeIndex index) const {
  const NodeRecord& node = state_.node(index);
  return {index, node.cards, node.cpu_free, node.memory_free};
}

// CPU and host memory; countables are the affair of whoever tries the answer.
bool Repacker::has_room(const Draft& draft, const Shape& shape) const {
  return EnoughCpu::passes(state_, draft, shape) && EnoughHostMemory::passes(state_, draft, shape);
}

bool Repacker::is_better(const Plan& plan) const {
  if (best_ == nullptr) return true;
  const Plan& best = *best_;
  if (plan.moves.size() != best.moves.size()) return plan.moves.size() < best.moves.size();
  if (plan.gain != best.gain) return plan.gain > best.gain;
  const auto rank = [this](const Push& p) {
    return std::tuple(state_.node(p.node).name_order, p.card, p.placement);
  };
  return rank(plan.push) < rank(best.push);
}

Repacking Repacker::answer(const Plan& plan) const {
  Repacking result;
  result.moves = plan.moves;
  result.place.node = plan.push.node;
  result.place.grants.push_back(plan.grant);
  result.place.cost = -plan.gain;
  return result;
}

void Repacker::index_leases() {
  occupants_.clear();
  places_.clear();
  for (const LeaseId id : state_.leases().sorted_ids()) {
    const Lease& lease = state_.leases().at(id);
    if (!can_move(lease)) continue;
    const CardGrant& grant = lease.placement.grants.front();
    occupants_.insert(place_key(lease.placement.node, grant.card, grant.placement), id);
  }
}

bool Repacker::can_move(const Lease& lease) const {
  if (lease.state != LeaseState::kRunning) return false;
  if (!MigSearch::asks_one(state_.shapes().at(shape_of(lease)))) return false;
  const JobSpec& spec = *state_.spec_of(*state_.find_job(lease.job)).spec;
  if (spec.is_protected) return false;
  if (spec.job_class != JobClass::kInference && spec.checkpoint.method == CheckpointMethod::kNone) {
    return false;
  }
  return !std::binary_search(pinned_.begin(), pinned_.end(), lease.id);
}

ShapeIndex Repacker::shape_of(const Lease& lease) const {
  return state_.spec_of(*state_.find_job(lease.job)).shapes[lease.placement.role];
}

const Lease* Repacker::occupant(NodeIndex node, std::size_t card, int placement) const {
  const LeaseId* id = occupants_.find(place_key(node, card, placement));
  return id == nullptr ? nullptr : state_.find_lease(*id);
}

}  // namespace berth::engine
