// Changes of MIG layouts: which instances a card offers while its layout changes, and the layouts
// of a saved state.
#include <vector>

#include "base/check.h"
#include "engine/sharing/regeometry.h"
#include "engine/state/cluster_state.h"
#include "model/serial.h"

namespace berth::engine {
namespace {

// What nobody touches while the change is where it is. Of what the node has found, what was there
// before is as good as ever.
template <typename Step>  // an event, or what the state keeps of it
MigOccupancy offered_by(const Step& step) {
  const MigOccupancy before = layout_mask(step.change->before);
  const MigOccupancy wanted = layout_mask(step.change->placements);
  if (step.stage == RegeometryStage::kVerified) return wanted;
  if (step.stage == RegeometryStage::kRolledBack) return before;
  return before & (step.was_read ? layout_mask(step.found) : wanted);
}

bool is_rising(const std::vector<std::uint8_t>& placements) {
  return layout_placements(layout_mask(placements)) == placements;
}

}  // namespace

void ClusterState::on(const RegeometryAdvanced& e) {
  ledger_.on(e, now_);
  offer_layout(e.change->node, e.change->card, offered_by(e));
}

const RegeometryState* ClusterState::regeometry_of(NodeIndex node, std::uint16_t card) const {
  const auto it = ledger_.regeometries.find({node, card});
  return it == ledger_.regeometries.end() ? nullptr : &it->second;
}

MigOccupancy ClusterState::layout_of(NodeIndex node, std::uint16_t card) const {
  const RegeometryState* change = regeometry_of(node, card);
  if (change != nullptr) return layout_mask(change->change->before);
  return card_kind(nodes_[node.value()].cards[card].kind).layout;
}

CardKindIndex ClusterState::kind_with_layout(CardKindIndex index, MigOccupancy layout) {
  CardKind kind = card_kinds_[index.value()];
  BERTH_CHECK(kind.regime == MigRegime::kStatic);
  kind.layout = layout;
  return intern_card_kind(kind);
}

void ClusterState::offer_layout(NodeIndex index, std::uint16_t card, MigOccupancy layout) {
  NodeRecord& node = nodes_[index.value()];
  const CardKindIndex kind = kind_with_layout(node.cards[card].kind, layout);
  if (kind == node.cards[card].kind) return;
  leave_slot(index);
  node.cards[card].kind = kind;
  enter_slot(index);
  ++room_revision_;
}

Result<MigOccupancy> ClusterState::read_layout(NodeIndex index,
                                               const std::vector<MigInstanceSpec>& layout,
                                               const std::string& path) const {
  const NodeRecord& node = nodes_[index.value()];
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const std::string& partition = layout[i].partition;
    if (partition.empty() || partition == node.spec->partition) continue;
    return invalid("is '" + partition + "'; only the partition of the node is accepted yet",
                   path + "[" + std::to_string(i) + "].partition");
  }
  return parse_layout(models_[node_kind(node.kind).model.value()], layout, path);
}

std::vector<MigInstanceSpec> ClusterState::instances_of(
    NodeIndex node, const std::vector<std::uint8_t>& placements) const {
  const ModelRecord& model = models_[node_kind(nodes_[node.value()].kind).model.value()];
  std::vector<MigInstanceSpec> instances;
  for (const std::uint8_t p : placements) {
    const MigPlacement& placement = model.mig->placement(MigPlacementIndex(p));
    instances.push_back({model.gpu->mig_profiles[placement.profile.value()].name,
                         static_cast<std::uint32_t>(placement.start)});
  }
  return instances;
}

// The kinds in the order in which they came up: a card's place among others goes by it.
void ClusterState::save_card_kinds(ByteWriter& out) const {
  out.varint(card_kinds_.size());
  for (const CardKind& kind : card_kinds_) {
    serial::write(out, kind.model);
    serial::write(out, kind.usable);
    serial::write(out, kind.client_reserve);
    serial::write(out, kind.regime);
    serial::write(out, kind.layout);
    serial::write(out, kind.replicas);
    serial::write(out, kind.island);
  }
}

bool ClusterState::load_card_kinds(ByteReader& in) {
  for (std::size_t i = in.count(); i > 0 && in.ok(); --i) {
    CardKind kind;
    serial::read(in, kind.model);
    serial::read(in, kind.usable);
    serial::read(in, kind.client_reserve);
    serial::read(in, kind.regime);
    serial::read(in, kind.layout);
    serial::read(in, kind.replicas);
    serial::read(in, kind.island);
    if (kind.model.is_none() || kind.model.value() >= models_.size()) return false;
    const ModelRecord& model = models_[kind.model.value()];
    kind.gpu = model.gpu.get();
    kind.mig = model.mig.get();
    constexpr MemoryEighths kMost = kCardMemoryLimit * kEighthsPerMib;
    const bool has_layout = kind.regime == MigRegime::kStatic;
    const bool fits =
        (kind.mig == nullptr ? kind.regime == MigRegime::kOff : kind.mig->is_valid(kind.layout)) &&
        (has_layout || kind.layout == 0) && kind.usable > 0 && kind.usable <= kMost &&
        kind.client_reserve >= 0 && kind.client_reserve <= kMost;
    const std::size_t known = card_kinds_.size();
    if (!fits || known >= kCardKindsLimit) return false;
    if (intern_card_kind(kind).value() != known) return false;
  }
  return true;
}

// The layout that the card has, whatever it offers of it.
void ClusterState::save_card(ByteWriter& out, NodeIndex node, std::uint16_t card) const {
  const CardState& state = nodes_[node.value()].cards[card];
  serial::write(out, state.health);
  if (card_kind(state.kind).regime == MigRegime::kStatic) {
    serial::write(out, layout_of(node, card));
  }
}

bool ClusterState::load_card(ByteReader& in, CardState& card) {
  serial::read(in, card.health);
  if (card_kind(card.kind).regime != MigRegime::kStatic) return true;
  MigOccupancy layout = 0;
  serial::read(in, layout);
  if (!card_kind(card.kind).mig->is_valid(layout)) return false;
  const std::size_t known = card_kinds_.size();
  card.kind = kind_with_layout(card.kind, layout);
  return card_kinds_.size() == known;
}

// Once the leases are there: what changes offer of the cards under way. False: they contradict the
// cards.
bool ClusterState::load_regeometries() {
  const std::size_t known = card_kinds_.size();
  for (const auto& [where, state] : ledger_.regeometries) {
    const Regeometry& change = *state.change;
    const auto& [node, index] = where;
    if (where != Ledger::CardOfNode{change.node, change.card}) return false;
    if (node.value() >= nodes_.size() || index >= nodes_[node.value()].cards.size()) return false;
    const CardState& card = nodes_[node.value()].cards[index];
    const CardKind& kind = card_kind(card.kind);
    if (kind.regime != MigRegime::kStatic) return false;
    const auto is_layout = [&](const std::vector<std::uint8_t>& placements) {
      return is_rising(placements) && kind.mig->is_valid(layout_mask(placements));
    };
    const bool ended =
        state.stage == RegeometryStage::kVerified || state.stage == RegeometryStage::kRolledBack;
    const bool sound = !ended && is_layout(change.placements) && is_layout(change.before) &&
                       layout_mask(change.before) == kind.layout && is_layout(state.found) &&
                       (state.was_read || state.found.empty()) &&
                       state.ask < ledger_.next_layout_ask;
    if (!sound) return false;
    offer_layout(node, index, offered_by(state));
  }
  return card_kinds_.size() == known;
}

}  // namespace berth::engine
