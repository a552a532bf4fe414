#include "engine/state/ledger.h"

#include <algorithm>

namespace berth::engine {

// What has ended leaves nothing but the time until which its card rests.
void Ledger::on(const RegeometryAdvanced& e, TimeMs now) {
  const CardOfNode card{e.change->node, e.change->card};
  next_layout_ask = std::max(next_layout_ask, e.ask + 1);
  std::erase_if(layout_rests, [&](const auto& rest) { return rest.second <= now; });
  if (e.stage == RegeometryStage::kVerified || e.stage == RegeometryStage::kRolledBack) {
    regeometries.erase(card);
    if (e.deadline > now && e.deadline != kNever) layout_rests.insert_or_assign(card, e.deadline);
    return;
  }
  regeometries.insert_or_assign(
      card, RegeometryState{e.stage, e.deadline, e.change, e.ask, e.was_read, e.found, e.cause});
}

void Ledger::on(const ReceiptIssued& e) {
  const Reclaim& reclaim = *e.receipt;
  receipts.insert_or_assign(reclaim.receipt,
                            ReceiptRecord{e.receipt, ReceiptOutcome::kOpen, kNever});
  open.insert(reclaim.receipt);
  next_receipt = std::max(next_receipt, reclaim.receipt.value() + 1);
}

void Ledger::on(const ReceiptEnded& e, TimeMs now) {
  ReceiptRecord& record = receipts.at(e.receipt);
  record.outcome = e.outcome;
  record.ended_at = now;
  open.erase(e.receipt);
  while (receipts.size() > open.size() + kReceiptsKept) {
    receipts.erase(std::find_if(receipts.begin(), receipts.end(), [](const auto& entry) {
      return entry.second.outcome != ReceiptOutcome::kOpen;
    }));
  }
}

void Ledger::on(const TokenIssued& e, TimeMs now) {
  tokens.insert_or_assign(e.token->id, TokenRecord{e.token, now});
  ++tokens_issued;
}

void Ledger::forget(JobId job) { reservations.erase(job); }

void Ledger::forget(NodeIndex node) {
  interruptions.erase(node);
  std::erase_if(regeometries, [&](const auto& entry) { return entry.first.first == node; });
  std::erase_if(layout_rests, [&](const auto& entry) { return entry.first.first == node; });
}

}  // namespace berth::engine
