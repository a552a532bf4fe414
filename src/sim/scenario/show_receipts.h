// Receipts of reclaims as text, the same for who takes and who gives.
#pragma once

#include <string>

#include "engine/state/ledger.h"
#include "sim/scenario/show.h"
#include "sim/scenario/wording.h"

namespace berth::sim {

// A heading, the place, gain and price, then a line for each lease that is given.
Lines receipt_lines(const engine::ClusterState& state, const engine::ReceiptRecord& record,
                    TimeMs now, const JobNames& names = by_name);
// Those that are open and the last others, oldest first.
Lines show_receipts(const engine::ClusterState& state, TimeMs now);

}  // namespace berth::sim
