#include "engine/state/ledger.h"

namespace berth::engine {

void Ledger::on(const RegeometryAdvanced& e) {
  const CardOfNode card{e.change->node, e.change->card};
  if (e.stage == RegeometryStage::kVerified || e.stage == RegeometryStage::kRolledBack) {
    regeometries.erase(card);
    return;
  }
  regeometries.insert_or_assign(card, RegeometryState{e.stage, e.deadline, e.change});
}

void Ledger::forget(JobId job) {
  reservations.erase(job);
  std::erase_if(receipts, [&](const auto& entry) { return entry.second->beneficiary == job; });
}

void Ledger::forget(NodeIndex node) {
  interruptions.erase(node);
  std::erase_if(regeometries, [&](const auto& entry) { return entry.first.first == node; });
}

}  // namespace berth::engine
