#include "engine/quota/flavour_shares.h"

#include <algorithm>
#include <set>

#include "base/check.h"

namespace berth::engine {

void FlavourShares::work_out() {
  note_largest_nodes();
  for (std::uint16_t f = 0; f < state_.quota().flavour_count(); ++f) {
    known_.push_back(lines_of(FlavourIndex(f)));
  }
}

const FlavourShares::Line& FlavourShares::of(FlavourIndex flavour, QueueIndex queue) const {
  BERTH_CHECK(flavour.value() < known_.size());
  return known_[flavour.value()][queue.value()];
}

void FlavourShares::note_largest_nodes() {
  largest_.assign(state_.quota().flavour_count(), 0);
  for (const NodeRecord& node : state_.nodes()) {
    const FlavourIndex flavour = state_.node_kind(node.kind).flavour;
    if (node.condition == NodeCondition::kRemoved || flavour.is_none()) continue;
    const auto cards = static_cast<CardUnits>(node.cards.size()) * kCard;
    largest_[flavour.value()] = std::max(largest_[flavour.value()], cards);
  }
}

// Whether an empty fleet would be large enough for the least that the ask needs. What can never
// start is no demand, and changes nobody's share.
bool FlavourShares::may_ever_start(AskIndex ask) {
  const QuotaTree& quota = state_.quota();
  const Ask& wanted = state_.asks().at(ask);
  const std::vector<RoleFlavours>& roles = flavours_.of(state_, ask);
  CardUnits needed = 0;
  std::set<FlavourIndex> usable;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    const std::uint32_t least = least_tasks(wanted.roles[r]);
    if (least == 0 || roles[r].cards.empty()) continue;
    CardUnits each = INT64_MAX;
    for (const FlavourOption& option : roles[r].cards) {
      const CardUnits one = larger_share(option.per_task, quota.capacity(option.flavour));
      if (one > largest_[option.flavour.value()]) continue;
      each = std::min(each, one);
      usable.insert(option.flavour);
    }
    needed = saturating_add(needed, saturating_mul(each, least));
  }
  CardUnits there = 0;
  for (const FlavourIndex flavour : usable) {
    there = saturating_add(there, quota.capacity(flavour).units);
  }
  return needed <= there;
}

// What the waiting jobs of each queue ask of the flavour, wherever else they could run.
std::vector<CardUnits> FlavourShares::waiting(FlavourIndex flavour) {
  std::vector<CardUnits> asked(state_.queues().size(), 0);
  const FlavourCapacity& capacity = state_.quota().capacity(flavour);
  for (const AskIndex ask : state_.pending().asks()) {
    const Ask& wanted = state_.asks().at(ask);
    const auto count = [&](std::size_t r) { return wanted.roles[r].count; };
    const Charge each = charge_of(flavours_.of(state_, ask), flavour, count);
    const CardUnits units = larger_share(each, capacity);
    if (units == 0 || !may_ever_start(ask)) continue;
    for (const SpecIndex spec : state_.pending().of_ask(ask)) {
      const PendingLine& line = state_.pending().line(spec);
      CardUnits& sum = asked[line.queue.value()];
      sum = saturating_add(sum, saturating_mul(units, static_cast<std::int64_t>(line.jobs.size())));
    }
  }
  // what is promised counts as held already
  for (const ReceiptId id : state_.ledger().open) {
    const JobRecord* job = state_.find_job(state_.ledger().receipts.at(id).reclaim->beneficiary);
    if (job == nullptr || job->phase != JobPhase::kPending) continue;
    CardUnits& sum = asked[state_.spec_of(*job).home.queue.value()];
    for (const LeaseId lease : job->promises) sum -= held_of(*job, lease, flavour);
    sum = std::max<CardUnits>(0, sum);
  }
  return asked;
}

CardUnits FlavourShares::held_of(const JobRecord& job, LeaseId lease, FlavourIndex flavour) const {
  const TaskPlacement& task = state_.find_lease(lease)->placement;
  const Shape& shape = state_.shapes().at(state_.spec_of(job).shapes[task.role]);
  const auto charges = state_.charges_of(shape, task.node, task.grants);
  if (charges.cards != flavour) return 0;
  return larger_share(charges.of_cards, state_.quota().capacity(flavour));
}

std::vector<FlavourShares::Line> FlavourShares::lines_of(FlavourIndex flavour) {
  const QuotaTree& quota = state_.quota();
  const PolicySpec& policy = state_.policy();
  const DurationMs half_life = policy.history_ppm > 0 ? policy.usage_half_life_ms : 0;
  const std::vector<CardUnits> asked = waiting(flavour);
  ShareTree tree;
  tree.capacity = quota.capacity(flavour).units;
  tree.history_ppm = policy.history_ppm;
  for (std::uint32_t q = 0; q < state_.queues().size(); ++q) {
    const QueueIndex queue(q);
    const QueueRecord& record = quota.queue(queue);
    const QuotaEntry* entry = quota.entry(queue, flavour);
    ShareNode node;
    if (!record.parent.is_none()) node.parent = record.parent.value();
    node.weight =
        entry == nullptr ? record.spec->weight : static_cast<std::uint32_t>(entry->weight);
    if (entry != nullptr) {
      node.guarantee = entry->guarantee;
      node.limit = entry->limit;
    }
    node.demand = saturating_add(quota.used_by_own(queue, entry, flavour, {}), asked[q]);
    if (half_life > 0) node.history = quota.past(queue, entry, flavour, now_, half_life);
    tree.nodes.push_back(node);
  }
  const std::vector<CardUnits> shares = fair_shares(tree);
  const std::vector<ShareSubtree> subtrees = subtrees_of(tree);
  std::vector<Line> lines(shares.size());
  for (std::size_t q = 0; q < shares.size(); ++q) lines[q] = {shares[q], subtrees[q].demand};
  return lines;
}

}  // namespace berth::engine
