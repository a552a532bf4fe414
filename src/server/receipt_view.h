// The receipt of a reclaim as the API answers with it; see views.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codec/schema.h"
#include "engine/state/ledger.h"
#include "model/words.h"
#include "server/redaction.h"

namespace berth::server {

struct VictimView {
  std::string job;
  std::string node;
  ReclaimGrade grade = ReclaimGrade::kKill;
  LeaseOwnership ownership = LeaseOwnership::kOwned;
  std::int64_t cards_milli = 0;
  CpuMilli cpu_milli = 0;
  Mib memory_mib = 0;
  DurationMs lost_ms = 0;
  DurationMs latency_ms = 0;
  MicroMoney price_micro = 0;
  std::string target;  // of a move
  friend bool operator==(const VictimView&, const VictimView&) = default;
};

struct ReceiptView {
  std::int64_t receipt = 0;
  std::string job;
  std::int64_t part_of = 0;  // the receipt of the whole; 0: it is none's
  ReclaimRight right = ReclaimRight::kGuarantee;
  ReceiptOutcome outcome = ReceiptOutcome::kOpen;
  TimeMs made_at_ms = 0;
  TimeMs expires_at_ms = 0;
  std::optional<TimeMs> ended_at_ms;
  MicroMoney gain_micro = 0;
  MicroMoney price_micro = 0;
  std::optional<MicroMoney> next_best_micro;
  std::string place;
  std::vector<VictimView> victims;
  friend bool operator==(const ReceiptView&, const ReceiptView&) = default;
};

ReceiptView receipt_view(const engine::ClusterState& state, const engine::ReceiptRecord& record,
                         const Visibility& sight);

}  // namespace berth::server

namespace berth::codec {
template <>
struct Describe<server::VictimView> : Described<server::VictimView> {
  static const ObjectSchema<server::VictimView>& schema();
};
template <>
struct Describe<server::ReceiptView> : Described<server::ReceiptView> {
  static const ObjectSchema<server::ReceiptView>& schema();
};
}  // namespace berth::codec
