// What `berth plan show` says: the receipts of reclaims, as both sides may read them: who gave
// what, at which price, and where it went.
#pragma once

#include <optional>
#include <string>

#include "server/asked_place.h"

namespace berth::server {

codec::Document receipt_document(const engine::ClusterState& state,
                                 const engine::ReceiptRecord& record);

// Of a job, as taker or giver; all of them without one. Refuses a job that was never there.
Result<Told> answer_receipts(const AskedPlace& place, const std::optional<std::string>& job);

}  // namespace berth::server
