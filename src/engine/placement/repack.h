// Repacking: room for one MIG instance that fits nowhere, made by moving a few running instances to
// other places. Fewest moves first, then the least loss of worth.
//
// Moves are saved up in a bank (Totals::move_credit). What a job must bring for each move, measured
// in eighths of a card, falls from kMovePriceEmpty with an empty bank to nothing with a full one:
// the last moves are kept for those who need much.
//
// A task is moved only while it runs, holds this one instance, is not protected, and can be moved
// at all: it serves (its replica restarts elsewhere), or it declares how it checkpoints. Each place
// must be free before its task moves there. Nothing is changed here.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/lookup_map.h"
#include "engine/placement/mig_search.h"
#include "model/plan.h"

namespace berth::engine {

inline constexpr int kMostMoves = 2;                // for one job
inline constexpr std::int64_t kMovePriceEmpty = 4;  // eighths of a card

// Whether a task of `slots` memory slots of a card with `card_slots` may have `moves` moves.
bool moves_allowed(Ppm credit, int moves, int slots, int card_slots);

struct Repacking {
  std::vector<Move> moves;  // in this order
  Candidate place;
};

class Repacker {
 public:
  // `search` and `state` must outlive it. Leases that `pinned` names stay where they are.
  Repacker(const ClusterState& state, MigSearch& search, std::vector<LeaseId> pinned);
  ~Repacker();
  Repacker(const Repacker&) = delete;
  Repacker& operator=(const Repacker&) = delete;

  // For a shape that asks for one instance and fits nowhere; `credit` is what is in the bank. The
  // answer must be tried before it is used: open-ended resources are not looked at.
  // Cost: O(leases + node states x placements).
  std::optional<Repacking> find(ShapeIndex shape, Ppm credit);

 private:
  struct Draft;
  struct Push;
  struct Plan;

  void consider_node(NodeIndex node, const Shape& shape, Ppm credit);
  void consider_card(const Push& push, const Shape& shape, MigProfileIndex profile, Ppm credit);
  void try_push(Push push, const Shape& shape);
  bool make_way(Plan& plan, const Lease& lease, MigOccupancy& live);
  const std::vector<MigPlace>& places_of(ShapeIndex shape);
  std::optional<MigPlace> best_target(const Plan& plan, ShapeIndex shape, MigOccupancy live);
  Draft draft_of(NodeIndex node) const;
  bool has_room(const Draft& draft, const Shape& shape) const;
  bool is_better(const Plan& plan) const;
  Repacking answer(const Plan& plan) const;

  void index_leases();
  bool can_move(const Lease& lease) const;
  ShapeIndex shape_of(const Lease& lease) const;
  const Lease* occupant(NodeIndex node, std::size_t card, int placement) const;

  const ClusterState& state_;
  MigSearch& search_;
  std::vector<LeaseId> pinned_;
  LookupMap<std::uint64_t, LeaseId> occupants_;  // movable, by node, card and placement
  LookupMap<ShapeIndex, std::vector<MigPlace>> places_;
  std::unique_ptr<Plan> best_;  // null: none so far
};

}  // namespace berth::engine
