// The journal of a large fleet at work: its history, a snapshot, and what came after it.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "bench/scale/tenants.h"

namespace berth::bench::start {

struct MadeJournal {
  std::uint64_t revision = 0;  // of its end
  std::size_t leases = 0;
  std::size_t waiting = 0;  // jobs
  std::size_t cards = 0;
  std::size_t tail = 0;         // events after the snapshot
  std::size_t state_bytes = 0;  // of the snapshot's state
};

// At `path`, where nothing is yet. The tail is work that comes and goes: jobs end, others are
// submitted, cycles place them.
Result<MadeJournal> make_journal(const std::string& path, const scale::Size& size,
                                 std::size_t tail_events);

}  // namespace berth::bench::start
