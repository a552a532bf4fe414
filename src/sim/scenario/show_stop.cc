#include "sim/scenario/show_stop.h"

#include <algorithm>

#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

std::string receipt_name(ReceiptId id) { return "receipt " + std::to_string(id.value()); }

// "8 cards taken back for p1 by guarantee (receipt 2)", "are being moved"
std::string taken_text(const TakenFrom& taken, const std::string& verb, const JobNames& names) {
  const bool moved = taken.grade == ReclaimGrade::kMove;
  return held_text(taken.held) + verb + (moved ? "moved" : "taken back") + " for " +
         names(taken.receipt.beneficiary, taken.receipt.name) + " by " +
         std::string(berth::word(taken.receipt.right)) + " (" +
         receipt_name(taken.receipt.receipt) + ")";
}

std::string lost_text(const TakenFrom& taken) {
  return "grade " + std::string(berth::word(taken.grade)) + ", " + duration_text(taken.lost_ms) +
         (taken.held.cards > 0 ? " of each card lost" : " lost");
}

// Of a stop that no receipt is the cause of.
std::string reason_text(EndReason reason) {
  if (reason == EndReason::kLost) return "its node or a card was lost or taken away";
  if (reason == EndReason::kDrained) return "the layout of its card changes";
  return std::string(berth::word(reason));
}

// Where it has tasks of which nobody hears; by name.
std::vector<NodeIndex> lost_nodes(const engine::ClusterState& state, const engine::JobRecord& job) {
  std::vector<NodeIndex> lost;
  for (const LeaseId id : job.leases) {
    const NodeIndex node = state.find_lease(id)->placement.node;
    if (state.node(node).condition == NodeCondition::kLost) lost.push_back(node);
  }
  std::sort(lost.begin(), lost.end(), [&](NodeIndex a, NodeIndex b) {
    return state.node(a).name_order < state.node(b).name_order;
  });
  lost.erase(std::unique(lost.begin(), lost.end()), lost.end());
  return lost;
}

std::string lost_text(const engine::ClusterState& state, NodeIndex index, TimeMs now) {
  const engine::NodeRecord& node = state.node(index);
  return node.spec->name + " has been lost for " + rounded_text(now - node.condition_since) +
         ": what it runs there keeps its place until the node is back or given up";
}

// When the last lease that the receipt takes of the job is gone, at the latest.
TimeMs gone_at(const engine::ClusterState& state, const engine::JobRecord& job, ReceiptId receipt) {
  TimeMs last = kNever;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.state != LeaseState::kRevoking || lease.receipt != receipt) continue;
    if (lease.deadline != kNever && (last == kNever || lease.deadline > last)) {
      last = lease.deadline;
    }
  }
  return last;
}

std::string leaving_text(const engine::ClusterState& state, const engine::JobRecord& job,
                         const TakenFrom& taken, TimeMs now, const JobNames& names) {
  const TimeMs gone = gone_at(state, job, taken.receipt.receipt);
  const bool one =
      taken.held.cards == kCard || (taken.held.cards == 0 && taken.held.cpu_milli == 1000);
  std::string text =
      taken_text(taken, one ? " is being " : " are being ", names) + ", " + lost_text(taken);
  if (gone == kNever) return text;
  return text + (gone > now ? "; gone in at most " + rounded_text(gone - now)
                            : "; should be gone since " + rounded_text(now - gone));
}

}  // namespace

std::optional<TakenFrom> taken_from(const engine::ClusterState& state, const engine::JobRecord& job,
                                    ReceiptId receipt) {
  const auto& receipts = state.ledger().receipts;
  const auto found = receipts.find(receipt);
  if (found == receipts.end()) return std::nullopt;
  TakenFrom taken{*found->second.reclaim};
  bool any = false;
  for (const Victim& victim : taken.receipt.victims) {
    if (victim.job != job.id) continue;
    any = true;
    taken.held += victim.held();
    taken.grade = victim.grade;
    taken.lost_ms = std::max(taken.lost_ms, victim.lost_ms);
  }
  if (!any) return std::nullopt;
  return taken;
}

std::vector<ReceiptId> takers_of(const engine::ClusterState& state, const engine::JobRecord& job) {
  std::vector<ReceiptId> takers;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.state != LeaseState::kRevoking) continue;
    // a lease that its owner gives up may name the receipt that made room for it
    if (taken_from(state, job, lease.receipt)) takers.push_back(lease.receipt);
  }
  std::sort(takers.begin(), takers.end());
  takers.erase(std::unique(takers.begin(), takers.end()), takers.end());
  return takers;
}

std::string stop_text(const engine::ClusterState& state, const engine::JobRecord& job,
                      const JobNames& names) {
  const engine::Stop& stop = job.stop;
  if (stop.receipt.is_none()) return reason_text(stop.reason);
  const auto taken = taken_from(state, job, stop.receipt);
  std::string text = taken ? taken_text(*taken, " ", names) + ", " + lost_text(*taken)
                           : "taken back (" + receipt_name(stop.receipt) + ", no longer kept here)";
  if (stop.reason != EndReason::kReclaimed) text += "; then " + reason_text(stop.reason);
  return text;
}

std::string wait_text(const engine::JobRecord& job, TimeMs now) {
  const std::string submitted = rounded_text(now - job.submitted_at) + " since it was submitted";
  if (job.stop.at == kNever) return submitted;
  return rounded_text(now - job.stop.at) + " since it was stopped, " + submitted;
}

std::string back_text(const engine::ClusterState& state, const engine::JobRecord& job) {
  const Lease& lease = *state.find_lease(job.leases.front());
  CardUnits cards = 0;
  for (const CardGrant& grant : lease.placement.grants) cards += grant.compute;
  return cards_amount_text(cards) + " of " + state.node(lease.placement.node).spec->name +
         (cards == kCard ? " is" : " are") + " free, where its memory is, and its queue may hold " +
         (cards == kCard ? "it" : "them");
}

Lines stop_lines(const engine::ClusterState& state, const engine::JobRecord& job, TimeMs now,
                 const JobNames& names) {
  Lines lines;
  for (const ReceiptId id : takers_of(state, job)) {
    lines.push_back(leaving_text(state, job, *taken_from(state, job, id), now, names));
  }
  for (const NodeIndex node : lost_nodes(state, job)) lines.push_back(lost_text(state, node, now));
  if (job.stop.at == kNever || !is_waiting(job)) return lines;
  lines.push_back("stopped: " + stop_text(state, job, names));
  lines.push_back("waits " + wait_text(job, now));
  if (job.phase == JobPhase::kSuspended) {
    lines.push_back("goes on when " + back_text(state, job));
  }
  return lines;
}

}  // namespace berth::sim
