#include "sim/consolidation_log.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace berth::sim {
namespace {

constexpr std::size_t kKept = 3;
constexpr std::size_t kMostNodes = 16;  // of one picture

using Owners = std::map<std::pair<std::string, std::uint16_t>, std::string>;  // by node and card

std::set<NodeIndex> nodes_of(const Reclaim& receipt) {
  std::set<NodeIndex> nodes;
  for (const TaskPlacement& task : receipt.placement) nodes.insert(task.node);
  for (const Victim& victim : receipt.victims) {
    nodes.insert(victim.node);
    if (victim.goes_on()) nodes.insert(victim.target.node);
  }
  return nodes;
}

void set_owner(Owners& owners, const engine::ClusterState& state, const TaskPlacement& task,
               const std::string& owner) {
  const std::string& node = state.node(task.node).spec->name;
  for (const CardGrant& grant : task.grants) owners[{node, grant.card}] = owner;
}

Owners owners_now(const engine::ClusterState& state, const std::set<NodeIndex>& nodes) {
  Owners owners;
  for (const NodeIndex node : nodes) {
    for (const LeaseId id : state.node(node).leases) {
      const Lease& lease = *state.find_lease(id);
      if (!lease.off_cards) {
        set_owner(owners, state, lease.placement, state.find_job(lease.job)->name);
      }
    }
  }
  return owners;
}

Owners owners_then(const engine::ClusterState& state, const Reclaim& receipt, Owners owners) {
  for (const Victim& victim : receipt.victims) {
    const TaskPlacement& held = state.find_lease(victim.lease)->placement;
    const std::string& node = state.node(held.node).spec->name;
    for (const CardGrant& grant : held.grants) owners.erase({node, grant.card});
  }
  for (const TaskPlacement& task : receipt.placement) {
    set_owner(owners, state, task, receipt.name);
  }
  for (const Victim& victim : receipt.victims) {
    if (victim.goes_on()) set_owner(owners, state, victim.target, victim.name);
  }
  return owners;
}

std::vector<OwnedCard> listed(const Owners& owners) {
  std::vector<OwnedCard> cards;
  for (const auto& [place, owner] : owners) cards.push_back({place.first, place.second, owner});
  return cards;
}

double room_of(const ConsolidationNote& note) {
  return static_cast<double>(
      std::count_if(note.after.begin(), note.after.end(),
                    [&](const OwnedCard& card) { return card.owner == note.job; }));
}

}  // namespace

void ConsolidationLog::issued(const Reclaim& receipt, const engine::ClusterState& state,
                              TimeMs now) {
  if (receipt.right != ReclaimRight::kConsolidation || receipt.victims.empty()) return;
  const std::set<NodeIndex> nodes = nodes_of(receipt);
  if (nodes.size() > kMostNodes) return;
  ConsolidationNote note;
  note.at_ms = now;
  note.job = receipt.name;
  std::set<JobId> jobs;
  for (const Victim& victim : receipt.victims) {
    jobs.insert(victim.job);
    note.moved_cards += static_cast<double>(victim.cards) / kCard;
  }
  note.jobs = static_cast<std::int64_t>(jobs.size());
  note.price = static_cast<double>(receipt.price) / 1e6;
  note.gain = static_cast<double>(receipt.gain) / 1e6;
  for (const NodeIndex node : nodes) {
    const NodeSpec& spec = *state.node(node).spec;
    note.nodes.push_back({spec.name, static_cast<std::uint16_t>(spec.cards.size())});
  }
  std::sort(note.nodes.begin(), note.nodes.end(),
            [](const MapNode& a, const MapNode& b) { return a.name < b.name; });
  const Owners before = owners_now(state, nodes);
  note.before = listed(before);
  note.after = listed(owners_then(state, receipt, before));
  kept_.push_back(std::move(note));
  if (kept_.size() <= kKept) return;
  const auto least = std::min_element(kept_.begin(), kept_.end(),
                                      [](const ConsolidationNote& a, const ConsolidationNote& b) {
                                        return room_of(a) < room_of(b);
                                      });
  kept_.erase(least);
}

}  // namespace berth::sim
