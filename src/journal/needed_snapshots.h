// Which snapshots a journal keeps: the last ones to start from, and, for a history, one that it
// begins with and some on the way, with which it can begin later.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace berth::journal {

struct SnapshotTime {
  std::uint64_t revision = 0;
  TimeMs at = 0;  // 0: not known
};

struct NeededSnapshots {
  std::vector<std::uint64_t> forgotten;  // revisions, rising
  std::uint64_t records_from = 0;        // records of revisions below are needless
};

// Of snapshots in the order of their revisions. The history is that before the last of them.
NeededSnapshots needed_snapshots(const std::vector<SnapshotTime>& snapshots, DurationMs history);

}  // namespace berth::journal
