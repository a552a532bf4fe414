#include "sim/layout_log.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "engine/sharing/regeometry.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

constexpr std::size_t kChangesKept = 20;

std::vector<LayoutPiece> pieces_of(const engine::CardKind& kind,
                                   const std::vector<std::uint8_t>& layout) {
  std::vector<LayoutPiece> pieces;
  for (const std::uint8_t index : layout) {
    const engine::MigPlacement& placement = kind.mig->placement(engine::MigPlacementIndex(index));
    pieces.push_back({kind.gpu->mig_profiles[placement.profile.value()].name,
                      static_cast<std::uint32_t>(placement.start),
                      static_cast<std::uint32_t>(std::popcount(placement.slots))});
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const LayoutPiece& a, const LayoutPiece& b) { return a.start < b.start; });
  return pieces;
}

}  // namespace

// The use of each card's layout, which is there from the first such card on.
template <typename Note>
void LayoutLog::count(const engine::ClusterState& state, Uses& uses, Note note) {
  for (const NodeIndex index : state.nodes_by_name()) {
    const engine::NodeRecord& node = state.node(index);
    for (std::uint16_t c = 0; c < node.cards.size(); ++c) {
      const engine::CardKind& kind = state.card_kind(node.cards[c].kind);
      if (kind.regime != MigRegime::kStatic) continue;
      const auto layout = engine::layout_placements(state.layout_of(index, c));
      const auto [use, is_new] = uses.try_emplace({node.spec->model, layout});
      if (is_new) {
        use->second.model = node.spec->model;
        use->second.slots = static_cast<std::uint32_t>(kind.mig->memory_slots());
        use->second.pieces = pieces_of(kind, layout);
      }
      note(use->second, node.cards[c]);
    }
  }
}

void LayoutLog::begin(const engine::ClusterState& state) {
  count(state, before_,
        [](LayoutUse& use, const engine::CardState& /*card*/) { ++use.cards_before; });
}

void LayoutLog::advanced(const RegeometryAdvanced& event, const engine::ClusterState& state,
                         TimeMs now) {
  const Regeometry& change = *event.change;
  const Card card{change.node, change.card};
  if (event.stage == RegeometryStage::kPlanned) planned_at_[card] = now;
  const bool ended =
      event.stage == RegeometryStage::kVerified || event.stage == RegeometryStage::kRolledBack;
  if (!ended) return;
  const auto planned = planned_at_.find(card);
  const TimeMs at = planned == planned_at_.end() ? now : planned->second;
  changes_.push_back({at, now - at, state.node(change.node).spec->name, change.card,
                      layout_text(state, change.node, change.before),
                      layout_text(state, change.node, change.placements), event.stage,
                      event.cause});
  if (changes_.size() > kChangesKept) changes_.erase(changes_.begin());
}

// By model; of one model what most cards have at the end comes first.
void LayoutLog::fill(const engine::ClusterState& state, RunResult& result) const {
  Uses uses = before_;
  count(state, uses, [](LayoutUse& use, const engine::CardState& card) {
    ++use.cards_after;
    use.used_after += std::popcount(card.mig);
  });
  for (auto& [kind, use] : uses) result.layouts.push_back(std::move(use));
  std::stable_sort(result.layouts.begin(), result.layouts.end(),
                   [](const LayoutUse& a, const LayoutUse& b) {
                     return std::tie(a.model, b.cards_after) < std::tie(b.model, a.cards_after);
                   });
  result.layout_changes = changes_;
}

}  // namespace berth::sim
