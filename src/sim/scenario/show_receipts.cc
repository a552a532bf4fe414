#include "sim/scenario/show_receipts.h"

#include <algorithm>

namespace berth::sim {
namespace {

std::string outcome_text(const engine::ReceiptRecord& record, TimeMs now) {
  const std::string outcome(berth::word(record.outcome));
  if (record.ended_at == kNever) {
    const DurationMs left = std::max<DurationMs>(0, record.reclaim->expires_at - now);
    return outcome + ", expires in " + duration_text(left);
  }
  return outcome + " after " + duration_text(record.ended_at - record.reclaim->made_at);
}

std::string victim_line(const engine::ClusterState& state, const Victim& victim,
                        const JobNames& names) {
  const std::string to = victim.goes_on() ? " to " + place_text(state, {victim.target}) : "";
  return "  from   " + names(victim.job, victim.name) + " on " +
         state.node(victim.node).spec->name + ": " + held_text(victim.held()) + ", " +
         std::string(berth::word(victim.ownership)) + "; " +
         std::string(berth::word(victim.grade)) + to + " loses " + duration_text(victim.lost_ms) +
         " of each, price " + money_text(victim.price) + "; free within " +
         duration_text(victim.latency_ms);
}

std::string gain_line(const Reclaim& reclaim) {
  if (reclaim.victims.empty()) return "  gain   not asked: nothing is taken from anyone";
  if (reclaim.gain > 0) return "  gain   " + money_text(reclaim.gain) + ": what waiting on costs";
  return reclaim.right == ReclaimRight::kGuarantee
             ? "  gain   not asked: the owner of a guarantee need not gain"
             : "  gain   not asked by the policy";
}

// "big takes back 8 cards by share", "big has 8 cards moved by consolidation", "small goes on".
std::string head_text(const Reclaim& reclaim, const JobNames& names) {
  const std::string taker = names(reclaim.beneficiary, reclaim.name);
  if (!reclaim.part_of.is_none()) {
    return taker + " goes on, moved by receipt " + std::to_string(reclaim.part_of.value());
  }
  if (reclaim.victims.empty()) {
    return taker + " waits for room that is being given back by " +
           std::string(berth::word(reclaim.right));
  }
  const bool moves = reclaim.right == ReclaimRight::kConsolidation;
  return taker + (moves ? " has " : " takes back ") + held_text(held_by_victims(reclaim)) +
         (moves ? " moved by " : " by ") + std::string(berth::word(reclaim.right));
}

std::string price_line(const Reclaim& reclaim) {
  std::string text = "  price  " + money_text(reclaim.price);
  if (reclaim.runner_up_price) text += ", next best " + money_text(*reclaim.runner_up_price);
  return text;
}

}  // namespace

Lines receipt_lines(const engine::ClusterState& state, const engine::ReceiptRecord& record,
                    TimeMs now, const JobNames& names) {
  const Reclaim& reclaim = *record.reclaim;
  Lines lines = {"receipt " + std::to_string(reclaim.receipt.value()) + ": " +
                     head_text(reclaim, names) + ", " + outcome_text(record, now),
                 "  place  " + place_text(state, reclaim.placement)};
  if (!reclaim.part_of.is_none()) return lines;
  lines.push_back(gain_line(reclaim));
  lines.push_back(price_line(reclaim));
  for (const Victim& victim : reclaim.victims) lines.push_back(victim_line(state, victim, names));
  return lines;
}

Lines show_receipts(const engine::ClusterState& state, TimeMs now) {
  Lines lines;
  for (const auto& [id, record] : state.ledger().receipts) {
    for (std::string& line : receipt_lines(state, record, now)) lines.push_back(std::move(line));
  }
  if (lines.empty()) lines.emplace_back("nothing has been taken back");
  return lines;
}

}  // namespace berth::sim
