// The fix for a job that asks for MIG instances which no card of the static regime has: another
// layout for cards of one node. Only instances that nobody uses go, so that nobody is stopped.
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <span>

#include "engine/cycle/fix_search.h"
#include "engine/placement/filters.h"
#include "engine/sharing/regeometry.h"

namespace berth::engine {
namespace {

// Nodes of which the cards are tried, the first of each state by name.
constexpr std::size_t kMostNodes = 8;

using Wanted = std::map<std::string, std::int64_t>;  // instances by profile

// What the least tasks of the job ask for together.
Wanted wanted_by(const JobSpec& spec) {
  Wanted wanted;
  for (const Role& role : spec.roles) {
    const std::uint32_t tasks = role.elastic ? role.min : role.count;
    for (const Container& container : role.containers) {
      if (container.devices.kind != ShareKind::kMig) continue;
      wanted[container.devices.mig_profile] += std::int64_t{container.devices.count} * tasks;
    }
  }
  return wanted;
}

MigPlacementIndex first_of(MigOccupancy mask) {
  return MigPlacementIndex(static_cast<std::uint8_t>(std::countr_zero(mask)));
}

// Of the placements the one for which the fewest instances of the layout go; one of it first.
MigPlacementIndex gentlest(const MigGeometry& grid, MigOccupancy choices, MigOccupancy layout) {
  MigPlacementIndex best = first_of(choices);
  int least = kMaxMigPlacements + 1;
  for (; choices != 0; choices &= choices - 1) {
    const MigPlacementIndex index = first_of(choices);
    const int gone = std::popcount(grid.conflicts(index) & layout & ~MigGeometry::bit(index));
    if (gone >= least) continue;
    best = index;
    least = gone;
  }
  return best;
}

// Adds to the valid set what of the placements still stands beside it.
MigOccupancy filled_up(const MigGeometry& grid, MigOccupancy set, MigOccupancy with) {
  while (const MigOccupancy choices = grid.creatable(set) & with & ~set) {
    set |= MigGeometry::bit(first_of(choices));
  }
  return set;
}

// What is in use stays, then as much comes as is wanted, then what is left of the old layout.
MigOccupancy layout_for(const MigGeometry& grid, MigOccupancy layout, MigOccupancy busy,
                        const Wanted& wanted) {
  MigOccupancy made = busy;
  for (const auto& [name, instances] : wanted) {
    const auto profile = grid.find_profile(name);
    if (!profile) continue;
    const MigOccupancy of_profile = grid.placements_of(*profile);
    for (std::int64_t i = 0; i < instances; ++i) {
      const MigOccupancy choices = grid.creatable(made) & of_profile & ~made;
      if (choices == 0) break;
      made |= MigGeometry::bit(gentlest(grid, choices, layout));
    }
  }
  return filled_up(grid, made, layout);
}

bool serves_some_role(const FixSearch& search, const NodeRecord& node) {
  const auto& roles = search.state().ask_of(search.job()).roles;
  return std::any_of(roles.begin(), roles.end(), [&](const RoleAsk& role) {
    return kind_admits(search.state(), node.kind, search.state().shapes().at(role.shape));
  });
}

// One for each card of the node that could have more of what is wanted.
std::vector<ChangeLayout> changes_of(const FixSearch& search, NodeIndex index,
                                     const Wanted& wanted) {
  const ClusterState& state = search.state();
  const NodeRecord& node = state.node(index);
  std::vector<ChangeLayout> changes;
  for (std::uint16_t c = 0; c < node.cards.size(); ++c) {
    const CardKind& kind = state.card_kind(node.cards[c].kind);
    if (kind.regime != MigRegime::kStatic) continue;
    const MigOccupancy now = state.layout_of(index, c);
    const MigOccupancy made = layout_for(*kind.mig, now, node.cards[c].mig, wanted);
    if (made == now) continue;
    changes.push_back({node.spec->name, c, state.instances_of(index, layout_placements(made))});
  }
  return changes;
}

// "n1:0 to 3g.40gb@0 3g.40gb@4"
std::string change_text(const ChangeLayout& change) {
  std::string text = change.node + ":" + std::to_string(change.card) + " to";
  for (const MigInstanceSpec& instance : change.layout) {
    text += " " + instance.profile + "@" + std::to_string(instance.start);
  }
  return text;
}

void offer(FixSearch& search, const std::vector<ChangeLayout>& changes) {
  Fix fix{FixBy::kOperator, std::ssize(changes) * kCard, "change the layout of ", {}};
  FixSearch::Bodies bodies;
  for (const ChangeLayout& change : changes) {
    fix.text += (bodies.empty() ? "" : ", of ") + change_text(change);
    bodies.emplace_back(change);
  }
  search.offer(std::move(fix), std::move(bodies));
}

bool helps(FixSearch& search, std::span<const ChangeLayout> changes) {
  return search.starts(FixSearch::Bodies(changes.begin(), changes.end()));
}

// One card, or as many of the first as are needed.
bool change_node(FixSearch& search, const std::vector<ChangeLayout>& changes) {
  for (const ChangeLayout& change : changes) {
    if (!helps(search, {&change, 1})) continue;
    offer(search, {change});
    return true;
  }
  for (std::size_t count = 2; count <= changes.size(); ++count) {
    if (!helps(search, {changes.data(), count})) continue;
    offer(search, {changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(count)});
    return true;
  }
  return false;
}

}  // namespace

void change_a_layout(FixSearch& search) {
  const Wanted wanted = wanted_by(search.spec());
  if (wanted.empty()) return;
  Wanted many = wanted;  // where others take the first of them
  for (auto& [profile, instances] : many) instances = kMaxMigPlacements;
  std::set<SlotIndex> tried;  // equal nodes do equally well
  for (const NodeIndex index : search.state().nodes_by_name()) {
    const NodeRecord& node = search.state().node(index);
    if (!node.takes_work() || !serves_some_role(search, node) || tried.contains(node.slot)) {
      continue;
    }
    const std::vector<ChangeLayout> changes = changes_of(search, index, wanted);
    if (changes.empty()) continue;
    if (tried.size() == kMostNodes) return;
    tried.insert(node.slot);
    if (change_node(search, changes) || change_node(search, changes_of(search, index, many))) {
      return;
    }
  }
}

}  // namespace berth::engine
