// Communication against packing, where the topology says what bandwidth cards have between them:
// the place in the fewest domains and the one that packs best are both tried, and the cheaper
// stands.
#include <algorithm>

#include "engine/placement/gang_search.h"
#include "model/policy.h"

namespace berth::engine {

// Instances take no part in what cards send each other, and named scores have units of their own.
bool GangSearch::weighs_bandwidth(std::uint32_t wanted) const {
  if (wanted < 2 || !tree().states_bandwidth() || !state_.policy().scores.empty()) return false;
  const Shape& shape = state_.shapes().at(request_.ask.roles[role_].shape);
  const auto& devices = shape.request.devices;
  return !devices.empty() && std::all_of(devices.begin(), devices.end(), [](const auto& one) {
    return one.kind == ShareKind::kWhole;
  });
}

std::uint32_t GangSearch::fill_cheapest(DomainIndex scope, std::uint32_t wanted) {
  const Trial::Checkpoint start = trial_.checkpoint();
  const std::size_t before = place_.tasks.size();
  const std::size_t next = next_;
  const auto again = [&] {
    undo(start, before);
    next_ = next;
    packing_ = 0;
  };
  packing_ = 0;
  const Filled near = filled(fill_near(scope, wanted));
  if (near.tasks < wanted) return near.tasks;
  again();
  std::vector<NodeIndex> buffer;
  const Filled packed = filled(fill_nodes(nodes_in(scope, buffer), wanted));
  const std::int64_t lost = lost_bandwidth(near, packed);
  if (packed.tasks == wanted && packed.packing + lost < near.packing) return wanted;
  again();
  return fill_near(scope, wanted);
}

GangSearch::Filled GangSearch::filled(std::uint32_t tasks) const {
  Filled result{tasks, packing_, 0};
  std::vector<NodeIndex> nodes;
  for (const TaskPlacement& task : place_.tasks) nodes.push_back(task.node);
  for (const Anchor& held : request_.anchors) nodes.push_back(held.node);
  if (!nodes.empty()) result.bandwidth = tree().bandwidth_among(nodes);
  return result;
}

// The part of the bandwidth that is lost, on all cards of the job that are being placed, as worth:
// a collective takes as much longer (ring and tree alike, bandwidth-bound).
std::int64_t GangSearch::lost_bandwidth(const Filled& near, const Filled& packed) const {
  if (near.bandwidth <= std::max<std::int64_t>(0, packed.bandwidth)) return 0;
  const Shape& shape = state_.shapes().at(request_.ask.roles[role_].shape);
  const auto cards = static_cast<std::int64_t>(shape.device_count()) * near.tasks;
  const std::int64_t lost_ppm = kPpmOne * (near.bandwidth - packed.bandwidth) / near.bandwidth;
  const std::int64_t weighed = saturating_mul(lost_ppm, state_.policy().locality_ppm) / kPpmOne;
  return saturating_mul(saturating_mul(kCardWorth, cards), weighed) / kPpmOne;
}

// Cards that are equal in all else are taken at the indexes where the job has some already, so that
// its collectives stay on one rail.
CardGrants GangSearch::on_same_rails(const NodeRecord& node, CardGrants grants) const {
  if (grants.size() >= node.cards.size()) return grants;
  std::uint64_t rails = 0;
  for (const TaskPlacement& task : place_.tasks) {
    for (const CardGrant& grant : task.grants) rails |= std::uint64_t{1} << grant.card;
  }
  if (rails == 0) return grants;
  std::uint64_t taken = 0;
  for (const CardGrant& grant : grants) taken |= std::uint64_t{1} << grant.card;
  for (CardGrant& grant : grants) {
    if ((rails >> grant.card & 1) != 0) continue;
    for (std::uint32_t c = 0; c < node.cards.size(); ++c) {
      const bool wanted = (rails >> c & 1) != 0 && (taken >> c & 1) == 0;
      if (!wanted || !(node.cards[c] == node.cards[grant.card])) continue;
      taken |= std::uint64_t{1} << c;
      grant.card = static_cast<decltype(grant.card)>(c);
      break;
    }
  }
  return grants;
}

}  // namespace berth::engine
