// What `berth plan show` says: the receipts of reclaims, as both sides may read them: who gave
// what, at which price, and where it went. A side that is not seen has no name.
#pragma once

#include <optional>
#include <string>

#include "server/asked_place.h"

namespace berth::server {

// Of a job, as taker or giver; without one all that concern a job which is seen. Refuses a job that
// was never there.
Result<Told> answer_receipts(const AskedPlace& place, const std::optional<std::string>& job);

}  // namespace berth::server
