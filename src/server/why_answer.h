// What `berth why` says: of one job all that is known of its waiting, without one who waits.
#pragma once

#include <string>

#include "server/asked_place.h"

namespace berth::server {

// Refuses a job that neither waits nor runs there, or is not seen, with the nearest name.
Result<Told> answer_why(const AskedPlace& place, const std::string& job);
// The jobs that wait or are suspended, oldest first, each with its primary reason.
Told list_waiting(const AskedPlace& place);

}  // namespace berth::server
