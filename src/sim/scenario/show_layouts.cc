#include "sim/scenario/show_layouts.h"

#include <algorithm>
#include <set>

#include "engine/decide_regeometry.h"
#include "engine/sharing/regeometry.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

// Jobs in instances that are to go, by name.
std::string waits_for(const engine::ClusterState& state, const Regeometry& change) {
  std::set<std::string> names;
  for (const LeaseId id : state.node(change.node).leases) {
    const Lease& lease = *state.find_lease(id);
    const auto& grants = lease.placement.grants;
    const bool here = std::any_of(grants.begin(), grants.end(), [&](const CardGrant& grant) {
      return grant.card == change.card;
    });
    if (here && engine::is_to_go(state, lease)) names.insert(state.find_job(lease.job)->name);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? ", waits for " : " ") + name;
  return text;
}

std::string change_text(const engine::ClusterState& state, const engine::RegeometryState& stands,
                        TimeMs now) {
  const Regeometry& change = *stands.change;
  std::string text = " -> " + layout_text(state, change.node, change.placements) + ": " +
                     std::string(berth::word(stands.stage));
  if (!stands.is_asked()) text += waits_for(state, change);
  if (stands.deadline != kNever) {
    text += ", " + duration_text(std::max<DurationMs>(0, stands.deadline - now)) + " left";
  }
  if (stands.was_read) text += ", found " + layout_text(state, change.node, stands.found);
  return stands.cause.empty() ? text : text + " (" + stands.cause + ")";
}

std::string card_text(const engine::ClusterState& state, NodeIndex node, std::uint16_t card,
                      TimeMs now) {
  const engine::MigOccupancy layout = state.layout_of(node, card);
  std::string text = layout_text(state, node, engine::layout_placements(layout));
  if (const auto* stands = state.regeometry_of(node, card)) {
    return text + change_text(state, *stands, now);
  }
  const auto& rests = state.ledger().layout_rests;
  const auto rest = rests.find({node, card});
  if (rest == rests.end() || rest->second <= now) return text;
  return text + ", rests " + duration_text(rest->second - now);
}

}  // namespace

Lines show_layouts(const engine::ClusterState& state, TimeMs now) {
  Lines lines;
  for (const NodeIndex index : state.nodes_by_name()) {
    const engine::NodeRecord& node = state.node(index);
    const auto text_of = [&](std::size_t c) {
      const bool has = state.card_kind(node.cards[c].kind).regime == MigRegime::kStatic;
      return has ? card_text(state, index, static_cast<std::uint16_t>(c), now) : std::string();
    };
    for (std::size_t c = 0; c < node.cards.size();) {
      const std::string text = text_of(c);
      std::vector<std::int64_t> equal;
      for (; c < node.cards.size() && text_of(c) == text; ++c) {
        equal.push_back(static_cast<std::int64_t>(c));
      }
      if (!text.empty()) lines.push_back(cards_text(node.spec->name, equal) + " " + text);
    }
  }
  if (lines.empty()) lines.emplace_back("no card has a static MIG layout");
  return lines;
}

}  // namespace berth::sim
