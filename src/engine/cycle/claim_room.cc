// Room for jobs that go before their order (engine/quota/lending.h): the nodes that are free
// soonest are left to them until the cycle ends. The next cycle chooses anew, so nothing of it is
// kept.
#include <algorithm>
#include <utility>

#include "engine/cycle/cycle.h"

namespace berth::engine {

// One job at a time that is overdue; every one of a queue that is behind.
void Cycle::claim_room(const JobRecord& job, LendingTier tier) {
  if (tier != LendingTier::kBehind && tier != LendingTier::kOverdue) return;
  if (tier == LendingTier::kOverdue && std::exchange(claimed_overdue_, true)) return;
  if (ends_.empty()) list_ends();
  const SpecRecord& spec = state_.spec_of(job);
  const FlavourIndex flavour = lending_flavour(state_, engine_.flavours_, spec.ask);
  std::uint32_t node_cards = 1;
  std::vector<std::pair<TimeMs, NodeIndex>> soonest;
  for (std::uint32_t n = 0; n < state_.nodes().size(); ++n) {
    const NodeKind& kind = state_.node_kind(state_.nodes()[n].kind);
    if (kind.flavour == flavour) node_cards = std::max(node_cards, kind.cards);
  }
  const auto cards = static_cast<std::uint32_t>(std::min<std::uint64_t>(spec.cards, node_cards));
  for (std::uint32_t n = 0; n < state_.nodes().size(); ++n) {
    const NodeRecord& node = state_.nodes()[n];
    const NodeKind& kind = state_.node_kind(node.kind);
    if (kind.flavour != flavour || kind.cards < cards || !node.takes_work()) continue;
    const TimeMs at = free_at(NodeIndex(n), cards);
    if (at != kNever) soonest.emplace_back(at, NodeIndex(n));
  }
  const std::size_t count = (spec.cards + node_cards - 1) / node_cards;
  if (soonest.size() < count) return;
  std::sort(soonest.begin(), soonest.end());
  for (std::size_t i = 0; i < count; ++i) trial_.keep(soonest[i].second, job.id);
}

// When the leases on each node are expected to end: after the mean run time of their kind, or once
// they have run half as long again.
void Cycle::list_ends() {
  ends_.resize(state_.nodes().size());
  for (const LeaseId id : state_.leases().sorted_ids()) {
    const Lease& lease = state_.leases().at(id);
    const JobRecord& job = *state_.find_job(lease.job);
    const TimeMs start = job.started_at == kNever ? now_ : job.started_at;
    const DurationMs mean = state_.expected_run(state_.spec_of(job), now_);
    const DurationMs more = std::max(kMinuteMs, (now_ - start) / 2);
    const TimeMs at = std::max(saturating_add(start, mean), saturating_add(now_, more));
    const auto cards = static_cast<std::uint32_t>(lease.placement.grants.size());
    ends_[lease.placement.node.value()].push_back({at, cards});
  }
  for (auto& ends : ends_) {
    std::sort(ends.begin(), ends.end(),
              [](const NodeEnd& a, const NodeEnd& b) { return a.at < b.at; });
  }
}

// When so many cards of the node are free together; kNever: not by the ends of its leases.
TimeMs Cycle::free_at(NodeIndex index, std::uint32_t cards) const {
  std::uint32_t free = 0;
  for (const CardState& card : state_.node(index).cards) {
    free += card.usable() && card.is_empty() ? 1 : 0;
  }
  if (free >= cards) return now_;
  for (const NodeEnd& end : ends_[index.value()]) {
    free += end.cards;
    if (free >= cards) return end.at;
  }
  return kNever;
}

}  // namespace berth::engine
